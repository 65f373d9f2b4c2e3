// Is there a placement under the capacity? Canonical search: buffers are placed in non-decreasing order of offset, each
// at the lowest offset that those below it leave. A feasible problem has such a placement: push everything down.
//
// A run may also jump back over choices that seem to have no part in a failure. That is a heuristic (the order of offsets
// ties distant buffers together), so a run that jumped refutes nothing; another one without jumps must.
#include "exact.hpp"

#include <algorithm>
#include <numeric>
#include <random>


namespace smtalloc {

Exact::Exact(const Model& model, Control& control) : model_(model), control_(control) {
  const int n = model.n;
  width_[0].assign(model.life.begin(), model.life.end());
  for (int j = 0; j < n; ++j) width_[1].push_back(model.sections.count(j));
  blame_.assign(n, 0.0);
  stamp_.assign(model.m, 0);
  twin_.assign(n, -1);
  // Twins: same size and neighbourhood; only the order by index is tried.
  if (model.plain && model.solid) {
    std::vector<int> by(n);
    std::iota(by.begin(), by.end(), 0);
    auto key = [&](int j) { return std::tuple(model.first[j], model.last[j], model.size[j], j); };
    std::sort(by.begin(), by.end(), [&](int x, int y) { return key(x) < key(y); });
    for (int q = 1; q < n; ++q) {
      int x = by[q - 1], y = by[q];
      if (model.first[x] == model.first[y] && model.last[x] == model.last[y] && model.size[x] == model.size[y]) twin_[y] = x;
    }
  }
}

void Exact::blame(int s) {
  for (const int* j = model_.members.begin(s); j != model_.members.end(s); ++j)
    if (!placed_[*j]) blame_[*j] += 1.0;
}

// Ranks the unplaced buffers of a part anew, by what is left around them.
void Exact::rank(const int* list, int count) {
  struct Keyed {
    double key[3];
    int j;
  };
  thread_local std::vector<Keyed> keyed;
  keyed.clear();
  const auto& width = width_[order_.compressed];
  for (int q = 0; q < count; ++q) {
    const int j = list[q];
    i64 heaviest = -kInf;
    for (const int* s = model_.sections.begin(j); s != model_.sections.end(j); ++s) heaviest = std::max(heaviest, -room_[*s]);
    Keyed x{{0, 0, 0}, j};
    for (int k = 0; k < 3; ++k) {
      switch (order_.keys[k]) {
        case 'W': x.key[k] = width[j]; break;
        case 'A': x.key[k] = width[j] * static_cast<double>(model_.size[j]); break;
        case 'T': x.key[k] = static_cast<double>(heaviest); break;
        default: x.key[k] = static_cast<double>(model_.size[j]);
      }
    }
    keyed.push_back(x);
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& x, const Keyed& y) {
    for (int k = 0; k < 3; ++k)
      if (x.key[k] != y.key[k]) return x.key[k] > y.key[k];
    return x.j < y.j;
  });
  if (order_.biased) {
    for (std::size_t q = 0; q < keyed.size(); ++q) keyed[q].key[0] = static_cast<double>(q) + bias_[keyed[q].j];
    std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& x, const Keyed& y) { return x.key[0] < y.key[0]; });
  }
  for (std::size_t q = 0; q < keyed.size(); ++q) rank_[keyed[q].j] = static_cast<int>(q);
}


// Whoever cannot be the lowest in some section stands on somebody there.
void Exact::lift(int lo, int hi, const int* list, int count, i64 offset) {
  std::fill(sum_.begin() + lo, sum_.begin() + hi, kInf);
  i64* top = sum_.data();
  for (int q = 0; q < count; ++q) {
    const int j = list[q];
    if (placed_[j]) continue;
    const i64 t = std::max(low_[j], offset) + model_.size[j];
    for (int s = model_.first[j]; s < model_.last[j]; ++s) top[s] = std::min(top[s], t);
  }
  for (int q = 0; q < count; ++q) {
    const int j = list[q];
    if (placed_[j]) continue;
    i64 x = low_[j];
    for (int s = model_.first[j]; s < model_.last[j]; ++s) {
      const i64 t = low_[j] > room_[s] ? top[s] : 0;
      x = std::max(x, t);
    }
    if (x > low_[j]) {
      trail_.push_back({j, base_[j], low_[j]});
      low_[j] = x;
    }
  }
}

