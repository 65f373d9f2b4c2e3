#pragma once
#include <vector>

#include "model.hpp"

namespace smtalloc {

// Keys of a search order, most important first: W life, A life times size, T heaviest section, S size.
struct Order {
  const char* keys;
  bool compressed;  // life counted in sections instead of time
  bool biased = false;  // blamed buffers first
};

class Exact {
 public:
  Exact(const Model& model, Control& control);
  // Exhaustive unless `limit` nodes or the control come first (kLimit). Offsets in units in `solution()`.
  Status run(i64 capacity, const Order& order, i64 limit, std::uint64_t seed);
  const std::vector<i64>& solution() const { return solution_; }
  // Restarts over the portfolio with growing limits.
  Status decide(i64 capacity, std::uint64_t seed, i64 budget_nodes);

 private:
  enum Outcome { kNo, kYes, kGiveUp };
  struct Span {
    int lo, hi;
    i64 slack;
  };
  Outcome part(int lo, int hi, const int* list, int count, i64 least, int least_rank, bool fresh);
  Outcome children(int j, int lo, int hi, const int* list, int count, i64 offset);
  int place(int j, i64 offset, int lo, int hi);
  bool raise(int j, i64 top, int lo, int hi, int& bad);
  void undo(int j, std::size_t mark_mo, std::size_t mark_floor);
  void rank(const int* list, int count);
  void blame(int section);

  const Model& model_;
  Control& control_;
  i64 capacity_ = 0, left_ = 0;
  Order order_{};
  std::vector<i64> low_, floor_, room_, solution_;
  std::vector<int> unplaced_, cuts_, rank_;
  std::vector<char> placed_;
  std::vector<double> blame_, bias_, width_[2];
  std::vector<std::pair<int, i64>> trail_low_, trail_floor_;
  std::vector<int> pool_;  // stack of candidate lists
  std::vector<int> twin_;  // previous identical buffer, or -1
  std::vector<int> stamp_;
  int now_ = 0;
  i64 stat_[4] = {0, 0, 0, 0};
};

}  // namespace smtalloc
