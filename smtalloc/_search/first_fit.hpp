#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "model.hpp"

namespace smtalloc {

// A number for each of so many places: the highest of a range is asked, and ranges are raised, in logarithmic time.
class Skyline {
 public:
  explicit Skyline(int m) : m_(m), max_(4 * static_cast<std::size_t>(m), 0), whole_(max_) {}
  void raise(int lo, int hi, i64 top) { raise(lo, hi, top, 1, 0, m_); }
  i64 highest(int lo, int hi) const { return highest(lo, hi, 1, 0, m_); }

 private:
  void raise(int lo, int hi, i64 top, std::size_t node, int left, int right) {
    if (hi <= left || right <= lo) return;
    max_[node] = std::max(max_[node], top);
    if (lo <= left && right <= hi) {
      whole_[node] = std::max(whole_[node], top);
      return;
    }
    const int mid = (left + right) / 2;
    raise(lo, hi, top, 2 * node, left, mid);
    raise(lo, hi, top, 2 * node + 1, mid, right);
  }

  i64 highest(int lo, int hi, std::size_t node, int left, int right) const {
    if (hi <= left || right <= lo) return 0;
    if (lo <= left && right <= hi) return max_[node];
    const int mid = (left + right) / 2;
    return std::max({whole_[node], highest(lo, hi, 2 * node, left, mid), highest(lo, hi, 2 * node + 1, mid, right)});
  }

  int m_;
  std::vector<i64> max_, whole_;  // within the node's range; on all of it
};

// Placed spans by bottom, in chunks: looking for those that are live is a few vector instructions per 16 spans.
struct Chunk {
  static constexpr int kRoom = 256;
  int count = 0;
  std::array<int, kRoom> first, last;
  std::array<i64, kRoom> bottom, top;
  void columns(auto&& change) { change(first), change(last), change(bottom), change(top); }
};

// First fit: in a given order, every buffer at the lowest offset that those placed before leave.
class FirstFit {
 public:
  FirstFit(const Model& model, Control& control)
      : model_(model), control_(control), peak_(model.n, 0), crowd_(model.n, 0), offset_(model.n, 0),
        at_(model.span.size()), place_(at_.size()), by_start_(at_.size()), before_(model.m + 1, 0), skyline_(model.m) {
    const auto& span = model.span;
    std::iota(by_start_.begin(), by_start_.end(), 0);
    std::ranges::stable_sort(by_start_, {}, [&](int r) { return span[r].first; });
    for (int q = 0; q < static_cast<int>(span.size()); ++q) place_[by_start_[q]] = q;
    std::vector<i64> ends(model.m + 1, 0);
    for (const Span& x : span) ++before_[x.first], ++ends[x.last];
    std::exclusive_scan(before_.begin(), before_.end(), before_.begin(), 0);
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    while (leaves_ < static_cast<int>(span.size())) leaves_ *= 2;
    for (int j = 0; j < model.n; ++j)
      for (const Span& x : model.spans(j)) crowd_[j] += before_[x.last] - ends[x.first];
    conflicts = std::accumulate(crowd_.begin(), crowd_.end(), 0.0);
    Skyline load(model.m);
    for (int s = 0; s < model.m; ++s) load.raise(s, s + 1, model.load_at[s]);
    for (int j = 0; j < model.n; ++j)
      for (const Span& x : model.spans(j)) peak_[j] = std::max(peak_[j], load.highest(x.first, x.last));
  }

  // The best over several orders; ends early at a height that is `enough`.
  void portfolio(i64 enough) {
    // Where there is much to do, a quick look first: stacks without holes are often enough, and are something by then.
    const bool large = model_.n > 5000;
    coarse_ = large;
    if (large && (!attempt(1, enough) || !attempt(0, enough))) return;
    coarse_ = large && conflicts > kTooMany;
    for (int kind = 0; kind < 8; ++kind)
      if (!attempt(kind, enough)) break;
  }

