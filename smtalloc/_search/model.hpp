// What the kernel computes on: buffers scaled by their common divisor, conflicts as sections and neighbours.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace smtalloc {

using i64 = std::int64_t;
inline constexpr i64 kInf = std::numeric_limits<i64>::max() / 4;

enum class Status { kSolved, kInfeasible, kLimit, kCancelled };

// A stretch of a buffer's life [lo, hi) during which it occupies the bytes [first, last) of itself.
struct Piece {
  int buffer;
  i64 lo, hi, first, last;
};

// As the caller gives it, in bytes. `pieces` is empty in adjacency mode and `conflicts` (pairs) otherwise.
struct Problem {
  std::vector<i64> size, align;               // align: 1 where there is none
  std::vector<i64> pin;                       // -1: free
  std::vector<std::vector<std::pair<i64, i64>>> forbidden;  // sorted, disjoint; empty vector: none at all
  std::vector<Piece> pieces;
  std::vector<std::pair<int, int>> conflicts;
  bool adjacency = false, windowed = false;  // windowed: some piece is a proper part of its buffer
};

// Compressed rows: the entries of row r are at[row[r]] .. at[row[r + 1]].
struct Rows {
  std::vector<int> row{0}, at;
  const int* begin(int r) const { return at.data() + row[r]; }
  const int* end(int r) const { return at.data() + row[r + 1]; }
  int count(int r) const { return row[r + 1] - row[r]; }
};

// Free buffers of nonzero size only, numbered anew. A section is a clique of conflicting buffers; every conflict lies in
// one. With lives the sections are the maximal cliques in time order; buffer j is in some sections of [first[j], last[j]),
// in all of them if it has no gap (`solid`).
struct Model {
  int n = 0, m = 0;
  i64 unit = 1;                      // bytes per unit; all below is in units
  std::vector<int> id;               // index in the problem
  std::vector<i64> size, align, life;  // life: time from birth to death as given, for orders
  std::vector<int> first, last;
  std::vector<std::vector<std::pair<i64, i64>>> forbidden;  // pinned neighbours included; outer vector empty: none
  Rows sections, members, neighbours;
  bool plain = true;                 // no alignment, no forbidden range
  bool solid = true;
  i64 load = 0;                      // lower bound: heaviest section, pinned buffers, single buffers

  // The lowest allowed offset of buffer j that is not below x.
  i64 allowed(int j, i64 x) const {
    if (plain) return x;
    return allowed_slowly(j, x);
  }
  i64 allowed_slowly(int j, i64 x) const;
};

// Stop signals. `poll` (may be empty) is called in the caller's thread now and then; true means: stop.
class Control {
 public:
  using Clock = std::chrono::steady_clock;
  Control(double seconds, std::function<bool()> poll);
  bool stop();         // cheap; looks at the clock now and then
  bool stopped() const { return stopped_; }
  Status reason() const { return cancelled_ ? Status::kCancelled : Status::kLimit; }
  void look();         // looks at the clock and polls at once
  void resume() {  // after a limit of one phase
    if (!cancelled_) stopped_ = false;
    look();
  }
  i64 nodes = 0, node_limit = 0;  // counted by the searches; limit 0: none

 private:
  Clock::time_point end_, next_poll_;
  std::function<bool()> poll_;
  int skip_ = 0;
  bool stopped_ = false, cancelled_ = false;
};

}  // namespace smtalloc
