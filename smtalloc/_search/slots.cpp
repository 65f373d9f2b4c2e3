// From the largest item down, a slot never grows after it was opened, so the plan's cost is decided by which slots have
// to be opened. The rule that matters is which slot loses least by taking an item: how many items not yet placed could
// have gone there and no longer can. (The same search as heuristics.py, which is the fallback.)
#include "slots.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

namespace smtalloc {

Slots::Slots(std::vector<i64> size, std::vector<Word> related, Control& control)
    : size_(std::move(size)), related_(std::move(related)), control_(control), n_(static_cast<int>(size_.size())),
      words_((size_.size() + 63) / 64) {}

i64 Slots::pack(const std::vector<int>& order, Rule rule) {
  slot_.assign(n_, -1);
  slot_size_.clear();
  takes_.clear();
  left_.assign(words_, 0);
  for (int j : order) left_[j / 64] |= Word{1} << (j % 64);
  std::vector<Word> lost(words_);
  for (int j : order) {
    if (control_.stop()) return kInf;
    left_[j / 64] &= ~(Word{1} << (j % 64));
    const Word* mine = row(j);
    for (std::size_t w = 0; w < words_; ++w) lost[w] = left_[w] & ~mine[w];
    int chosen = -1;
    i64 growth = kInf, loss = kInf, width = kInf;
    for (int s = 0; s < static_cast<int>(slot_size_.size()); ++s) {
      const Word* takes = takes_.data() + static_cast<std::size_t>(s) * words_;
      if (!(takes[j / 64] >> (j % 64) & 1)) continue;
      const i64 grows = std::max<i64>(0, size_[j] - slot_size_[s]);
      if (grows > growth) continue;
      const i64 wide = rule == kBestFit ? slot_size_[s] : 0;
      i64 loses = 0;
      if (rule != kFirstFit)
        for (std::size_t w = 0; w < words_; ++w) loses += std::popcount(takes[w] & lost[w]);
      if (chosen < 0 || std::tuple(grows, wide, loses) < std::tuple(growth, width, loss))
        chosen = s, growth = grows, width = wide, loss = loses;
    }
    if (chosen < 0 || growth >= size_[j]) {
      slot_[j] = static_cast<int>(slot_size_.size());
      slot_size_.push_back(size_[j]);
      takes_.insert(takes_.end(), mine, mine + words_);
      continue;
    }
    slot_[j] = chosen;
    slot_size_[chosen] += growth;
    Word* takes = takes_.data() + static_cast<std::size_t>(chosen) * words_;
    for (std::size_t w = 0; w < words_; ++w) takes[w] &= mine[w];
  }
  return std::accumulate(slot_size_.begin(), slot_size_.end(), i64{0});
}

void Slots::search(i64 bound, std::vector<std::vector<int>> orders, i64 rounds, std::uint64_t seed) {
  std::vector<i64> partners(n_, 0);
  for (int j = 0; j < n_; ++j)
    for (std::size_t w = 0; w < words_; ++w) partners[j] += std::popcount(row(j)[w]);
  std::vector<int> by(n_);
  std::iota(by.begin(), by.end(), 0);
  auto sorted = [&](int kind) {  // largest first; ties by index, reversed index, few partners, many partners
    std::vector<int> order = by;
    auto tie = [&](int j) -> i64 { return kind == 0 ? j : kind == 1 ? -j : kind == 2 ? partners[j] : -partners[j]; };
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      return size_[x] != size_[y] ? size_[x] > size_[y] : tie(x) < tie(y);
    });
    return order;
  };
  for (int kind = 0; kind < 4; ++kind) orders.push_back(sorted(kind));
  i64 cost = kInf;
  std::vector<int> current;
  Rule rule = kLeastLoss;
  auto keep = [&](i64 found) {
    if (found >= best_cost) return;
    best_cost = found;
    best = slot_;
    if (improved) improved();
  };
  for (auto& order : orders)
    for (Rule r : {kLeastLoss, kBestFit, kFirstFit}) {
      if (best_cost <= bound || control_.stopped()) return;
      const i64 found = pack(order, r);
      if (found < cost) cost = found, current = order, rule = r;
      keep(found);
    }
  if (n_ < 2) return;
  std::mt19937_64 random(seed);
  auto below = [&](i64 k) { return static_cast<i64>(random() % static_cast<std::uint64_t>(k)); };
  std::vector<int> order;
  std::vector<double> key(n_);
  for (i64 round = 0; round < rounds && best_cost > bound && !control_.stopped(); ++round) {
    order = current;
    switch (below(3)) {
      case 0: {  // swap two neighbours
        const i64 x = below(n_), y = std::clamp<i64>(x + below(17) - 8, 0, n_ - 1);
        std::swap(order[x], order[y]);
        break;
      }
      case 1: {  // move one item
        const i64 x = below(n_), y = below(n_);
        if (x < y) std::rotate(order.begin() + x, order.begin() + x + 1, order.begin() + y + 1);
        else std::rotate(order.begin() + y, order.begin() + x, order.begin() + x + 1);
        break;
      }
      default: {  // shake all a little
        auto real = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
        const double reach = real() * 0.05 * n_;
        for (int q = 0; q < n_; ++q) key[order[q]] = q + real() * reach;
        std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return key[x] < key[y]; });
      }
    }
    const Rule r = below(10) == 0 ? static_cast<Rule>(below(3)) : rule;
    const i64 found = pack(order, r);
    if (found <= cost) cost = found, current = order, rule = r;
    keep(found);
  }
}

}  // namespace smtalloc
