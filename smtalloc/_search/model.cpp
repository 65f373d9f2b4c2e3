#include "model.hpp"

#include "build.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace smtalloc {

i64 Model::allowed_slowly(int j, i64 x) const {
  const i64 step = align[j];
  x = (x + step - 1) / step * step;
  if (forbidden.empty()) return x;
  for (auto [lo, hi] : forbidden[j]) {
    if (lo >= x + size[j]) break;
    if (hi > x) x = (hi + step - 1) / step * step;
  }
  return x;
}

Control::Control(double seconds, std::function<bool()> poll) : poll_(std::move(poll)) {
  const auto now = Clock::now();
  seconds = std::clamp(seconds, -1.0, 1e8);
  end_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  next_poll_ = now;
  look();
}

void Control::look() {
  const auto now = Clock::now();
  if (now >= end_) stopped_ = true;
  if (poll_ && now >= next_poll_) {
    next_poll_ = now + std::chrono::milliseconds(30);
    if (poll_()) stopped_ = cancelled_ = true;
  }
  if (node_limit > 0 && nodes >= node_limit) stopped_ = true;
}

bool Control::stop() {
  if (stopped_) return true;
  if (++skip_ < 64) return false;
  skip_ = 0;
  look();
  return stopped_;
}

namespace {

}  // namespace

bool pins_clash(const Problem& p) {
  std::vector<int> pinned;
  for (int j = 0; j < static_cast<int>(p.size.size()); ++j) {
    if (p.pin[j] < 0) continue;
    if (p.pin[j] % p.align[j] != 0) return true;
    if (p.size[j] == 0) continue;
    pinned.push_back(j);
    if (p.forbidden.empty()) continue;
    for (auto [lo, hi] : p.forbidden[j])
      if (lo < p.pin[j] + p.size[j] && p.pin[j] < hi) return true;
  }
  if (pinned.size() < 2) return false;
  auto apart = [&](i64 x_lo, i64 x_hi, i64 y_lo, i64 y_hi) { return x_hi <= y_lo || y_hi <= x_lo || x_lo == x_hi || y_lo == y_hi; };
  for (auto [x, y] : p.conflicts)
    if (p.pin[x] >= 0 && p.pin[y] >= 0 && !apart(p.pin[x], p.pin[x] + p.size[x], p.pin[y], p.pin[y] + p.size[y])) return true;
  std::vector<const Piece*> pieces;
  for (auto& x : p.pieces)
    if (p.pin[x.buffer] >= 0) pieces.push_back(&x);
  for (auto* x : pieces)
    for (auto* y : pieces) {
      const i64 px = p.pin[x->buffer], py = p.pin[y->buffer];
      if (x->buffer < y->buffer && x->lo < y->hi && y->lo < x->hi && !apart(px + x->first, px + x->last, py + y->first, py + y->last))
        return true;
    }
  return false;
}

i64 common_divisor(const Problem& p) {
  i64 unit = 0;
  for (i64 s : p.size) unit = std::gcd(unit, s);
  for (i64 x : p.pin)
    if (x >= 0) unit = std::gcd(unit, x);
  for (auto& ranges : p.forbidden)
    for (auto [lo, hi] : ranges) unit = std::gcd(unit, std::gcd(lo, hi));
  if (p.windowed)
    for (auto& x : p.pieces) unit = std::gcd(unit, std::gcd(x.first, x.last));
  if (unit == 0) unit = 1;
  // An alignment that divides the unit is met by every sum of sizes; otherwise it takes part in the unit.
  bool vacuous = true;
  for (i64 a : p.align) vacuous &= unit % a == 0;
  if (!vacuous)
    for (i64 a : p.align)
      if (a > 1) unit = std::gcd(unit, a);
  return unit;
}

