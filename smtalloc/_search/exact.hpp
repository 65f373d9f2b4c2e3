// Is there a placement under the capacity? Canonical search (docs/kernel.md says why it is exhaustive): buffers are placed
// in non-decreasing order of offset, each at the lowest offset that those below it leave.
#pragma once
#include <array>

#include "model.hpp"

namespace smtalloc {

// Where a series of restarts stands.
struct Restarts {
  std::mt19937_64 random;
  double scale = 1.0;
  std::size_t turn = 0;
};

// A search order by three keys, most important first; in the first two, life may be counted in sections.
struct Order {
  int keys[3];
  bool compressed;
  bool biased = false;  // disturbed at random, and what runs blame goes first
  bool jumps = true;    // back over choices that seem to have no part in a failure
};
enum Key { kTotal, kWidth, kArea };  // heaviest section, life, life times size
inline constexpr std::array kOrders{Order{{kTotal, kWidth, kArea}, false}, Order{{kTotal, kWidth, kArea}, true},
                                    Order{{kTotal, kArea, kWidth}, false}, Order{{kTotal, kArea, kWidth}, true},
                                    Order{{kWidth, kArea, kTotal}, false}, Order{{kWidth, kArea, kTotal}, true}};

class Exact {
 public:
  std::vector<i64> solution;

