// What the caller asks for, put together from first fit, repair and the exact searches.
#include "arena.hpp"

#include <algorithm>
#include <memory>
#include <random>

#include "build.hpp"
#include "exact.hpp"
#include "first_fit.hpp"
#include "ordering.hpp"

namespace smtalloc {

namespace {

constexpr i64 kAims = 4, kAimEffort = 128;  // heights aimed at; nodes per buffer spent on one at a time
constexpr i64 kAimShare = 32;  // of such nodes, per node of effort in a round
constexpr double kMaxConflicts = 4e6;  // beyond this the exact search's tables do not pay

i64 height_of(const Problem& p, const std::vector<i64>& offsets) {
  i64 height = 0;
  for (std::size_t j = 0; j < offsets.size(); ++j) height = std::max(height, offsets[j] + p.size[j]);
  return height;
}

// The exact search that suits the problem, in bytes.
class Search {
 public:
  Search(const Problem& problem, Control& control, std::uint64_t seed) : problem_(problem), control_(control), seed_(seed) {
    if (problem.windowed) {
      ordering_ = std::make_unique<Ordering>(problem, control);
      unit = common_divisor(problem);
    } else {
      model_ = std::make_unique<Model>(build(problem));
      exact_ = std::make_unique<Exact>(*model_, control);
      unit = model_->unit;
      load = model_->load * unit;
    }
  }

  Restarts fresh(double scale) const { return {std::mt19937_64(seed_), scale, 0}; }

  // `effort` in nodes, 0: no limit.
  Status decide(i64 capacity, Restarts& restarts, i64 effort) {
    if (ordering_) {
      const i64 outer = control_.node_limit;
      if (effort > 0) control_.node_limit = outer > 0 ? std::min(outer, control_.nodes + effort) : control_.nodes + effort;
      const Status status = ordering_->decide(capacity);
      control_.node_limit = outer;
      if (status == Status::kLimit) control_.resume();
      if (status == Status::kSolved) offsets = ordering_->solution();
      return status;
    }
    const Status status = exact_->decide(capacity / unit, restarts, effort);
    if (status == Status::kSolved) {
      offsets.assign(problem_.size.size(), 0);
      for (std::size_t j = 0; j < offsets.size(); ++j) offsets[j] = std::max<i64>(problem_.pin[j], 0);
      for (int j = 0; j < model_->n; ++j) offsets[model_->id[j]] = exact_->solution()[j] * unit;
    }
    return status;
  }

  i64 unit = 1, load = 0;
  std::vector<i64> offsets;

