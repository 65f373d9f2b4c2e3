#pragma once
#include <random>
#include <vector>

#include "model.hpp"

namespace smtalloc {

// Keys of a search order, most important first: W life, A life times size, T heaviest section, S size.
struct Order {
  const char* keys;
  bool compressed;  // life counted in sections instead of time
  bool biased = false;  // disturbed at random, and what runs blame goes first
  bool jumps = true;    // back over choices that seem to have no part in a failure
};

inline constexpr int kPlainOrders = 6;  // turns before the disturbed ones

// Where a series of restarts stands.
struct Restarts {
  std::mt19937_64 random;
  double scale = 1.0;
  int turn = 0;
};

class Exact {
 public:
  Exact(const Model& model, Control& control);
  // Exhaustive unless `limit` nodes or the control come first (kLimit). Offsets in units in `solution()`.
  Status run(i64 capacity, const Order& order, i64 limit, std::uint64_t seed);
  const std::vector<i64>& solution() const { return solution_; }
  // Restarts over a portfolio of orders with growing limits, for about `effort` nodes (0: no limit); goes on from `restarts`.
  Status decide(i64 capacity, Restarts& restarts, i64 effort);

 private:
  using Bits = std::vector<std::uint64_t>;
  enum Outcome { kNo, kYes, kGiveUp };
  struct Span {
    int lo, hi;
    i64 slack;
  };
  struct Raise {
    int buffer;
    i64 base, low;  // before
  };
  Outcome part(int lo, int hi, std::size_t from, int count, i64 least, int least_rank, bool fresh);
  Outcome children(int j, int lo, int hi, std::size_t base, int count, i64 offset);
  int place(int j, i64 offset, int lo, int hi, const int* list, int count);
  bool overflows(int s, i64 edge);
  void lift(int lo, int hi, const int* list, int count, i64 offset);
  void undo(int j, std::size_t mark);
  void rank(const int* list, int count);
  void blame(int section);

  const Model& model_;
  Control& control_;
  int now_ = 0;
  i64 capacity_ = 0, left_ = 0;
  Order order_{};
  std::vector<i64> base_, low_, room_, sum_, solution_;
  std::vector<int> unplaced_, cuts_, rank_, stamp_;
  std::vector<char> placed_;
  std::vector<double> blame_, bias_, width_[2];
  std::vector<Raise> trail_;
  Bits why_;  // the sections that made the last part fail
  bool jumped_ = false;
  std::vector<int> pool_;  // stack of candidate lists
  std::vector<int> twin_;  // previous identical buffer, or -1
};

}  // namespace smtalloc
