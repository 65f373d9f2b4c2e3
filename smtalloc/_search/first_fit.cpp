#include "first_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace smtalloc {

constexpr double kTooMany = 8e9;  // conflicts, beyond which looking for holes takes minutes

static i64 up(i64 x, i64 step) { return step == 1 ? x : (x + step - 1) / step * step; }

FirstFit::FirstFit(const Problem& p, Control& control) : problem_(p), control_(control), n_(static_cast<int>(p.size.size())) {
  row_.assign(n_ + 1, 0);
  life_.assign(n_, 0.0);
  peak_.assign(n_, 0.0);
  birth_.assign(n_, 0.0);
  death_.assign(n_, 0.0);
  crowd_.assign(n_, 0.0);
  offset.assign(n_, 0);
  if (p.adjacency) {
    adjacent_.resize(n_);
    for (auto [x, y] : p.conflicts) adjacent_[x].push_back(y), adjacent_[y].push_back(x);
    for (int j = 0; j < n_; ++j) {
      life_[j] = static_cast<double>(adjacent_[j].size());
      peak_[j] = static_cast<double>(p.size[j]);
      for (int i : adjacent_[j]) peak_[j] += static_cast<double>(p.size[i]);
    }
  } else {
    std::vector<i64> times;
    for (auto& x : p.pieces) times.push_back(x.lo), times.push_back(x.hi);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    auto rank = [&](i64 t) { return static_cast<int>(std::lower_bound(times.begin(), times.end(), t) - times.begin()); };
    const int m = static_cast<int>(times.size());
    times_ = std::max(m, 1);
    std::vector<i64> load_at(m + 1, 0), live_at(m + 1, 0);
    for (auto& x : p.pieces) ++row_[x.buffer + 1];
    std::partial_sum(row_.begin(), row_.end(), row_.begin());
    spans_.resize(p.pieces.size());
    std::vector<int> next(row_.begin(), row_.end() - 1);
    for (auto& x : p.pieces) {
      const Span span{rank(x.lo), rank(x.hi), x.first, x.last};
      spans_[next[x.buffer]++] = span;
      load_at[span.lo] += x.last - x.first, load_at[span.hi] -= x.last - x.first;
      ++live_at[span.lo], --live_at[span.hi];
      life_[x.buffer] += static_cast<double>(x.hi - x.lo);
    }
    std::partial_sum(load_at.begin(), load_at.end(), load_at.begin());
    std::partial_sum(live_at.begin(), live_at.end(), live_at.begin());
    birth_.assign(n_, kInf);
    death_.assign(n_, -kInf);
    for (int j = 0; j < n_; ++j)
      for (int r = row_[j]; r < row_[j + 1]; ++r) {
        birth_[j] = std::min(birth_[j], static_cast<double>(spans_[r].lo));
        death_[j] = std::max(death_[j], static_cast<double>(spans_[r].hi));
      }
    const auto heaviest = std::max_element(load_at.begin(), load_at.end());
    load = *heaviest;
    peak_time_ = static_cast<double>(heaviest - load_at.begin());
    by_start_.resize(spans_.size());
    std::iota(by_start_.begin(), by_start_.end(), 0);
    std::stable_sort(by_start_.begin(), by_start_.end(), [&](int x, int y) { return spans_[x].lo < spans_[y].lo; });
    place_.resize(spans_.size());
    limit_.assign(m + 1, 0);
    for (int q = 0; q < static_cast<int>(by_start_.size()); ++q) place_[by_start_[q]] = q, ++limit_[spans_[by_start_[q]].lo];
    for (int t = 0, sum = 0; t <= m; ++t) {
      const int here = limit_[t];
      limit_[t] = sum;
      sum += here;
    }
    while (leaves_ < static_cast<int>(spans_.size())) leaves_ *= 2;
    at_.resize(spans_.size());
    // Heaviest and most crowded moment of each life, by a sparse table over time.
    std::vector<std::vector<i64>> table{load_at};
    for (int step = 1; 2 * step <= m; step *= 2) {
      const auto& t = table.back();
      std::vector<i64> up(m + 1);
      for (int q = 0; q <= m; ++q) up[q] = std::max(t[q], t[std::min(m, q + step)]);
      table.push_back(std::move(up));
    }
    for (int j = 0; j < n_; ++j)
      for (int r = row_[j]; r < row_[j + 1]; ++r) {
        const int length = spans_[r].hi - spans_[r].lo;
        if (length <= 0) continue;
        const int level = std::min<int>(static_cast<int>(table.size()) - 1, 31 - __builtin_clz(static_cast<unsigned>(length)));
        const i64 most = std::max(table[level][spans_[r].lo], table[level][spans_[r].hi - (1 << level)]);
        peak_[j] = std::max(peak_[j], static_cast<double>(most));
        crowd_[j] += static_cast<double>(limit_[spans_[r].hi] - limit_[spans_[r].lo]) + static_cast<double>(live_at[spans_[r].lo]);
      }
  }
  conflicts = std::accumulate(crowd_.begin(), crowd_.end(), 0.0);
  for (int j = 0; j < n_; ++j) load = std::max(load, p.size[j] + std::max<i64>(p.pin[j], 0));
}

