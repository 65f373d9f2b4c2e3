// Python's view of the kernel. Lists of integers in, tuples out; the GIL is released while it works.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>

#include "arena.hpp"
#include "fit.hpp"
#include "slots.hpp"

namespace nb = nanobind;
using namespace smtalloc;

namespace {

constexpr i64 kLargest = i64{1} << 60;

using Ints = std::vector<i64>;
using Ranges = std::vector<std::pair<i64, i64>>;
using GapList = std::vector<std::tuple<int, i64, i64, i64, i64>>;  // buffer, life [lo, hi), window [first, last)

void require(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(what);
}

void check_buffer(i64 j, const Problem& p) { require(j >= 0 && j < static_cast<i64>(p.size.size()), "no such buffer"); }

// Cuts each life at its gaps.
void add_lives(Problem& p, const Ranges& lives, GapList gaps) {
  require(lives.size() == p.size.size(), "one life per buffer");
  std::sort(gaps.begin(), gaps.end());
  std::size_t g = 0;
  for (int j = 0; j < static_cast<int>(lives.size()); ++j) {
    auto [at, end] = lives[j];
    require(at <= end, "a life ends before it begins");
    require(at > -kLargest && end < kLargest, "times must be below 2**60");
    auto piece = [&](i64 lo, i64 hi, i64 first, i64 last) {
      if (lo >= hi) return;
      p.pieces.push_back({j, lo, hi, first, last});
      p.windowed |= first != 0 || last != p.size[j];
    };
    for (; g < gaps.size() && std::get<0>(gaps[g]) == j; ++g) {
      const auto [_, lo, hi, first, last] = gaps[g];
      require(at <= lo && lo < hi && hi <= end, "gaps lie within the life, disjoint and not empty");
      require(0 <= first && first <= last && last <= p.size[j], "a window lies within its buffer");
      piece(at, lo, 0, p.size[j]);
      if (first < last) piece(lo, hi, first, last);
      at = hi;
    }
    piece(at, end, 0, p.size[j]);
  }
  require(g == gaps.size(), "no such buffer");
}

Problem make(Ints size, const std::optional<Ranges>& lives, const GapList& gaps, const std::optional<Ranges>& conflicts,
             Ints align, const Ranges& pins, const std::vector<std::tuple<int, i64, i64>>& forbidden) {
  Problem p;
  p.size = std::move(size);
  const std::size_t n = p.size.size();
  i64 sum = 0;
  for (i64 s : p.size) {
    require(s >= 0, "a size is negative");
    require(s < kLargest - sum, "sizes sum to more than 2**60 bytes");
    sum += s;
  }
  p.align = align.empty() ? Ints(n, 1) : std::move(align);
  require(p.align.size() == n, "one alignment per buffer");
  for (i64 a : p.align) {
    require(a >= 1 && a <= kLargest / (static_cast<i64>(n) + 1), "alignments must be positive, and small enough to add up");
  }
  p.pin.assign(n, -1);
  for (auto [j, x] : pins) {
    check_buffer(j, p);
    require(x >= 0 && x < kLargest, "pinned offsets must be from 0 to 2**60");
    p.pin[j] = x;
  }
  if (!forbidden.empty()) p.forbidden.resize(n);
  for (auto [j, lo, hi] : forbidden) {
    check_buffer(j, p);
    require(0 <= lo && lo <= hi && hi < kLargest, "forbidden ranges must be from 0 to 2**60");
    if (lo < hi) p.forbidden[j].push_back({lo, hi});
  }
  for (auto& ranges : p.forbidden) std::sort(ranges.begin(), ranges.end());
  p.adjacency = conflicts.has_value();
  if (lives) add_lives(p, *lives, gaps);
  if (conflicts) {
    for (auto [x, y] : *conflicts) {
      check_buffer(x, p), check_buffer(y, p);
      require(x != y, "a buffer conflicts with itself");
      p.conflicts.push_back({static_cast<int>(std::min(x, y)), static_cast<int>(std::max(x, y))});
    }
    std::sort(p.conflicts.begin(), p.conflicts.end());
    p.conflicts.erase(std::unique(p.conflicts.begin(), p.conflicts.end()), p.conflicts.end());
  }
  return p;
}

// Runs `work` without the GIL; signals and `cancel` are looked at now and then. An exception raised meanwhile in Python
// (Ctrl-C, or in a callback) stops the work and is raised at its end.
class Session {
 public:
  Session(double seconds, i64 nodes, const nb::object& cancel)
      : cancel_(cancel), control_(seconds, [this] { return poll(); }) {
    control_.node_limit = nodes;
  }
  Control& control() { return control_; }

  template <class F>
  void guarded(F&& call) {
    nb::gil_scoped_acquire gil;
    try {
      call();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
  }
  template <class F>
  auto run(F&& work) {
    auto result = [&] {
      nb::gil_scoped_release free;
      return work();
    }();
    if (error_) std::rethrow_exception(error_);
    return result;
  }

 private:
  bool poll() {
    bool stop = false;
    guarded([&] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!cancel_.is_none()) stop = nb::cast<bool>(cancel_.attr("is_set")());
    });
    return stop || error_ != nullptr;
  }
  nb::object cancel_;
  std::exception_ptr error_;
  Control control_;
};