 private:
  const Problem& problem_;
  Control& control_;
  std::uint64_t seed_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Exact> exact_;
  std::unique_ptr<Ordering> ordering_;
};

bool small(const Problem& p, const FirstFit& fit) {
  if (p.windowed) return p.pieces.size() < 3000;
  if (p.adjacency) return p.size.size() < 6000 && static_cast<double>(p.conflicts.size()) < kMaxConflicts / 2;
  return fit.conflicts < kMaxConflicts;
}

}  // namespace

Answer first_fit(const Problem& problem, Control& control) {
  Answer answer;
  if (pins_clash(problem)) return {Status::kInfeasible, {}, 0, kInf, 0};
  FirstFit fit(problem, control);
  fit.portfolio();
  answer.bound = fit.load;
  answer.offsets = fit.best;
  answer.height = fit.best.empty() ? 0 : fit.best_height;
  answer.status = control.stopped() ? control.reason() : Status::kSolved;
  return answer;
}

Answer decide(const Problem& problem, i64 capacity, Control& control, std::uint64_t seed) {
  Answer answer;
  if (pins_clash(problem)) return {Status::kInfeasible, {}, 0, kInf, 0};
  FirstFit fit(problem, control);
  answer.bound = fit.load;
  if (fit.load > capacity) {
    answer.status = Status::kInfeasible;
    return answer;
  }
  auto solved = [&](const std::vector<i64>& offsets) {
    answer.status = Status::kSolved;
    answer.offsets = offsets;
    answer.height = height_of(problem, offsets);
    answer.nodes = control.nodes;
    return answer;
  };
  fit.enough = capacity;
  fit.portfolio();
  if (fit.best_height <= capacity) return solved(fit.best);
  if (!control.stopped() && small(problem, fit)) {
    Search search(problem, control, seed);
    Restarts restarts = search.fresh(1.0);
    const Status status = search.decide(capacity, restarts, 0);
    if (status == Status::kSolved) return solved(search.offsets);
    if (status == Status::kInfeasible) answer.bound = (capacity / search.unit + 1) * search.unit;
    answer.status = status;
  } else {
    fit.repair(capacity, seed, 1 << 30);
    if (fit.best_height <= capacity) return solved(fit.best);
    answer.status = control.reason();
  }
  answer.nodes = control.nodes;
  return answer;
}

Answer minimise(const Problem& problem, i64 bound, i64 capacity, Control& control, std::uint64_t seed, const Found& found) {
  Answer answer;
  if (pins_clash(problem)) return {Status::kInfeasible, {}, 0, kInf, 0};
  FirstFit fit(problem, control);
  answer.bound = std::max(bound, fit.load);
  answer.height = kInf;
  auto better = [&](const std::vector<i64>& offsets) {
    const i64 height = height_of(problem, offsets);
    if (height >= answer.height || (capacity >= 0 && height > capacity)) return;
    answer.offsets = offsets;
    answer.height = height;
    if (found) found(answer.offsets, height, answer.bound);
  };
  fit.enough = answer.bound;
  fit.improved = [&] { better(fit.best); };
  fit.portfolio();
  auto done = [&] { return answer.height <= answer.bound || (capacity >= 0 && answer.bound > capacity); };
  if (!done() && !control.stopped()) {
    if (small(problem, fit)) {
      fit.repair(answer.bound, seed, 20 + static_cast<int>(problem.size.size() / 100));
      Search search(problem, control, seed);
      answer.bound = std::max(answer.bound, search.load);
      const i64 unit = search.unit;
      auto round_up = [&](i64 x) { return (x + unit - 1) / unit * unit; };
      answer.bound = round_up(answer.bound);
      auto ask = [&](i64 height, Restarts& restarts, i64 effort) {
        const Status status = search.decide(height, restarts, effort);
        if (status == Status::kSolved) better(search.offsets);
        if (status == Status::kInfeasible) answer.bound = std::max(answer.bound, height + unit);
        return status;
      };
      Restarts at_bound = search.fresh(1.0);
      std::mt19937_64 random(seed);
      double scale = 1.0;
      for (i64 effort = 50 * static_cast<i64>(problem.size.size()); !done() && !control.stopped(); effort *= 2, scale *= 2.0) {
        // At the bound first: a placement there needs no proof. Then at some heights between it and the best: how long the
        // search takes at one says little about the next, so a lower one may well be the quicker.
        if (ask(answer.bound, at_bound, 2 * effort) == Status::kInfeasible) at_bound = search.fresh(1.0);
        auto top = [&] { return capacity >= 0 ? std::min(answer.height, capacity + 1) : answer.height; };
        // From the second round on, aim at a few neighbouring heights from 3 % above the bound (or the best) downwards: the
        // plain orders once, then short disturbed runs. Luck differs by height and seed, so many of each are tried.
        const i64 n = static_cast<i64>(problem.size.size());
        const i64 tries = effort > 50 * n ? effort * kAimShare / kAimEffort / n : 0;
        for (i64 aim = 0; aim < tries && !done() && !control.stopped(); ++aim) {
          const i64 stride = round_up(std::max<i64>(answer.bound / 1024, 1));
          const i64 highest = std::min(answer.bound + answer.bound / 100 * 3, top() - 1) / unit * unit;
          const i64 target = highest - aim % kAims * stride;
          if (target <= answer.bound) continue;
          const bool plain = effort == 100 * n && aim < kAims;
          Restarts restarts = plain ? search.fresh(1.0) : Restarts{std::mt19937_64(random()), 16.0, kPlainOrders};
          ask(target, restarts, (plain ? 200 : kAimEffort) * n);
        }
        constexpr i64 kSteps = 16;
        const i64 from = top(), part = (from - answer.bound) / kSteps;
        const i64 shift = static_cast<i64>(random() % static_cast<std::uint64_t>(part + 1));  // other heights each time
        for (i64 step = 0; step < kSteps && !done() && !control.stopped(); ++step) {
          const i64 target = (from - 1 - (step > 0 ? step * part - shift : 0)) / unit * unit;
          if (target >= top() || target <= answer.bound) continue;
          Restarts restarts = search.fresh(scale);
          ask(target, restarts, effort);
        }
      }
    } else {
      fit.repair(answer.bound, seed, 1 << 30);
    }
  }
  if (answer.height <= answer.bound) answer.status = Status::kSolved;
  else if (capacity >= 0 && answer.bound > capacity) answer.status = Status::kInfeasible;
  else answer.status = control.reason();
  if (answer.offsets.empty()) answer.height = 0;
  answer.nodes = control.nodes;
  return answer;
}

}  // namespace smtalloc
