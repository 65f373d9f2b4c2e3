#pragma once
#include <functional>
#include <vector>

#include "model.hpp"

namespace smtalloc {

// Placed stretches, sorted by bottom, in chunks: scanning one is a few vector instructions per 16 stretches.
struct Chunk {
  static constexpr int kRoom = 256;
  int count = 0;
  i64 max_top = 0;
  int lo[kRoom], hi[kRoom];  // life, in ranks of time
  i64 bottom[kRoom], top[kRoom];
};

// Highest top over time: ranges are raised and asked in logarithmic time.
class Skyline {
 public:
  explicit Skyline(int m) : m_(m), max_(4 * static_cast<std::size_t>(m), 0), whole_(max_) {}
  void raise(int lo, int hi, i64 top) { raise(lo, hi, top, 1, 0, m_); }
  i64 highest(int lo, int hi) const { return highest(lo, hi, 1, 0, m_); }

 private:
  void raise(int lo, int hi, i64 top, std::size_t node, int left, int right);
  i64 highest(int lo, int hi, std::size_t node, int left, int right) const;
  int m_;
  std::vector<i64> max_, whole_;  // within the node's range; on all of it
};

// First fit: in a given order, every buffer at the lowest offset that those placed before leave. In bytes.
class FirstFit {
 public:
  FirstFit(const Problem& problem, Control& control);
  // False if stopped before the end (the rest is stacked on top then). Height and offsets as below.
  bool run(const std::vector<int>& order);
  // The best over several orders.
  bool portfolio();
  // Squeaky wheel: what ended above `bound` goes earlier the next time.
  bool repair(i64 bound, std::uint64_t seed, int rounds);

  i64 height = 0, best_height = kInf;
  i64 enough = 0;  // the portfolio stops at this height
  double conflicts = 0;  // about how many pairs are live together, twice
  i64 load = 0;  // lower bound: heaviest moment, pins
  std::vector<i64> offset, best;
  std::function<void()> improved;

 private:
  struct Span {
    int lo, hi;
    i64 first, last;
  };
  i64 lowest(int j);
  i64 on_top(int j, i64 floor) const;
  i64 scan(int j, const Span& span);
  i64 sweep(int j);
  void gather(const Span& span, int node, int left, int right);
  void put(int j, i64 offset);
  std::pair<double, double> key(int kind, int j) const;
  bool attempt(int kind);  // whether to go on
  void keep(const std::vector<int>& order);

  const Problem& problem_;
  Control& control_;
  int n_, leaves_ = 1, times_ = 1;
  bool coarse_ = false;  // no looking for holes: everything goes on top of what is there
  std::vector<int> row_;             // spans of buffer j: row_[j] .. row_[j + 1]
  std::vector<Span> spans_;
  std::vector<std::vector<int>> adjacent_;
  std::vector<int> place_, by_start_, limit_;  // spans sorted by start; limit_[t]: how many start before rank t
  std::vector<double> life_, peak_, crowd_, birth_, death_;  // birth and death in ranks of time
  double peak_time_ = 0;
  std::vector<int> best_order_;
  // state of one run
  Skyline skyline_{1};
  std::vector<Chunk> chunks_;
  std::vector<int> max_end_;
  std::vector<i64> at_;              // bottom of each placed span
  std::vector<std::pair<i64, i64>> blocked_;
  int placed_ = 0;
};

}  // namespace smtalloc
