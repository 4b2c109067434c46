// Products of a matrix and a vector.
#include <random>

#include "compare/cases.hpp"
#include "kernels/sums.hpp"

namespace heddle::bench {
namespace {

constexpr int n = 4096;  // 64 MiB a matrix
constexpr unsigned threads = 256;

ArraySpec matrix(std::string name, unsigned seed) {
  return random_floats(std::move(name), static_cast<std::size_t>(n) * n, 0, 1, seed);
}
ArraySpec vector(std::string name, unsigned seed, Role role = Role::input) {
  return random_floats(std::move(name), n, 0, 1, seed, role);
}

Case atax() {
  Case made;
  const auto a = made.add(matrix("a", 1)), x = made.add(vector("x", 2));
  const auto product = made.add(zeros("product", n, Role::scratch)), y = made.add(zeros("y", n, Role::output));
  made.steps = {{"atax_rows", blocks_for(n, threads), {threads}, {n, n, a, x, product}},
                {"atax_columns", blocks_for(n, threads), {threads}, {n, n, a, product, y}}};
  made.loops = [](const HostArrays& h) { loops::atax(n, n, h.get(0), h.get(1), h.get(3)); };
  made.reordered = [](const HostArrays& h) { reordered_loops::atax(n, n, h.get(0), h.get(1), h.get(3)); };
  return made;
}

Case bicg() {
  Case made;
  const auto a = made.add(matrix("a", 1)), r = made.add(vector("r", 2)), p = made.add(vector("p", 3));
  const auto s = made.add(zeros("s", n, Role::output)), q = made.add(zeros("q", n, Role::output));
  made.steps = {{"bicg_columns", blocks_for(n, threads), {threads}, {n, n, a, r, s}},
                {"bicg_rows", blocks_for(n, threads), {threads}, {n, n, a, p, q}}};
  made.loops = [](const HostArrays& h) { loops::bicg(n, n, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4)); };
  made.reordered = [](const HostArrays& h) {
    reordered_loops::bicg(n, n, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4));
  };
  return made;
}

Case mvt() {
  Case made;
  const auto a = made.add(matrix("a", 1)), y1 = made.add(vector("y1", 2)), y2 = made.add(vector("y2", 3));
  const auto x1 = made.add(vector("x1", 4, Role::changed)), x2 = made.add(vector("x2", 5, Role::changed));
  made.steps = {{"mvt_rows", blocks_for(n, threads), {threads}, {n, a, y1, x1}},
                {"mvt_columns", blocks_for(n, threads), {threads}, {n, a, y2, x2}}};
  made.loops = [](const HostArrays& h) { loops::mvt(n, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4)); };
  made.reordered = [](const HostArrays& h) {
    reordered_loops::mvt(n, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4));
  };
  return made;
}

Case gesummv() {
  constexpr float alpha = 1.5f, beta = 0.5f;
  Case made;
  const auto a = made.add(matrix("a", 1)), b = made.add(matrix("b", 2)), x = made.add(vector("x", 3));
  const auto product = made.add(zeros("product", n, Role::scratch)), y = made.add(zeros("y", n, Role::output));
  made.steps = {{"gesummv", blocks_for(n, threads), {threads}, {n, alpha, beta, a, b, x, product, y}}};
  made.loops = [](const HostArrays& h) { loops::gesummv(n, alpha, beta, h.get(0), h.get(1), h.get(2), h.get(4)); };
  made.reordered = [](const HostArrays& h) {
    reordered_loops::gesummv(n, alpha, beta, h.get(0), h.get(1), h.get(2), h.get(4));
  };
  return made;
}

// Rows of 1 to 39 values near the diagonal.
Case spmv() {
  constexpr int rows = 400'000, longest = 39, reach = 20'000;
  std::minstd_rand engine(7);
  std::vector<int> offsets(1, 0), columns;
  for (int row = 0; row < rows; ++row) {
    const int count = 1 + static_cast<int>(engine() % longest);
    for (int i = 0; i < count; ++i) {
      const int column = row - reach + static_cast<int>(engine() % (2 * reach));
      columns.push_back(std::min(std::max(column, 0), rows - 1));
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  Case made;
  const auto starts = made.add(values<int>("offsets", Element::i32, offsets));
  const auto where = made.add(values<int>("columns", Element::i32, columns));
  const auto entries = made.add(random_floats("values", columns.size(), -1, 1, 1));
  const auto x = made.add(random_floats("x", rows, -1, 1, 2)), y = made.add(zeros("y", rows, Role::output));
  made.steps = {{"spmv", blocks_for(rows, threads), {threads}, {rows, starts, where, entries, x, y}}};
  made.loops = [](const HostArrays& h) {
    loops::spmv(rows, h.get<int>(0), h.get<int>(1), h.get(2), h.get(3), h.get(4));
  };
  return made;
}

}  // namespace

std::vector<CaseMaker> vector_cases() {
  return {{"atax", atax}, {"bicg", bicg}, {"mvt", mvt}, {"gesummv", gesummv}, {"spmv", spmv}};
}

}  // namespace heddle::bench