// Section s, after buffer i was raised: the sum of those released no earlier than i must fit above it, and all above the lowest.
bool Exact::overflows(int s, i64 edge) {
  i64 least = kInf, above = 0;
  for (const int* k = model_.members.begin(s); k != model_.members.end(s); ++k) {
    if (placed_[*k]) continue;
    least = std::min(least, low_[*k]);
    if (low_[*k] >= edge) above += model_.size[*k];
  }
  return edge + above > capacity_ || least > room_[s];
}

// Puts j at the offset, raises its neighbours, and infers. `list` holds the unplaced buffers of the part, and j.
// Returns the section that overflows, or -1.
int Exact::place(int j, i64 offset, int lo, int hi, const int* list, int count) {
  const i64 size = model_.size[j], top = offset + size;
  placed_[j] = 1;
  int bad = -1;
  for (const int* s = model_.sections.begin(j); s != model_.sections.end(j); ++s) {
    room_[*s] += size, --unplaced_[*s];
    if (top > room_[*s] && unplaced_[*s] > 0) bad = *s;
  }
  if (bad >= 0) return bad;
  for (int s = lo; s < hi; ++s)  // everything that follows starts at `offset` or above
    if (room_[s] < offset && unplaced_[s] > 0) return s;
  const std::size_t mark = trail_.size();
  for (const int* i = model_.neighbours.begin(j); i != model_.neighbours.end(j); ++i) {
    if (placed_[*i] || base_[*i] >= top) continue;
    trail_.push_back({*i, base_[*i], low_[*i]});
    base_[*i] = model_.allowed(*i, top);
    low_[*i] = std::max(low_[*i], base_[*i]);
    if (low_[*i] + model_.size[*i] > capacity_) return *model_.sections.begin(*i);
  }
  ++now_;
  for (std::size_t q = mark; q < trail_.size(); ++q) {
    const int i = trail_[q].buffer;
    for (const int* s = model_.sections.begin(i); s != model_.sections.end(i); ++s) {
      if (stamp_[*s] == now_) continue;
      stamp_[*s] = now_;
      if (low_[i] > room_[*s] && overflows(*s, low_[i])) return *s;
    }
  }
  if (model_.solid) lift(lo, hi, list, count, offset);
  return -1;
}

void Exact::undo(int j, std::size_t mark) {
  placed_[j] = 0;
  for (; trail_.size() > mark; trail_.pop_back()) {
    const Raise& x = trail_.back();
    base_[x.buffer] = x.base;
    low_[x.buffer] = x.low;
  }
  for (const int* s = model_.sections.begin(j); s != model_.sections.end(j); ++s) {
    room_[*s] -= model_.size[j];
    ++unplaced_[*s];
  }
}

