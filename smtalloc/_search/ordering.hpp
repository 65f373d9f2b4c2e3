#pragma once
#include <vector>

#include "model.hpp"

namespace smtalloc {

// Exact for every kind of problem, windows included: decides for clashing pairs who is below, and keeps every buffer at
// the lowest offset that these decisions leave. For small problems: it infers little.
class Ordering {
 public:
  Ordering(const Problem& problem, Control& control);
  Status decide(i64 capacity);  // bytes
  const std::vector<i64>& solution() const { return low_; }

 private:
  // i below j needs low[j] >= low[i] + up; j below i needs low[i] >= low[j] + down.
  struct Pair {
    int i, j;
    i64 up, down;
  };
  bool raise(int j, i64 x);
  bool settle(std::size_t from);
  int search();

  const Problem& problem_;
  Control& control_;
  i64 capacity_ = 0;
  std::vector<Pair> pairs_;
  std::vector<std::vector<std::pair<int, i64>>> above_;  // decided: (j, d): low[j] >= low[i] + d
  std::vector<i64> low_;
  std::vector<std::pair<int, i64>> trail_;
};

}  // namespace smtalloc
