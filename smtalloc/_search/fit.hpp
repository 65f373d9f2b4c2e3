#pragma once
#include <random>
#include <vector>

#include "model.hpp"

namespace smtalloc {

// Do all items fit into slots of given sizes? Guided ejection search (the same as fit.py, which is the fallback and says
// where it is from).
class Fit {
 public:
  // `rooms`: for each item how many slots are large enough, which are the first ones; `clashes`: for each item those that
  // may not share a slot with it; `where`: slot of each item to start from, -1 for none; `weight`: of each item.
  Fit(std::vector<int> rooms, std::vector<std::vector<int>> clashes, std::vector<int> where, std::vector<i64> weight, int slots,
      Control& control, std::uint64_t seed);
  void run(i64 rounds);

  std::vector<int> where;
  std::vector<i64> weight;
  std::vector<int> homeless;  // items without a slot, the last one is next

 private:
  i64& cost(int item, int slot) { return cost_[static_cast<std::size_t>(item) * slots_ + slot]; }
  int below(int k) { return static_cast<int>(random_() % static_cast<std::uint64_t>(k)); }
  void put(int item, int slot);
  void take(int item);
  int choose(int item);
  void eject(int item, int slot);
  void stir();

  std::vector<int> rooms_;
  std::vector<std::vector<int>> clashes_;
  int slots_;
  Control& control_;
  std::mt19937_64 random_;
  std::vector<i64> cost_;  // for each item and slot, the weight of the members that may not share with it
};

}  // namespace smtalloc