// Places the buffers of sections [lo, hi), a part of the list that starts at pool_[from]. None may go below (least, least_rank).
Exact::Outcome Exact::part(int lo, int hi, std::size_t from, int count, i64 least, int least_rank, bool fresh) {
  if (left_ <= 0 || control_.stop()) return kGiveUp;
  --left_;
  ++control_.nodes;
  const std::size_t base = pool_.size();
  i64 lowest_top = kInf;
  int narrowest = -1;
  for (int q = 0; q < count; ++q) {
    const int j = pool_[from + static_cast<std::size_t>(q)];
    if (placed_[j] || model_.first[j] >= hi || model_.last[j] <= lo) continue;
    pool_.push_back(j);
    if (base_[j] + model_.size[j] < lowest_top) lowest_top = base_[j] + model_.size[j], narrowest = j;
  }
  const int k = static_cast<int>(pool_.size() - base);
  if (k == 0) return kYes;
  std::vector<std::pair<int, int>> saved;
  if (fresh) {
    for (std::size_t q = base; q < pool_.size(); ++q) saved.push_back({pool_[q], rank_[pool_[q]]});
    rank(pool_.data() + base, k);
  }
  struct Candidate {
    i64 offset;
    int rank, j;
  };
  std::vector<Candidate> candidates;
  for (std::size_t q = base; q < pool_.size(); ++q) {
    const int j = pool_[q];
    if (base_[j] == low_[j] && low_[j] < lowest_top && (low_[j] > least || (low_[j] == least && rank_[j] > least_rank)))
      if (twin_[j] < 0 || placed_[twin_[j]]) candidates.push_back({low_[j], rank_[j], j});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    return x.offset != y.offset ? x.offset < y.offset : x.rank < y.rank;
  });
  Outcome outcome = kNo;
  Bits reasons((static_cast<std::size_t>(model_.m) + 63) / 64, 0);
  auto blamed = [&](const Bits& why, int j) {
    for (int s = model_.first[j]; s < model_.last[j]; ++s)
      if (why[s / 64] >> (s % 64) & 1) return true;
    return false;
  };
  if (candidates.empty())
    for (int s = model_.first[narrowest]; s < model_.last[narrowest]; ++s) reasons[s / 64] |= std::uint64_t{1} << (s % 64);
  for (const Candidate& c : candidates) {
    const std::size_t mark = trail_.size();
    const int bad = place(c.j, c.offset, lo, hi, pool_.data() + base, k);
    outcome = kNo;
    bool jump = false;
    if (bad < 0) {
      solution_[c.j] = c.offset;
      outcome = children(c.j, lo, hi, base, k, c.offset);
      if (outcome == kNo && order_.jumps) {
        jump = !blamed(why_, c.j);
        for (std::size_t q = mark; q < trail_.size() && jump; ++q) jump = !blamed(why_, trail_[q].buffer);
        for (std::size_t w = 0; w < reasons.size(); ++w) reasons[w] = jump ? why_[w] : reasons[w] | why_[w];
      }
    } else {
      blame(bad);
      reasons[bad / 64] |= std::uint64_t{1} << (bad % 64);
    }
    undo(c.j, mark);
    if (outcome != kNo) break;
    if (jump) {  // what failed lies elsewhere, so another choice here would fail there again
      jumped_ = true;
      break;
    }
    bool touches = false;
    for (const int* i = model_.neighbours.begin(c.j); i != model_.neighbours.end(c.j) && !touches; ++i) touches = !placed_[*i];
    if (!touches) break;  // where c.j goes matters to nobody, so its failure is the failure of the rest
  }
  if (outcome == kNo) why_ = std::move(reasons);
  for (auto [j, r] : saved) rank_[j] = r;
  pool_.resize(base);
  return outcome;
}

// After j was placed: one child, or several where no unplaced buffer crosses a cut. Least room first.
Exact::Outcome Exact::children(int j, int lo, int hi, std::size_t base, int count, i64 offset) {
  const int a = model_.first[j], b = model_.last[j];
  bool split = false;
  for (int s = a; s < b - 1; ++s) split |= --cuts_[s] == 0;
  Outcome outcome;
  if (!split) {
    // pool_ may move while the child runs: lists are handed over by value of their place
    outcome = part(lo, hi, base, count, offset, rank_[j], false);
  } else {
    std::vector<Span> spans;
    std::fill(sum_.begin() + lo, sum_.begin() + hi, kInf);
    for (int q = 0; q < count; ++q) {
      const int i = pool_[base + static_cast<std::size_t>(q)];
      if (placed_[i]) continue;
      for (const int* s = model_.sections.begin(i); s != model_.sections.end(i); ++s) sum_[*s] = std::min(sum_[*s], low_[i]);
    }
    int start = lo;
    for (int s = lo; s < hi; ++s) {
      if (s != hi - 1 && !(a <= s && s < b - 1 && cuts_[s] == 0)) continue;
      i64 slack = kInf;
      for (int t = start; t <= s; ++t)
        if (unplaced_[t] > 0) slack = std::min(slack, room_[t] - sum_[t]);
      if (slack < kInf) spans.push_back({start, s + 1, slack});
      start = s + 1;
    }
    std::stable_sort(spans.begin(), spans.end(), [](const Span& x, const Span& y) { return x.slack < y.slack; });
    outcome = kYes;
    for (const Span& span : spans) {
      outcome = part(span.lo, span.hi, base, count, -1, -1, true);
      if (outcome != kYes) break;
    }
  }
  for (int s = a; s < b - 1; ++s) ++cuts_[s];
  return outcome;
}

