#pragma once
#include "model.hpp"

namespace smtalloc {

// Do all items fit into slots of given sizes? Guided ejection search (the same as fit.py, which is the fallback and says
// where it is from).
struct Fit {
  std::vector<int> rooms;                 // of each item: how many slots are large enough, which are the first ones
  std::vector<std::vector<int>> clashes;  // those that may not share a slot with it
  std::vector<int> where;                 // slot of each item, -1 for none
  std::vector<i64> weight;
  int slots;
  Control& control;
  std::mt19937_64 random;
  std::vector<int> homeless{};  // items without a slot, the last one is next
  std::vector<i64> costs = std::vector<i64>(rooms.size() * slots, 0);

  // For an item and a slot, the weight of the members that may not share with it.
  i64& cost(int item, int slot) { return costs[static_cast<std::size_t>(item) * slots + slot]; }
  int below(std::size_t k) { return static_cast<int>(random() % k); }

  void put(int item, int slot) {
    where[item] = slot;
    for (int other : clashes[item]) cost(other, slot) += weight[item];
  }

  void take(int item) {
    for (int other : clashes[item]) cost(other, where[item]) -= weight[item];
    where[item] = -1;
  }

  // The smallest slot with nothing in the way, else one where what is in the way weighs least.
  int choose(int item) {
    for (int s = rooms[item] - 1; s >= 0; --s)
      if (cost(item, s) == 0) return s;
    int best = 0, ties = 0;
    for (int s = 0; s < rooms[item]; ++s) {
      if (cost(item, s) < cost(item, best)) best = s, ties = 1;
      else if (cost(item, s) == cost(item, best) && below(++ties) == 0) best = s;
    }
    return best;
  }

  void run(i64 rounds) {
    for (int j = 0; j < static_cast<int>(rooms.size()); ++j) {
      const int slot = std::exchange(where[j], -1);
      if (slot >= 0 && cost(j, slot) == 0) put(j, slot);
      else homeless.push_back(j);
    }
    for (i64 round = 0; round < rounds && !homeless.empty() && rooms[homeless.back()] > 0 && !control.stop(); ++round) {
      const int item = homeless.back(), slot = choose(item);
      homeless.pop_back();
      const bool free = cost(item, slot) == 0;
      if (!free) ++weight[item];
      for (int other : clashes[item])
        if (where[other] == slot) take(other), homeless.push_back(other);
      put(item, slot);
      for (int k = 0; !free && k < 2; ++k) {  // move a few items to other slots that can take them
        const int moved = below(where.size());
        if (where[moved] < 0) continue;
        const int to = below(rooms[moved]);
        if (to != where[moved] && cost(moved, to) == 0) take(moved), put(moved, to);
      }
    }
  }
};

}  // namespace smtalloc
