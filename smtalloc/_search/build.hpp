#pragma once
#include "model.hpp"

namespace smtalloc {

// Whether the pinned buffers alone contradict the problem.
bool pins_clash(const Problem& problem);

// What divides every size, pin, range and window, and may divide offsets therefore.
i64 common_divisor(const Problem& problem);

// The model of a problem without windows. Quadratic in the number of buffers that are live together.
Model build(const Problem& problem);

}  // namespace smtalloc
