// What the caller asks for, put together from first fit, repair and the exact search.
#pragma once
#include "exact.hpp"
#include "first_fit.hpp"

namespace smtalloc {

struct Answer {
  Status status = Status::kLimit;
  std::vector<i64> offsets;  // empty: none
  i64 bound = 0;
};

using Found = std::function<void(const std::vector<i64>& offsets, i64 bound)>;

constexpr int kForever = 1 << 30, kWindowed = 10'000;  // rounds of repair

// Beyond this the exact search's tables do not pay; and it does not know windows.
inline bool searchable(const Model& model, const FirstFit& fit) { return !model.windowed && fit.conflicts < 4e6; }

inline Answer first_fit(const Model& model, Control& control) {
  FirstFit fit(model, control);
  fit.portfolio(0);
  return {control.stopped ? Status::kLimit : Status::kSolved, fit.best, model.load};
}

inline Answer decide(const Model& model, i64 capacity, Control& control, std::uint64_t seed) {
  if (model.load > capacity) return {Status::kInfeasible, {}, model.load};
  FirstFit fit(model, control);
  fit.portfolio(capacity);
  if (fit.best_height > capacity && searchable(model, fit)) {
    Exact exact(model, control);
    Restarts restarts{std::mt19937_64(seed)};
    const Status status = exact.decide(capacity, restarts, 0);
    if (status == Status::kSolved) return {status, exact.solution, model.load};
    return {status, {}, status == Status::kInfeasible ? capacity + 1 : model.load};
  }
  fit.repair(capacity, seed, model.windowed ? kWindowed : kForever);
  if (fit.best_height > capacity) return {Status::kLimit, {}, model.load};
  return {Status::kSolved, fit.best, model.load};
}

// Least height that is not over the capacity. `bound`: what the caller knows.
class Minimise {
 public:
  Minimise(const Model& model, i64 bound, i64 capacity, Control& control, std::uint64_t seed, Found found)
      : model_(model), control_(control), seed_(seed), capacity_(capacity), found_(std::move(found)) {
    answer.bound = std::max(bound, model.load);
    FirstFit fit(model, control);
    fit.improved = [&] { better(fit.best); };
    fit.portfolio(answer.bound);
    const bool exact = searchable(model, fit);
    if (!done()) fit.repair(answer.bound, seed, exact ? 20 + model.n / 100 : model.windowed ? kWindowed : kForever);
    if (!done() && exact) search();
    if (height_ <= answer.bound) answer.status = Status::kSolved;
    else if (answer.bound > capacity_) answer.status = Status::kInfeasible;
  }

  Answer answer;

 private:
  void better(const std::vector<i64>& offsets) {
    i64 height = 0;
    for (int j = 0; j < model_.n; ++j) height = std::max(height, offsets[j] + model_.size[j]);
    if (height >= top()) return;
    answer.offsets = offsets;
    height_ = height;
    if (found_) found_(offsets, answer.bound);
  }

  i64 top() const { return std::min(height_, capacity_ + 1); }  // what is looked for is below
  bool done() const { return top() <= answer.bound || control_.stopped; }

  void search() {
    Exact exact(model_, control_);
    auto ask = [&](i64 height, Restarts&& restarts, i64 effort) {
      const Status status = exact.decide(height, restarts, effort);
      if (status == Status::kSolved) better(exact.solution);
      if (status == Status::kInfeasible) answer.bound = std::max(answer.bound, height + 1);
      return status;
    };
    auto fresh = [&](double scale) { return Restarts{std::mt19937_64(seed_), scale}; };
    const i64 n = model_.n;
    Restarts at_bound = fresh(1.0);
    std::mt19937_64 random(seed_);
    for (i64 round = 1; !done(); round *= 2) {
      // At the bound first: a placement there needs no proof.
      if (ask(answer.bound, std::move(at_bound), 100 * n * round) == Status::kInfeasible) at_bound = fresh(1.0);
      // From the second round on, aim at a few neighbouring heights from 3 % above the bound (or the best) downwards: the
      // plain orders once, then short disturbed runs. Luck differs by height and seed, so many of each are tried.
      for (i64 aim = 0; aim < (round > 1 ? 25 * round / 2 : 0) && !done(); ++aim) {
        const i64 highest = std::min(answer.bound + answer.bound / 100 * 3, top() - 1);
        const i64 target = highest - aim % 4 * std::max<i64>(answer.bound / 1024, 1);
        if (target <= answer.bound) continue;
        if (round == 2 && aim < 4) ask(target, fresh(1.0), 200 * n);
        else ask(target, Restarts{std::mt19937_64(random()), 16.0, kOrders.size()}, 128 * n);
      }
      // Just below the best last, which ends in a proof if there is nothing.
      if (!done() && top() - 1 > answer.bound) ask(top() - 1, fresh(static_cast<double>(round)), 50 * n * round);
    }
  }

  const Model& model_;
  Control& control_;
  std::uint64_t seed_;
  i64 capacity_, height_ = kInf;
  Found found_;
};

}  // namespace smtalloc