void Skyline::raise(int lo, int hi, i64 top, std::size_t node, int left, int right) {
  if (hi <= left || right <= lo) return;
  max_[node] = std::max(max_[node], top);
  if (lo <= left && right <= hi) {
    whole_[node] = std::max(whole_[node], top);
    return;
  }
  const int mid = (left + right) / 2;
  raise(lo, hi, top, 2 * node, left, mid);
  raise(lo, hi, top, 2 * node + 1, mid, right);
}

i64 Skyline::highest(int lo, int hi, std::size_t node, int left, int right) const {
  if (hi <= left || right <= lo) return 0;
  if (lo <= left && right <= hi) return max_[node];
  const int mid = (left + right) / 2;
  return std::max({whole_[node], highest(lo, hi, 2 * node, left, mid), highest(lo, hi, 2 * node + 1, mid, right)});
}

bool FirstFit::run(const std::vector<int>& order) {
  chunks_.assign(1, Chunk{});
  if (coarse_) skyline_ = Skyline(times_);
  max_end_.assign(2 * static_cast<std::size_t>(leaves_), -1);
  placed_ = 0;
  height = 0;
  std::fill(offset.begin(), offset.end(), -1);
  for (int j = 0; j < n_; ++j)
    if (problem_.pin[j] >= 0) put(j, problem_.pin[j]);
  for (int j : order) {
    if (problem_.pin[j] >= 0) continue;
    put(j, control_.stop() ? on_top(j, height) : lowest(j));
  }
  return !control_.stopped();
}

