#pragma once
#include <functional>
#include <vector>

#include "model.hpp"

namespace smtalloc {

struct Answer {
  Status status = Status::kLimit;
  std::vector<i64> offsets;  // bytes; empty: none
  i64 height = 0, bound = 0, nodes = 0;
};

using Found = std::function<void(const std::vector<i64>& offsets, i64 height, i64 bound)>;

Answer decide(const Problem& problem, i64 capacity, Control& control, std::uint64_t seed);
// Least height; `capacity` < 0: none. `bound`: what the caller knows.
Answer minimise(const Problem& problem, i64 bound, i64 capacity, Control& control, std::uint64_t seed, const Found& found);
Answer first_fit(const Problem& problem, Control& control);

}  // namespace smtalloc