Status Exact::run(i64 capacity, const Order& order, i64 limit, std::uint64_t seed) {
  const int n = model_.n, m = model_.m;
  capacity_ = capacity;
  order_ = order;
  left_ = limit;
  low_.resize(n);
  for (int j = 0; j < n; ++j) low_[j] = model_.allowed(j, 0);
  base_ = low_;
  sum_.assign(m, 0);
  pool_.clear();
  room_.assign(m, capacity);
  unplaced_.assign(m, 0);
  cuts_.assign(m, 0);
  rank_.assign(n, 0);
  placed_.assign(n, 0);
  solution_.assign(n, -1);
  trail_.clear();
  jumped_ = false;
  for (int j = 0; j < n; ++j) {
    for (const int* s = model_.sections.begin(j); s != model_.sections.end(j); ++s) room_[*s] -= model_.size[j], ++unplaced_[*s];
    for (int s = model_.first[j]; s < model_.last[j] - 1; ++s) ++cuts_[s];
    if (low_[j] + model_.size[j] > capacity) return Status::kInfeasible;
  }
  if (order.biased) {
    std::mt19937_64 random(seed);
    std::vector<int> by(n);
    std::iota(by.begin(), by.end(), 0);
    std::stable_sort(by.begin(), by.end(), [&](int x, int y) { return blame_[x] > blame_[y]; });
    auto real = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
    const double weight = 0.6 * real(), noise = 5.0 * real();
    bias_.resize(n);
    for (int q = 0; q < n; ++q) bias_[by[q]] = q * weight + noise * real();
  }
  pool_.resize(n);
  std::iota(pool_.begin(), pool_.end(), 0);
  std::vector<Span> spans;
  for (int s = 0, start = 0; s < m; ++s) {
    if (s != m - 1 && cuts_[s] != 0) continue;
    i64 slack = kInf;
    for (int t = start; t <= s; ++t) slack = std::min(slack, room_[t]);
    if (slack < 0) return Status::kInfeasible;
    spans.push_back({start, s + 1, slack});
    start = s + 1;
  }
  std::stable_sort(spans.begin(), spans.end(), [](const Span& x, const Span& y) { return x.slack < y.slack; });
  for (const Span& span : spans) {
    const Outcome outcome = part(span.lo, span.hi, 0, n, -1, -1, true);
    if (outcome == kNo) return jumped_ ? Status::kLimit : Status::kInfeasible;
    if (outcome == kGiveUp) return control_.stopped() ? control_.reason() : Status::kLimit;
  }
  return Status::kSolved;
}

Status Exact::decide(i64 capacity, Restarts& restarts, i64 effort) {
  static const Order kOrders[] = {{"TWA", false}, {"TWA", true}, {"TAW", false},
                                  {"TAW", true}, {"WAT", false}, {"WAT", true}};
  constexpr int kPlain = kPlainOrders;
  static_assert(std::size(kOrders) == kPlain);
  if (model_.load > capacity) return Status::kInfeasible;
  for (const i64 start = control_.nodes; effort <= 0 || control_.nodes - start < effort;) {
    // Every order in turn; once that has not helped for a while, as many disturbed ones with a modest limit; then again,
    // with a higher limit.
    const bool biased = restarts.turn >= kPlain;
    Order order = kOrders[biased ? restarts.random() % kPlain : restarts.turn];
    order.biased = biased;
    const double scale = biased ? std::min(restarts.scale, 32.0) : restarts.scale;
    const i64 limit = static_cast<i64>(std::min(2.0 * model_.n * scale, 1e15));
    Status status = run(capacity, order, limit, restarts.random());
    if (status == Status::kLimit && left_ > 0 && !control_.stopped()) {  // refuted but for the jumps: once more without
      order.jumps = false;
      status = run(capacity, order, 4 * limit, restarts.random());
    }
    if (status != Status::kLimit || control_.stopped()) return status;
    for (double& x : blame_) x *= 0.5;
    if (++restarts.turn == (restarts.scale < 16 ? kPlain : 2 * kPlain)) restarts.turn = 0, restarts.scale *= 2.0;
  }
  return Status::kLimit;
}

}  // namespace smtalloc