  Exact(const Model& model, Control& control)
      : model_(model), control_(control), members_(model.m), neighbours_(model.n), first_(model.n), last_(model.n),
        stamp_(model.m, 0), blame_(model.n, 0.0) {
    std::vector<int> by_start(model.span.size()), owner;
    for (int j = 0; j < model.n; ++j) {
      first_[j] = std::ranges::min(model.spans(j), {}, &Span::first).first;
      last_[j] = std::ranges::max(model.spans(j), {}, &Span::last).last;
      owner.insert(owner.end(), model.spans(j).size(), j);
      each(j, [&](int s) { members_[s].push_back(j); });
    }
    std::iota(by_start.begin(), by_start.end(), 0);
    std::ranges::sort(by_start, {}, [&](int r) { return model.span[r].first; });
    for (auto x = by_start.begin(); x != by_start.end(); ++x)
      for (auto y = x + 1; y != by_start.end() && model.span[*y].first < model.span[*x].last; ++y) {
        neighbours_[owner[*x]].push_back(owner[*y]);
        neighbours_[owner[*y]].push_back(owner[*x]);
      }
    for (auto& list : neighbours_) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  // Restarts over a portfolio of orders with growing limits, for about `effort` nodes (0: no limit); goes on from `restarts`.
  Status decide(i64 capacity, Restarts& restarts, i64 effort) {
    if (model_.load > capacity) return Status::kInfeasible;
    for (const i64 start = control_.nodes; effort == 0 || control_.nodes - start < effort;) {
      // Every order in turn; once that has not helped for a while, as many disturbed ones with a modest limit; then again,
      // with a higher limit.
      const bool biased = restarts.turn >= kOrders.size();
      Order order = kOrders[biased ? restarts.random() % kOrders.size() : restarts.turn];
      order.biased = biased;
      const double scale = biased ? std::min(restarts.scale, 32.0) : restarts.scale;
      const i64 limit = static_cast<i64>(std::min(2.0 * model_.n * scale, 1e15));
      Status status = run(capacity, order, limit, restarts.random());
      if (status == Status::kLimit && left_ > 0 && !control_.stopped) {  // refuted but for the jumps: once more without
        order.jumps = false;
        status = run(capacity, order, 4 * limit, restarts.random());
      }
      if (status != Status::kLimit || control_.stopped) return status;
      for (double& x : blame_) x *= 0.5;
      if (++restarts.turn == (restarts.scale < 16 ? 1 : 2) * kOrders.size()) restarts.turn = 0, restarts.scale *= 2.0;
    }
    return Status::kLimit;
  }

 private:
  enum Outcome { kNo, kYes, kGiveUp };
  using List = std::vector<int>;
  using Set = std::vector<char>;
  struct Part {  // sections [first, last)
    int first, last;
    i64 slack;
  };

  // The sections of a buffer.
  void each(int j, auto&& visit) const {
    for (const Span& x : model_.spans(j))
      for (int s = x.first; s < x.last; ++s) visit(s);
  }

  // Exhaustive unless `limit` nodes or the control come first.
  Status run(i64 capacity, const Order& order, i64 limit, std::uint64_t seed) {
    const int n = model_.n, m = model_.m;
    capacity_ = capacity;
    order_ = order;
    left_ = limit;
    jumped_ = false;
    low_.resize(n);
    room_.assign(m, capacity);
    unplaced_.assign(m, 0);
    cuts_.assign(m, 0);
    rank_.assign(n, 0);
    placed_.assign(n, 0);
    solution.assign(n, -1);
    trail_.clear();
    for (int j = 0; j < n; ++j) {
      low_[j] = model_.allowed(j, 0);
      each(j, [&](int s) { room_[s] -= model_.size[j], ++unplaced_[s]; });
      for (int s = first_[j]; s < last_[j] - 1; ++s) ++cuts_[s];
    }
    List all(n);
    std::iota(all.begin(), all.end(), 0);
    if (order.biased) {
      std::mt19937_64 random(seed);
      auto real = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
      List by = all;
      std::ranges::stable_sort(by, std::greater{}, [&](int j) { return blame_[j]; });
      const double weight = 0.6 * real(), noise = 5.0 * real();
      bias_.resize(n);
      for (int q = 0; q < n; ++q) bias_[by[q]] = q * weight + noise * real();
    }
    const Outcome outcome = parts(0, m, all);
    if (outcome == kYes) return Status::kSolved;
    return outcome == kNo && !jumped_ ? Status::kInfeasible : Status::kLimit;
  }

  // Ranks the buffers of a part anew, by what is left around them.
  void rank(const List& list) {
    std::vector<std::pair<std::array<double, 3>, int>> keyed;
    for (int j : list) {
      i64 least = kInf;
      each(j, [&](int s) { least = std::min(least, room_[s]); });
      const double width = static_cast<double>(order_.compressed ? last_[j] - first_[j] : model_.life[j]);
      const double keys[] = {static_cast<double>(least), -width, -width * static_cast<double>(model_.size[j])};
      keyed.push_back({{keys[order_.keys[0]], keys[order_.keys[1]], keys[order_.keys[2]]}, j});
    }
    std::ranges::sort(keyed);
    if (order_.biased) {
      for (std::size_t q = 0; q < keyed.size(); ++q) keyed[q].first[0] = static_cast<double>(q) + bias_[keyed[q].second];
      std::ranges::stable_sort(keyed, {}, [](const auto& x) { return x.first[0]; });
    }
    for (std::size_t q = 0; q < keyed.size(); ++q) rank_[keyed[q].second] = static_cast<int>(q);
  }

  // Sections [lo, hi) with the buffers of the list that are unplaced, cut where none of them crosses. Least room first.
  Outcome parts(int lo, int hi, const List& list) {
    std::vector<i64> lowest(model_.m, kInf);
    for (int j : list)
      if (!placed_[j]) each(j, [&](int s) { lowest[s] = std::min(lowest[s], low_[j]); });
    std::vector<Part> found;
    i64 slack = kInf;
    for (int s = lo, start = lo; s < hi; ++s) {
      if (unplaced_[s] > 0) slack = std::min(slack, room_[s] - lowest[s]);
      if (s < hi - 1 && cuts_[s] > 0) continue;
      if (slack < kInf) found.push_back({start, s + 1, slack});
      slack = kInf, start = s + 1;
    }
    std::ranges::stable_sort(found, {}, &Part::slack);
    for (const Part& x : found) {
      const Outcome outcome = part(x.first, x.last, list, {-1, -1}, true);
      if (outcome != kYes) return outcome;
    }
    return kYes;
  }

  // Places the unplaced buffers of the list that are in sections [lo, hi). None may go below `least` (offset, rank).
  Outcome part(int lo, int hi, const List& above, std::pair<i64, int> least, bool fresh) {
    if (left_ <= 0 || control_.stop()) return kGiveUp;
    --left_;
    ++control_.nodes;
    List list;
    i64 lowest_top = kInf;
    int narrowest = -1;
    for (int j : above) {
      if (placed_[j] || first_[j] >= hi || last_[j] <= lo) continue;
      list.push_back(j);
      if (low_[j] + model_.size[j] < lowest_top) lowest_top = low_[j] + model_.size[j], narrowest = j;
    }
    if (list.empty()) return kYes;
    std::vector<int> ranks;
    if (fresh) {
      for (int j : list) ranks.push_back(rank_[j]);
      rank(list);
    }
    std::vector<std::tuple<i64, int, int>> candidates;
    for (int j : list)
      if (low_[j] < lowest_top && std::pair(low_[j], rank_[j]) > least) candidates.push_back({low_[j], rank_[j], j});
    std::ranges::sort(candidates);
    Outcome outcome = kNo;
    Set reasons(model_.m);
    if (candidates.empty()) each(narrowest, [&](int s) { reasons[s] = true; });
    for (auto [offset, rank, j] : candidates) {
      const std::size_t mark = trail_.size();
      const int bad = place(j, offset, lo, hi);
      bool jump = false;
      if (bad < 0) {
        solution[j] = offset;
        outcome = children(j, lo, hi, list, offset);
        if (outcome == kNo && order_.jumps) {
          auto blamed = [&](int i) {
            bool found = false;
            each(i, [&](int s) { found = found || why_[s]; });
            return found;
          };
          jump = !blamed(j) && std::none_of(trail_.begin() + mark, trail_.end(), [&](auto& x) { return blamed(x.first); });
          if (jump) reasons = why_;
          else std::ranges::transform(reasons, why_, reasons.begin(), std::bit_or{});
        }
      } else {
        for (int i : members_[bad])
          if (!placed_[i]) blame_[i] += 1.0;
        reasons[bad] = true;
      }
      undo(j, mark);
      if (outcome != kNo) break;
      if (jump) {  // what failed lies elsewhere, so another choice here would fail there again
        jumped_ = true;
        break;
      }
    }
    if (outcome == kNo) why_ = std::move(reasons);
    for (std::size_t q = 0; q < ranks.size(); ++q) rank_[list[q]] = ranks[q];
    return outcome;
  }

  // After j was placed.
  Outcome children(int j, int lo, int hi, const List& list, i64 offset) {
    bool split = false;
    for (int s = first_[j]; s < last_[j] - 1; ++s) split |= --cuts_[s] == 0;
    const Outcome outcome = split ? parts(lo, hi, list) : part(lo, hi, list, {offset, rank_[j]}, false);
    for (int s = first_[j]; s < last_[j] - 1; ++s) ++cuts_[s];
    return outcome;
  }

  // Puts j at the offset, raises its neighbours, and infers. Returns a section that overflows, or -1.
  int place(int j, i64 offset, int lo, int hi) {
    const i64 size = model_.size[j], top = offset + size;
    placed_[j] = 1;
    int bad = -1;
    each(j, [&](int s) {
      room_[s] += size;
      if (--unplaced_[s] > 0 && top > room_[s]) bad = s;
    });
    if (bad >= 0) return bad;
    for (int s = lo; s < hi; ++s)  // everything that follows starts at `offset` or above
      if (room_[s] < offset && unplaced_[s] > 0) return s;
    const std::size_t mark = trail_.size();
    for (int i : neighbours_[j]) {
      if (placed_[i] || low_[i] >= top) continue;
      trail_.push_back({i, low_[i]});
      low_[i] = model_.allowed(i, top);
      if (low_[i] + model_.size[i] > capacity_) return first_[i];
    }
    ++now_;
    for (std::size_t q = mark; q < trail_.size() && bad < 0; ++q) {
      const i64 low = low_[trail_[q].first];
      each(trail_[q].first, [&](int s) {
        if (bad >= 0 || stamp_[s] == now_) return;
        stamp_[s] = now_;
        if (low > room_[s] && overflows(s, low)) bad = s;
      });
    }
    return bad;
  }

  // What is unplaced in the section and starts no lower than `edge` must fit above it, and all of it above the lowest.
  bool overflows(int s, i64 edge) const {
    i64 least = kInf, above = 0;
    for (int j : members_[s]) {
      if (placed_[j]) continue;
      least = std::min(least, low_[j]);
      if (low_[j] >= edge) above += model_.size[j];
    }
    return edge + above > capacity_ || least > room_[s];
  }

  void undo(int j, std::size_t mark) {
    placed_[j] = 0;
    for (; trail_.size() > mark; trail_.pop_back()) low_[trail_.back().first] = trail_.back().second;
    each(j, [&](int s) { room_[s] -= model_.size[j], ++unplaced_[s]; });
  }

  const Model& model_;
  Control& control_;
  std::vector<List> members_, neighbours_;  // of a section, of a buffer
  std::vector<int> first_, last_;  // all sections of a buffer are in [first_, last_)
  std::vector<int> stamp_;
  std::vector<double> blame_, bias_;
  // state of one run
  i64 capacity_ = 0, left_ = 0;
  Order order_{};
  bool jumped_ = false;
  Set why_;  // the sections that made the last part fail
  int now_ = 0;
  std::vector<i64> low_;         // of a buffer: the lowest offset above its placed neighbours
  std::vector<i64> room_;        // of a section: the capacity less the sizes of what is unplaced
  std::vector<int> unplaced_, cuts_;  // how many in a section; how many reach from it into the next
  std::vector<int> rank_;
  std::vector<char> placed_;
  std::vector<std::pair<int, i64>> trail_;  // what was raised, and its offset before
};

}  // namespace smtalloc