const char* name(Status s) {
  switch (s) {
    case Status::kSolved: return "solved";
    case Status::kInfeasible: return "infeasible";
    case Status::kLimit: return "limit";
    default: return "cancelled";
  }
}

template <class T>
nb::tuple to_tuple(const std::vector<T>& items) {
  return nb::tuple(nb::cast(items));
}

nb::tuple to_python(const Answer& a) {
  return nb::make_tuple(name(a.status), to_tuple(a.offsets), a.height, std::min(a.bound, kLargest), a.nodes);
}

nb::tuple py_decide(const Problem& p, i64 capacity, double seconds, i64 nodes, std::uint64_t seed, const nb::object& cancel) {
  Session session(seconds, nodes, cancel);
  return to_python(session.run([&] { return decide(p, capacity, session.control(), seed); }));
}

nb::tuple py_minimise(const Problem& p, i64 bound, i64 capacity, double seconds, i64 nodes, std::uint64_t seed,
                      const nb::object& cancel, const nb::object& found) {
  Session session(seconds, nodes, cancel);
  Found tell;
  if (!found.is_none())
    tell = [&](const std::vector<i64>& offsets, i64 height, i64 known) {
      session.guarded([&] { found(to_tuple(offsets), height, known); });
    };
  return to_python(session.run([&] { return minimise(p, bound, capacity, session.control(), seed, tell); }));
}

nb::tuple py_first_fit(const Problem& p, double seconds) {
  Session session(seconds, 0, nb::none());
  return to_python(session.run([&] { return first_fit(p, session.control()); }));
}

// `related`: one bytes object per item, little-endian, 8 * ceil(n / 64) bytes.
nb::tuple py_slots(Ints sizes, const std::vector<nb::bytes>& related, i64 bound, std::vector<std::vector<int>> orders, i64 rounds,
                   double seconds, std::uint64_t seed, const nb::object& cancel, const nb::object& found) {
  const std::size_t n = sizes.size(), words = (n + 63) / 64;
  require(related.size() == n, "one bitset per item");
  std::vector<Slots::Word> bits(n * words);
  for (std::size_t j = 0; j < n; ++j) {
    require(related[j].size() == words * 8, "bitsets have one bit per item");
    std::memcpy(bits.data() + j * words, related[j].c_str(), words * 8);
  }
  for (auto& order : orders) {
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    require(sorted.size() == n, "an order names every item once");
    for (std::size_t j = 0; j < n; ++j) require(sorted[j] == static_cast<int>(j), "an order names every item once");
  }
  Session session(seconds, 0, cancel);
  Slots slots(std::move(sizes), std::move(bits), session.control());
  if (!found.is_none())
    slots.improved = [&] { session.guarded([&] { found(to_tuple(slots.best), slots.best_cost); }); };
  session.run([&] {
    slots.search(bound, std::move(orders), rounds, seed);
    return 0;
  });
  return nb::make_tuple(to_tuple(slots.best), slots.best_cost);
}

nb::tuple py_fit(std::vector<int> rooms, std::vector<std::vector<int>> clashes, std::vector<int> where, Ints weight, int slots,
                 i64 rounds, double seconds, std::uint64_t seed, const nb::object& cancel) {
  const int n = static_cast<int>(rooms.size());
  require(clashes.size() == rooms.size() && where.size() == rooms.size() && weight.size() == rooms.size() && slots >= 0,
          "one entry per item");
  for (int j = 0; j < n; ++j) {
    require(0 <= rooms[j] && rooms[j] <= slots && -1 <= where[j] && where[j] < rooms[j], "no such slot");
    require(weight[j] > 0, "weights are positive");
    for (int other : clashes[j]) require(0 <= other && other < n && other != j, "no such item");
  }
  Session session(seconds, 0, cancel);
  Fit fit(std::move(rooms), std::move(clashes), std::move(where), std::move(weight), slots, session.control(), seed);
  session.run([&] {
    fit.run(rounds);
    return 0;
  });
  return nb::make_tuple(to_tuple(fit.where), to_tuple(fit.weight), to_tuple(fit.homeless));
}

}  // namespace

NB_MODULE(_search, m) {
  using namespace nb::literals;
  nb::class_<Problem>(m, "Instance");
  m.def("instance", &make, "sizes"_a, "lives"_a.none(), "gaps"_a, "conflicts"_a.none(), "alignments"_a, "pins"_a, "forbidden"_a);
  m.def("decide", &py_decide, "instance"_a, "capacity"_a, "seconds"_a, "nodes"_a, "seed"_a, "cancel"_a.none());
  m.def("minimise", &py_minimise, "instance"_a, "lower_bound"_a, "capacity"_a, "seconds"_a, "nodes"_a, "seed"_a, "cancel"_a.none(),
        "found"_a.none());
  m.def("first_fit", &py_first_fit, "instance"_a, "seconds"_a);
  m.def("slot_search", &py_slots, "sizes"_a, "related"_a, "bound"_a, "orders"_a, "rounds"_a, "seconds"_a, "seed"_a,
        "cancel"_a.none(), "found"_a.none());
  m.def("slot_fit", &py_fit, "rooms"_a, "clashes"_a, "where"_a, "weight"_a, "slots"_a, "rounds"_a, "seconds"_a, "seed"_a,
        "cancel"_a.none());
}
