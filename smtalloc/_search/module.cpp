// Python's view of the kernel, for solvers/kernel.py, which checks what it hands over. The GIL is released while it works
// and held in `poll` and `found`; what they raise unwinds the search.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arena.hpp"
#include "fit.hpp"

namespace nb = nanobind;
using namespace smtalloc;

using Poll = std::function<bool()>;
using Released = nb::call_guard<nb::gil_scoped_release>;

static auto row(const Answer& a, const Control& control) {
  return std::tuple(static_cast<int>(a.status), a.offsets, a.bound, control.nodes);
}

NB_MODULE(_search, m) {
  using namespace nb::literals;
  nb::class_<Model>(m, "Model").def(
      nb::init<std::vector<i64>, std::vector<i64>, std::vector<Ranges>, const std::vector<int>&, const std::vector<i64>&,
               const std::vector<i64>&, const Ranges&>(),
      "sizes"_a, "alignments"_a, "blocked"_a, "owner"_a, "lower"_a, "upper"_a, "windows"_a, Released());
  m.def("first_fit", [](const Model& model, Poll poll) {
    Control control{std::move(poll), 0};
    return row(first_fit(model, control), control);
  }, "model"_a, "poll"_a, Released());
  m.def("decide", [](const Model& model, i64 capacity, i64 nodes, std::uint64_t seed, Poll poll) {
    Control control{std::move(poll), nodes};
    return row(decide(model, capacity, control, seed), control);
  }, "model"_a, "capacity"_a, "nodes"_a, "seed"_a, "poll"_a, Released());
  m.def("minimise", [](const Model& model, i64 bound, i64 capacity, i64 nodes, std::uint64_t seed, Poll poll, Found found) {
    Control control{std::move(poll), nodes};
    return row(Minimise(model, bound, capacity, control, seed, std::move(found)).answer, control);
  }, "model"_a, "bound"_a, "capacity"_a, "nodes"_a, "seed"_a, "poll"_a, "found"_a.none(), Released());
  m.def("slot_fit", [](std::vector<int> rooms, std::vector<std::vector<int>> clashes, std::vector<int> where,
                       std::vector<i64> weight, int slots, i64 rounds, std::uint64_t seed, Poll poll) {
    Control control{std::move(poll), 0};
    Fit fit{std::move(rooms), std::move(clashes), std::move(where), std::move(weight), slots, control, std::mt19937_64(seed)};
    fit.run(rounds);
    return std::tuple(fit.where, fit.weight, fit.homeless);
  }, "rooms"_a, "clashes"_a, "where"_a, "weight"_a, "slots"_a, "rounds"_a, "seed"_a, "poll"_a, Released());
}
