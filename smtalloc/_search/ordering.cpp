#include "ordering.hpp"

#include <algorithm>

namespace smtalloc {

Ordering::Ordering(const Problem& p, Control& control) : problem_(p), control_(control), above_(p.size.size()) {
  if (p.adjacency) {
    for (auto [i, j] : p.conflicts)
      if (p.size[i] > 0 && p.size[j] > 0) pairs_.push_back({i, j, p.size[i], p.size[j]});
  }
  for (std::size_t q = 0; q < p.pieces.size(); ++q)
    for (std::size_t r = q + 1; r < p.pieces.size(); ++r) {
      const Piece &x = p.pieces[q], &y = p.pieces[r];
      if (x.buffer == y.buffer || x.lo >= y.hi || y.lo >= x.hi || x.first == x.last || y.first == y.last) continue;
      pairs_.push_back({x.buffer, y.buffer, x.last - y.first, y.last - x.first});
    }
}

// Lifts j to the lowest allowed offset that is not below x; false if that is too high.
bool Ordering::raise(int j, i64 x) {
  const i64 step = problem_.align[j], size = problem_.size[j];
  x = std::max<i64>(x, 0);
  x = (x + step - 1) / step * step;
  if (problem_.pin[j] >= 0) {
    if (x > problem_.pin[j]) return false;
    x = problem_.pin[j];
  } else if (!problem_.forbidden.empty() && size > 0) {
    for (auto [lo, hi] : problem_.forbidden[j]) {
      if (lo >= x + size) break;
      if (hi > x) x = (hi + step - 1) / step * step;
    }
  }
  if (x + size > capacity_) return false;
  if (x > low_[j]) {
    trail_.push_back({j, low_[j]});
    low_[j] = x;
  }
  return true;
}

// Follows decided pairs from everything that was raised since trail entry `from`, to the least fixed point.
bool Ordering::settle(std::size_t from) {
  for (std::size_t q = from; q < trail_.size(); ++q) {
    if (control_.stop()) return false;
    const int i = trail_[q].first;
    for (auto [j, d] : above_[i])
      if (low_[i] + d > low_[j] && !raise(j, low_[i] + d)) return false;
  }
  return true;
}

// 1 found, 0 none, -1 stopped.
int Ordering::search() {
  ++control_.nodes;
  control_.look();
  if (control_.stopped()) return -1;
  auto highest = [&](int j) { return problem_.pin[j] >= 0 ? problem_.pin[j] : capacity_ - problem_.size[j]; };
  const Pair* chosen = nullptr;
  int choices = 3;
  i64 overlap = 0;
  for (const Pair& p : pairs_) {
    const i64 up = low_[p.i] + p.up - low_[p.j], down = low_[p.j] + p.down - low_[p.i];
    if (up <= 0 || down <= 0) continue;
    const int can = (low_[p.j] + up <= highest(p.j)) + (low_[p.i] + down <= highest(p.i));
    if (can == 0) return 0;
    const i64 both = std::min(up, down);
    if (can < choices || (can == choices && both > overlap)) chosen = &p, choices = can, overlap = both;
  }
  if (chosen == nullptr) return 1;
  const Pair p = *chosen;
  for (const bool first : {true, false}) {
    const bool up = first == (low_[p.i] + p.up - low_[p.j] <= low_[p.j] + p.down - low_[p.i]);
    const auto [below, above, d] = up ? std::tuple(p.i, p.j, p.up) : std::tuple(p.j, p.i, p.down);
    const std::size_t mark = trail_.size();
    above_[below].push_back({above, d});
    int outcome = 0;
    if (raise(above, low_[below] + d) && settle(mark)) outcome = search();
    if (control_.stopped() && outcome == 0) outcome = -1;
    if (outcome == 1) return 1;
    above_[below].pop_back();
    while (trail_.size() > mark) low_[trail_.back().first] = trail_.back().second, trail_.pop_back();
    if (outcome != 0) return outcome;
  }
  return 0;
}

Status Ordering::decide(i64 capacity) {
  const int n = static_cast<int>(problem_.size.size());
  capacity_ = capacity;
  low_.assign(n, -1);
  trail_.clear();
  for (auto& list : above_) list.clear();
  for (int j = 0; j < n; ++j)
    if (!raise(j, 0)) return Status::kInfeasible;
  trail_.clear();
  const int outcome = search();
  if (outcome < 0) return control_.reason();
  return outcome == 1 ? Status::kSolved : Status::kInfeasible;
}

}  // namespace smtalloc
