#pragma once
#include <functional>
#include <vector>

#include "model.hpp"

namespace smtalloc {

// Slot plans: best fit from the largest item down over several orders, then local search on the best order.
class Slots {
 public:
  using Word = std::uint64_t;
  // `related`: for each item the items that it may share with, as bits, `words` per item.
  Slots(std::vector<i64> size, std::vector<Word> related, Control& control);
  void search(i64 bound, std::vector<std::vector<int>> orders, i64 rounds, std::uint64_t seed);

  i64 best_cost = kInf;
  std::vector<int> best;  // slot of each item
  std::function<void()> improved;

 private:
  enum Rule { kLeastLoss, kBestFit, kFirstFit };
  i64 pack(const std::vector<int>& order, Rule rule);
  const Word* row(int j) const { return related_.data() + static_cast<std::size_t>(j) * words_; }

  std::vector<i64> size_;
  std::vector<Word> related_;
  Control& control_;
  int n_;
  std::size_t words_;
  std::vector<Word> left_, takes_;  // not yet placed; per slot: what may join all its members
  std::vector<i64> slot_size_;
  std::vector<int> slot_;
};

}  // namespace smtalloc