void FirstFit::put(int j, i64 x) {
  offset[j] = x;
  height = std::max(height, x + problem_.size[j]);
  if (control_.stopped()) return;  // nobody will ask any more
  for (int r = row_[j]; r < row_[j + 1]; ++r) {
    const Span& span = spans_[r];
    if (span.first == span.last) continue;
    if (coarse_) {
      skyline_.raise(span.lo, span.hi, x + span.last);
      continue;
    }
    const i64 bottom = x + span.first, top = x + span.last;
    at_[r] = bottom;
    for (int node = leaves_ + place_[r]; node > 0 && max_end_[node] < span.hi; node /= 2) max_end_[node] = span.hi;
    ++placed_;
    std::size_t c = 0;
    std::size_t high = chunks_.size();
    while (high - c > 1) {  // the last chunk that starts at or below `bottom`
      const std::size_t mid = (c + high) / 2;
      if (chunks_[mid].bottom[0] <= bottom) c = mid;
      else high = mid;
    }
    if (chunks_[c].count == Chunk::kRoom) {
      chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(c) + 1, Chunk{});
      Chunk &x0 = chunks_[c], &x1 = chunks_[c + 1];
      constexpr int half = Chunk::kRoom / 2;
      x1.count = x0.count = half;
      std::copy_n(x0.lo + half, half, x1.lo);
      std::copy_n(x0.hi + half, half, x1.hi);
      std::copy_n(x0.bottom + half, half, x1.bottom);
      std::copy_n(x0.top + half, half, x1.top);
      x0.max_top = *std::max_element(x0.top, x0.top + half);
      x1.max_top = *std::max_element(x1.top, x1.top + half);
      if (x1.bottom[0] <= bottom) ++c;
    }
    Chunk& chunk = chunks_[c];
    const int q = static_cast<int>(std::upper_bound(chunk.bottom, chunk.bottom + chunk.count, bottom) - chunk.bottom);
    auto open = [&](auto* a) { std::memmove(a + q + 1, a + q, sizeof(*a) * static_cast<std::size_t>(chunk.count - q)); };
    open(chunk.lo), open(chunk.hi), open(chunk.bottom), open(chunk.top);
    chunk.lo[q] = span.lo, chunk.hi[q] = span.hi, chunk.bottom[q] = bottom, chunk.top[q] = top;
    ++chunk.count;
    chunk.max_top = std::max(chunk.max_top, top);
  }
}

// Above everything that is placed (`floor`) and forbidden.
i64 FirstFit::on_top(int j, i64 floor) const {
  if (!problem_.forbidden.empty())
    for (auto [lo, hi] : problem_.forbidden[j]) floor = std::max(floor, hi);
  return up(floor, problem_.align[j]);
}

i64 FirstFit::lowest(int j) {
  if (problem_.size[j] == 0) return 0;
  if (coarse_) {
    i64 floor = 0;
    for (int r = row_[j]; r < row_[j + 1]; ++r) floor = std::max(floor, skyline_.highest(spans_[r].lo, spans_[r].hi));
    return on_top(j, floor);
  }
  const bool simple = !problem_.adjacency && row_[j + 1] - row_[j] == 1 && problem_.forbidden.empty() &&
                      spans_[row_[j]].first == 0 && spans_[row_[j]].last == problem_.size[j];
  const double crowd = std::min(crowd_[j] , static_cast<double>(placed_));
  // Scanning all that is placed costs about as much as sorting a tenth of it.
  if (simple && static_cast<double>(placed_) < 8.0 * crowd + 512) return scan(j, spans_[row_[j]]);
  return sweep(j);
}

i64 FirstFit::scan(int j, const Span& span) {
  const i64 size = problem_.size[j], step = problem_.align[j];
  i64 x = 0;
  alignas(16) unsigned char hit[Chunk::kRoom];
  for (const Chunk& chunk : chunks_) {
    if (chunk.max_top <= x) continue;
    const int count = chunk.count;
    for (int q = 0; q < count; ++q) hit[q] = (chunk.lo[q] < span.hi) & (chunk.hi[q] > span.lo);
    std::memset(hit + count, 0, static_cast<std::size_t>(-count & 7));
    for (int q = 0; q < count; q += 8) {
      std::uint64_t word;
      std::memcpy(&word, hit + q, 8);
      for (; word != 0; word &= word - 1) {
        const int r = q + __builtin_ctzll(word) / 8;
        if (chunk.top[r] <= x) continue;
        if (chunk.bottom[r] >= x + size) return x;
        x = up(chunk.top[r], step);
      }
    }
  }
  return x;
}

// All placed spans that are live during `span`, as open intervals of offsets that they block.
void FirstFit::gather(const Span& span, int node, int left, int right) {
  if (max_end_[node] <= span.lo || left >= limit_[span.hi]) return;
  if (right - left == 1) {
    const int r = by_start_[left];
    blocked_.push_back({at_[r] - span.last, at_[r] + spans_[r].last - spans_[r].first - span.first});
    return;
  }
  const int mid = (left + right) / 2;
  gather(span, 2 * node, left, mid);
  gather(span, 2 * node + 1, mid, right);
}