  // Squeaky wheel: what ended above `bound` goes earlier the next time.
  void repair(i64 bound, std::uint64_t seed, int rounds) {
    std::mt19937_64 random(seed);
    std::vector<int> order = best_order_;
    std::vector<double> key(model_.n);
    for (int round = 0; round < rounds && best_height > bound && !control_.stopped; ++round) {
      const double far = std::pow(0.5, 1 + static_cast<double>(random() % 4));
      for (int q = 0; q < model_.n; ++q) {
        const int j = order[q];
        key[j] = q * (offset_[j] + model_.size[j] > bound ? far : 1.0);
      }
      std::ranges::stable_sort(order, {}, [&](int j) { return key[j]; });
      const i64 before = best_height;
      run(order);
      if (best_height == before && random() % 4 == 0) order = best_order_;
    }
  }

  i64 best_height = kInf;
  double conflicts;  // about how many pairs are live together, twice
  std::vector<i64> best;
  std::function<void()> improved;

 private:
  static constexpr double kTooMany = 8e9;  // conflicts, beyond which looking for holes takes minutes

  // If stopped before the end, the rest is stacked on top.
  void run(const std::vector<int>& order) {
    if (coarse_) skyline_ = Skyline(model_.m);
    chunks_.assign(1, {});
    placed_ = 0;
    max_end_.assign(2 * static_cast<std::size_t>(leaves_), -1);
    i64 height = 0;
    for (int j : order) {
      offset_[j] = control_.stop() ? model_.allowed(j, height) : lowest(j);
      height = std::max(height, offset_[j] + model_.size[j]);
      for (int r = model_.row[j]; r < model_.row[j + 1] && !control_.stopped; ++r) {
        const Span& x = model_.span[r];
        at_[r] = offset_[j] + x.bottom;
        if (coarse_) skyline_.raise(x.first, x.last, offset_[j] + x.top);
        else insert(r);
      }
    }
    if (height >= best_height) return;
    best_height = height;
    best = offset_;
    best_order_ = order;
    if (improved) improved();
  }

  void insert(int r) {
    const Span& x = model_.span[r];
    for (int node = leaves_ + place_[r]; node > 0 && max_end_[node] < x.last; node /= 2) max_end_[node] = x.last;
    ++placed_;
    auto lowest = [](const Chunk& x) { return x.bottom[0]; };
    auto chunk = std::ranges::upper_bound(chunks_.begin() + 1, chunks_.end(), at_[r], {}, lowest) - 1;
    if (chunk->count == Chunk::kRoom) {
      chunk->count /= 2;
      chunk = chunks_.insert(chunk + 1, *chunk);
      chunk->columns([](auto& column) { std::copy(column.begin() + Chunk::kRoom / 2, column.end(), column.begin()); });
      if (at_[r] < chunk->bottom[0]) --chunk;
    }
    const auto end = chunk->bottom.begin() + chunk->count++;
    const auto q = std::upper_bound(chunk->bottom.begin(), end, at_[r]) - chunk->bottom.begin();
    chunk->columns([&](auto& column) {
      std::copy_backward(column.begin() + q, column.begin() + chunk->count - 1, column.begin() + chunk->count);
    });
    chunk->first[q] = x.first;
    chunk->last[q] = x.last;
    chunk->bottom[q] = at_[r];
    chunk->top[q] = at_[r] + x.top - x.bottom;
  }

  i64 lowest(int j) {
    if (coarse_) {
      i64 floor = 0;
      for (const Span& x : model_.spans(j)) floor = std::max(floor, skyline_.highest(x.first, x.last));
      return model_.allowed(j, floor);
    }
    const bool simple = model_.spans(j).size() == 1 && model_.blocked.empty() && !model_.windowed;
    // Scanning all that is placed costs about as much as sorting a tenth of it.
    if (simple && placed_ < 8 * std::min(crowd_[j], placed_) + 512) return scan(j, model_.spans(j)[0]);
    taken_.clear();
    if (!model_.blocked.empty()) taken_ = model_.blocked[j];
    for (const Span& x : model_.spans(j)) gather(x, 1, 0, leaves_);
    std::ranges::sort(taken_);
    return model_.outside(j, 0, taken_);
  }