namespace {

// Maximal cliques of the pieces in time order: the last birth before each death.
std::vector<i64> section_times(const std::vector<const Piece*>& pieces) {
  std::vector<std::pair<i64, int>> events;  // deaths (0) before births (1) at the same time
  for (auto* p : pieces) events.push_back({p->lo, 1}), events.push_back({p->hi, 0});
  std::sort(events.begin(), events.end());
  std::vector<i64> times;
  bool born = false;
  i64 last = 0;
  for (auto [t, birth] : events) {
    if (birth) last = t, born = true;
    else if (born) times.push_back(last), born = false;
  }
  return times;
}

Rows rows_of(std::vector<std::vector<int>>& lists) {
  Rows r;
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    r.at.insert(r.at.end(), list.begin(), list.end());
    r.row.push_back(static_cast<int>(r.at.size()));
  }
  return r;
}

// Cliques that cover every conflict: from each uncovered one, grown by heavy common neighbours. Ordered by component,
// then by mean member, so that neighbouring sections have much in common.
std::vector<std::vector<int>> cliques(int n, const std::vector<i64>& size, const std::vector<std::vector<int>>& adjacent) {
  std::vector<std::vector<char>> is(n, std::vector<char>(n, 0)), covered(n, std::vector<char>(n, 0));
  std::vector<int> component(n, -1);
  for (int v = 0; v < n; ++v)
    for (int u : adjacent[v]) is[v][u] = 1;
  for (int v = 0, c = 0; v < n; ++v) {
    if (component[v] >= 0) continue;
    std::vector<int> todo{v};
    component[v] = c;
    while (!todo.empty()) {
      int x = todo.back();
      todo.pop_back();
      for (int u : adjacent[x])
        if (component[u] < 0) component[u] = c, todo.push_back(u);
    }
    ++c;
  }
  std::vector<int> heavy(n);
  std::iota(heavy.begin(), heavy.end(), 0);
  std::stable_sort(heavy.begin(), heavy.end(), [&](int x, int y) { return size[x] > size[y]; });
  std::vector<std::vector<int>> found;
  auto grow = [&](std::vector<int> clique) {
    std::vector<char> in(n, 1);
    for (int v : clique)
      for (int u = 0; u < n; ++u) in[u] &= is[v][u];
    for (int v : heavy)
      if (in[v]) {
        clique.push_back(v);
        for (int u = 0; u < n; ++u) in[u] &= is[v][u];
      }
    for (int v : clique)
      for (int u : clique) covered[v][u] = 1;
    std::sort(clique.begin(), clique.end());
    found.push_back(std::move(clique));
  };
  for (int v : heavy)
    if (adjacent[v].empty()) found.push_back({v});
  for (int v : heavy)
    for (int u : heavy)
      if (is[v][u] && !covered[v][u]) grow({v, u});
  auto mean = [&](const std::vector<int>& c) { return std::accumulate(c.begin(), c.end(), 0.0) / static_cast<double>(c.size()); };
  std::stable_sort(found.begin(), found.end(), [&](auto& x, auto& y) {
    return std::make_pair(component[x[0]], mean(x)) < std::make_pair(component[y[0]], mean(y));
  });
  return found;
}

}  // namespace