i64 FirstFit::sweep(int j) {
  blocked_.clear();
  const i64 size = problem_.size[j], step = problem_.align[j];
  if (problem_.adjacency) {
    for (int i : adjacent_[j])
      if (offset[i] >= 0 && problem_.size[i] > 0) blocked_.push_back({offset[i] - size, offset[i] + problem_.size[i]});
  } else {
    for (int r = row_[j]; r < row_[j + 1]; ++r)
      if (spans_[r].first != spans_[r].last && spans_[r].lo < spans_[r].hi) gather(spans_[r], 1, 0, leaves_);
  }
  if (!problem_.forbidden.empty())
    for (auto [lo, hi] : problem_.forbidden[j]) blocked_.push_back({lo - size, hi});
  std::sort(blocked_.begin(), blocked_.end());
  i64 x = 0;
  for (auto [lo, hi] : blocked_) {
    if (lo >= x) break;
    if (hi > x) x = up(hi, step);
  }
  return x;
}

void FirstFit::keep(const std::vector<int>& order) {
  if (height >= best_height) return;
  best_height = height;
  best = offset;
  best_order_ = order;
  if (improved) improved();
}

// Most important key first, both descending.
std::pair<double, double> FirstFit::key(int kind, int j) const {
  constexpr double kFirst = 1e30;  // ahead of all that is not live at the peak
  const double bytes = static_cast<double>(problem_.size[j]);
  const bool at_peak = birth_[j] <= peak_time_ && peak_time_ < death_[j];
  switch (kind) {
    case 0: return {bytes, life_[j]};
    // What is live at the heaviest moment is stacked without a hole, the oldest below or the longest-lived, and the rest
    // goes around it by size.
    case 1: return {at_peak ? kFirst : bytes, at_peak ? -birth_[j] : life_[j]};
    case 2: return {at_peak ? kFirst : bytes, at_peak ? death_[j] : life_[j]};
    case 3: return {at_peak ? kFirst : bytes, life_[j]};
    case 4: return {peak_[j], bytes};
    case 5: return {std::sqrt(life_[j]) * bytes, bytes};
    case 6: return {life_[j] * bytes, bytes};
    default: return {life_[j], bytes};
  }
}

bool FirstFit::attempt(int kind) {
  std::vector<int> order(n_);
  std::vector<std::pair<double, double>> keys(n_);
  for (int j = 0; j < n_; ++j) keys[j] = key(kind, j);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return keys[x] > keys[y]; });
  const bool whole = run(order);
  keep(order);
  return whole && best_height > std::max(load, enough);
}

bool FirstFit::portfolio() {
  // Where there is much to do, a quick look first: stacks without holes are often enough, and there is something by then.
  coarse_ = true;
  const bool large = !problem_.adjacency && n_ > 5000;
  if (large && (!attempt(1) || !attempt(0))) return !control_.stopped();
  coarse_ = large && conflicts > kTooMany;
  for (int kind = 0; kind < 8; ++kind)
    if (!attempt(kind)) break;
  return !control_.stopped();
}

bool FirstFit::repair(i64 bound, std::uint64_t seed, int rounds) {
  std::mt19937_64 random(seed);
  std::vector<int> order = best_order_;
  std::vector<double> key(n_);
  for (int round = 0; round < rounds && best_height > bound; ++round) {
    for (int q = 0; q < n_; ++q) key[order[q]] = q;
    // Whoever ended above the bound goes ahead of where it stood.
    const double far = std::pow(0.5, 1 + static_cast<double>(random() % 4));
    for (int j = 0; j < n_; ++j)
      if (offset[j] + problem_.size[j] > bound) key[j] *= far;
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return key[x] < key[y]; });
    if (!run(order)) return false;
    const bool better = height < best_height;
    keep(order);
    if (!better && random() % 4 == 0) order = best_order_;
  }
  return true;
}

}  // namespace smtalloc