  i64 scan(int j, const Span& x) const {
    i64 at = 0;
    alignas(16) std::array<unsigned char, Chunk::kRoom> live;
    for (const Chunk& chunk : chunks_) {
      for (int q = 0; q < chunk.count; ++q) live[q] = (chunk.first[q] < x.last) & (chunk.last[q] > x.first);
      std::memset(live.data() + chunk.count, 0, static_cast<std::size_t>(-chunk.count & 7));
      for (int q = 0; q < chunk.count; q += 8) {
        std::uint64_t word;
        std::memcpy(&word, &live[q], 8);
        for (; word != 0; word &= word - 1) {
          const int r = q + std::countr_zero(word) / 8;
          if (chunk.top[r] <= at) continue;
          if (chunk.bottom[r] >= at + model_.size[j]) return at;
          at = model_.aligned(j, chunk.top[r]);
        }
      }
    }
    return at;
  }

  // All placed spans that are live during `x`, as open intervals of offsets that they block.
  void gather(const Span& x, int node, int left, int right) {
    if (max_end_[node] <= x.first || left >= before_[x.last]) return;
    if (right - left == 1) {
      const int r = by_start_[left];
      taken_.push_back({at_[r] - x.top, at_[r] + model_.span[r].top - model_.span[r].bottom - x.bottom});
      return;
    }
    const int mid = (left + right) / 2;
    gather(x, 2 * node, left, mid);
    gather(x, 2 * node + 1, mid, right);
  }

  bool attempt(int kind, i64 enough) {
    const int peak = static_cast<int>(std::ranges::max_element(model_.load_at) - model_.load_at.begin());
    std::vector<int> order(model_.n);
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::pair<double, double>> keys(model_.n);
    for (int j : order) keys[j] = key(kind, j, peak);
    std::ranges::stable_sort(order, std::greater{}, [&](int j) { return keys[j]; });
    run(order);
    return best_height > std::max(model_.load, enough) && !control_.stopped;
  }

  // Most important first, both descending.
  std::pair<double, double> key(int kind, int j, int peak) const {
    constexpr double kFirst = 1e30;  // ahead of all that is not live at the peak
    const double bytes = static_cast<double>(model_.size[j]), life = static_cast<double>(model_.life[j]);
    const bool at_peak = std::ranges::any_of(model_.spans(j), [&](const Span& x) { return x.first <= peak && peak < x.last; });
    switch (kind) {
      case 0: return {bytes, life};
      // What is live at the heaviest moment is stacked without a hole, the oldest below or the longest-lived, and the rest
      // goes around it by size.
      case 1: return {at_peak ? kFirst : bytes, at_peak ? -static_cast<double>(model_.birth[j]) : life};
      case 2: return {at_peak ? kFirst : bytes, at_peak ? static_cast<double>(model_.death[j]) : life};
      case 3: return {at_peak ? kFirst : bytes, life};
      case 4: return {static_cast<double>(peak_[j]), bytes};
      case 5: return {std::sqrt(life) * bytes, bytes};
      case 6: return {life * bytes, bytes};
      default: return {life, bytes};
    }
  }

  const Model& model_;
  Control& control_;
  std::vector<i64> peak_, crowd_;  // of each buffer: its heaviest section; how many spans are live with it, about
  bool coarse_ = false;  // no looking for holes: everything goes on top of what is there
  std::vector<int> best_order_;
  // state of one run
  std::vector<i64> offset_, at_;  // at_: bottom of each placed span
  std::vector<int> place_, by_start_, before_;  // spans sorted by start; how many start before a section
  std::vector<int> max_end_;  // a tree over the spans by start: the latest end of those placed
  int leaves_ = 1;
  i64 placed_ = 0;
  std::vector<Chunk> chunks_;
  Skyline skyline_;
  Ranges taken_;
};

}  // namespace smtalloc
