#include "fit.hpp"

namespace smtalloc {

namespace {
constexpr int kStirred = 2;
}

Fit::Fit(std::vector<int> rooms, std::vector<std::vector<int>> clashes, std::vector<int> start, std::vector<i64> weights,
         int slots, Control& control, std::uint64_t seed)
    : where(rooms.size(), -1), weight(std::move(weights)), rooms_(std::move(rooms)), clashes_(std::move(clashes)), slots_(slots),
      control_(control), random_(seed), cost_(rooms_.size() * slots, 0) {
  for (int j = 0; j < static_cast<int>(rooms_.size()); ++j) {
    if (start[j] >= 0 && cost(j, start[j]) == 0) put(j, start[j]);
    else homeless.push_back(j);
  }
}

void Fit::put(int item, int slot) {
  where[item] = slot;
  for (int other : clashes_[item]) cost(other, slot) += weight[item];
}

void Fit::take(int item) {
  for (int other : clashes_[item]) cost(other, where[item]) -= weight[item];
  where[item] = -1;
}

// The smallest slot with nothing in the way, else one where what is in the way weighs least.
int Fit::choose(int item) {
  for (int s = rooms_[item] - 1; s >= 0; --s)
    if (cost(item, s) == 0) return s;
  int best = 0, ties = 0;
  for (int s = 0; s < rooms_[item]; ++s) {
    if (cost(item, s) < cost(item, best)) best = s, ties = 1;
    else if (cost(item, s) == cost(item, best) && below(++ties) == 0) best = s;
  }
  return best;
}

void Fit::eject(int item, int slot) {
  for (int other : clashes_[item])
    if (where[other] == slot) take(other), homeless.push_back(other);
}

// Move a few items to other slots that can take them.
void Fit::stir() {
  for (int k = 0; k < kStirred; ++k) {
    const int item = below(static_cast<int>(where.size()));
    if (where[item] < 0) continue;
    const int slot = below(rooms_[item]);
    if (slot == where[item] || cost(item, slot) > 0) continue;
    take(item);
    put(item, slot);
  }
}

void Fit::run(i64 rounds) {
  for (i64 round = 0; round < rounds && !homeless.empty() && !control_.stop(); ++round) {
    const int item = homeless.back();
    if (rooms_[item] == 0) return;
    homeless.pop_back();
    const int slot = choose(item);
    if (cost(item, slot) == 0) {
      put(item, slot);
      continue;
    }
    ++weight[item];
    eject(item, slot);
    put(item, slot);
    stir();
  }
}

}  // namespace smtalloc
