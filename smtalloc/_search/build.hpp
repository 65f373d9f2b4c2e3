#pragma once
#include "model.hpp"

namespace smtalloc {

// The model of a problem without windows. Quadratic in the number of buffers that are live together.
Model build(const Problem& problem);

}  // namespace smtalloc