Model build(const Problem& p) {
  Model model;
  const int all = static_cast<int>(p.size.size());
  model.unit = common_divisor(p);
  const i64 unit = model.unit;
  std::vector<int> number(all, -1);
  for (int j = 0; j < all; ++j) {
    if (p.pin[j] >= 0) model.load = std::max(model.load, (p.pin[j] + p.size[j]) / unit);
    if (p.size[j] == 0 || p.pin[j] >= 0) continue;
    number[j] = model.n++;
    model.id.push_back(j);
    model.size.push_back(p.size[j] / unit);
    const i64 align = p.align[j] % unit == 0 ? p.align[j] / unit : 1;
    model.align.push_back(align);
    if (align > 1) model.plain = false;
  }
  const int n = model.n;
  std::vector<std::vector<std::pair<i64, i64>>> forbidden(n);
  bool any = false;
  auto forbid = [&](int j, i64 lo, i64 hi) { forbidden[number[j]].push_back({lo / unit, hi / unit}), any = true; };
  if (!p.forbidden.empty())
    for (int j = 0; j < all; ++j)
      if (number[j] >= 0)
        for (auto [lo, hi] : p.forbidden[j]) forbid(j, lo, hi);
  std::vector<std::vector<int>> in(n), of, adjacent(n);
  std::vector<i64> birth(n, kInf), death(n, -kInf);
  if (p.adjacency) {
    for (auto [x, y] : p.conflicts) {
      if (number[x] >= 0 && number[y] >= 0) adjacent[number[x]].push_back(number[y]), adjacent[number[y]].push_back(number[x]);
      for (auto [free, fixed] : {std::pair(x, y), std::pair(y, x)})
        if (number[free] >= 0 && p.pin[fixed] >= 0 && p.size[fixed] > 0) forbid(free, p.pin[fixed], p.pin[fixed] + p.size[fixed]);
    }
    of = cliques(n, model.size, adjacent);
    for (int j = 0; j < n; ++j) birth[j] = 0, death[j] = static_cast<i64>(adjacent[j].size());
  } else {
    std::vector<const Piece*> pieces, pinned;
    for (auto& x : p.pieces) {
      if (number[x.buffer] >= 0) pieces.push_back(&x);
      else if (p.size[x.buffer] > 0) pinned.push_back(&x);
    }
    for (auto* x : pieces)
      for (auto* y : pinned)
        if (x->lo < y->hi && y->lo < x->hi) forbid(x->buffer, p.pin[y->buffer], p.pin[y->buffer] + p.size[y->buffer]);
    const std::vector<i64> times = section_times(pieces);
    of.resize(times.size());
    for (auto* x : pieces) {
      const int j = number[x->buffer];
      birth[j] = std::min(birth[j], x->lo);
      death[j] = std::max(death[j], x->hi);
      for (auto t = std::lower_bound(times.begin(), times.end(), x->lo); t != times.end() && *t < x->hi; ++t)
        of[t - times.begin()].push_back(j);
    }
    for (int j = 0; j < n; ++j)  // never live: a section of its own
      if (death[j] == -kInf) birth[j] = death[j] = 0, of.push_back({j});
  }
  model.m = static_cast<int>(of.size());
  model.members = rows_of(of);
  model.first.assign(n, model.m);
  model.last.assign(n, 0);
  for (int s = 0; s < model.m; ++s) {
    i64 sum = 0;
    for (const int* j = model.members.begin(s); j != model.members.end(s); ++j) {
      in[*j].push_back(s);
      sum += model.size[*j];
      model.first[*j] = std::min(model.first[*j], s);
      model.last[*j] = s + 1;
    }
    model.load = std::max(model.load, sum);
  }
  model.sections = rows_of(in);
  for (int j = 0; j < n; ++j) {
    model.life.push_back(death[j] - birth[j]);
    if (model.last[j] - model.first[j] != model.sections.count(j)) model.solid = false;
  }
  if (!p.adjacency)
    for (int s = 0; s < model.m; ++s) {
      // A pair is listed where it first meets.
      for (const int* x = model.members.begin(s); x != model.members.end(s); ++x) {
        const bool fresh = s == 0 || !std::binary_search(model.members.begin(s - 1), model.members.end(s - 1), *x);
        for (const int* y = model.members.begin(s); y != model.members.end(s); ++y)
          if (*x != *y && (fresh || !std::binary_search(model.members.begin(s - 1), model.members.end(s - 1), *y)))
            adjacent[*x].push_back(*y);
      }
    }
  model.neighbours = rows_of(adjacent);
  if (any) {
    model.plain = false;
    for (auto& ranges : forbidden) std::sort(ranges.begin(), ranges.end());
    model.forbidden = std::move(forbidden);
  }
  for (int j = 0; j < n; ++j) model.load = std::max(model.load, model.allowed(j, 0) + model.size[j]);
  return model;
}

}  // namespace smtalloc
