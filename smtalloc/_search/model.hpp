// What the kernel computes on. Python (solvers/kernel_model.py) checks the input and leaves what is free to move: buffers
// of some bytes in units of their common divisor, pins as blocked offsets of those that they meet, a conflict graph as
// cliques that cover it.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace smtalloc {

using i64 = std::int64_t;
using Ranges = std::vector<std::pair<i64, i64>>;
inline constexpr i64 kInf = std::numeric_limits<i64>::max() / 4;

enum class Status { kSolved, kInfeasible, kLimit };

// A stretch of a buffer's life, in sections, during which it occupies the bytes [bottom, top) of itself.
struct Span {
  int first, last;
  i64 bottom, top;
};

// A section is a maximal clique in time, named by the last birth before a death, in time order. Buffers are live together
// iff they have a section in common, so sections stand for time everywhere.
struct Model {
  int n, m = 0;
  std::vector<i64> size, align;  // align is empty if there is none
  std::vector<Ranges> blocked;   // open intervals of offsets by lower end; empty if there are none
  std::vector<int> row;          // the spans of buffer j are at row[j] .. row[j + 1]
  std::vector<Span> span;
  std::vector<i64> birth, death, life;
  std::vector<i64> load_at;      // of each section
  i64 load = 0;                  // lower bound of the height
  bool windowed = false;

  // One entry of the last five per piece, ordered by `owner`; every buffer has one, and none is empty.
  Model(std::vector<i64> sizes, std::vector<i64> aligns, std::vector<Ranges> ranges, const std::vector<int>& owner,
        const std::vector<i64>& lower, const std::vector<i64>& upper, const Ranges& windows)
      : n(static_cast<int>(sizes.size())), size(std::move(sizes)), align(std::move(aligns)), blocked(std::move(ranges)),
        row(n + 1, 0), birth(n, kInf), death(n, -kInf), life(n, 0), windowed(!windows.empty()) {
    std::vector<i64> births = lower, times;
    auto tidy = [](std::vector<i64>& list) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    auto index = [](const std::vector<i64>& list, i64 t) {
      return static_cast<int>(std::ranges::lower_bound(list, t) - list.begin());
    };
    tidy(births);
    for (i64 end : upper) times.push_back(births[index(births, end) - 1]);
    tidy(times);
    m = static_cast<int>(times.size());
    load_at.assign(m + 1, 0);
    for (std::size_t q = 0; q < owner.size(); ++q) {
      const int j = owner[q];
      const auto [bottom, top] = windowed ? windows[q] : std::pair(i64{0}, size[j]);
      const Span& x = span.emplace_back(Span{index(times, lower[q]), index(times, upper[q]), bottom, top});
      row[j + 1] = static_cast<int>(q) + 1;
      birth[j] = std::min(birth[j], lower[q]);
      death[j] = std::max(death[j], upper[q]);
      life[j] += upper[q] - lower[q];
      load_at[x.first] += top - bottom;
      load_at[x.last] -= top - bottom;
    }
    std::partial_sum(load_at.begin(), load_at.end(), load_at.begin());
    load = std::ranges::max(load_at);
    for (int j = 0; j < n; ++j) load = std::max(load, allowed(j, 0) + size[j]);
  }

  std::span<const Span> spans(int j) const { return {span.data() + row[j], span.data() + row[j + 1]}; }

  i64 aligned(int j, i64 x) const { return align.empty() ? x : (x + align[j] - 1) / align[j] * align[j]; }

  // The lowest offset of buffer j that is not below x and in none of these open intervals, which are sorted.
  i64 outside(int j, i64 x, const Ranges& ranges) const {
    for (auto [lo, hi] : ranges) {
      if (lo >= x) break;
      if (hi > x) x = aligned(j, hi);
    }
    return x;
  }

  // The lowest allowed offset of buffer j that is not below x.
  i64 allowed(int j, i64 x) const { return blocked.empty() ? aligned(j, x) : outside(j, aligned(j, x), blocked[j]); }
};

// When to stop: `poll` is called in the caller's thread now and then.
struct Control {
  std::function<bool()> poll;
  i64 node_limit;  // 0: none
  i64 nodes = 0;   // counted by the searches
  bool stopped = poll();

  bool stop() {
    if (stopped || ++skip % 64 != 0) return stopped;
    if (std::chrono::steady_clock::now() >= next) {
      stopped = poll();
      next = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    }
    return stopped |= node_limit > 0 && nodes >= node_limit;
  }

  int skip = 0;
  std::chrono::steady_clock::time_point next{};
};

}  // namespace smtalloc
