// Products of matrices.
#include "compare/cases.hpp"
#include "kernels/sums.hpp"

namespace heddle::bench {
namespace {

Step multiply_step(int n, ArrayIndex a, ArrayIndex b, ArrayIndex c) {
  return {"multiply", blocks_for_plane(n, n), plane_block, {n, a, b, c}};
}

ArraySpec matrix(std::string name, int rows, int columns, unsigned seed, Role role = Role::input) {
  return random_floats(std::move(name), static_cast<std::size_t>(rows) * columns, 0, 1, seed, role);
}

ArraySpec zero_matrix(std::string name, int rows, int columns, Role role = Role::output) {
  return zeros(std::move(name), static_cast<std::size_t>(rows) * columns, role);
}

Case two_mm() {
  constexpr int n = 768;
  Case made;
  const auto a = made.add(matrix("a", n, n, 1)), b = made.add(matrix("b", n, n, 2)), c = made.add(matrix("c", n, n, 3));
  const auto ab = made.add(zero_matrix("ab", n, n)), d = made.add(zero_matrix("d", n, n));
  made.steps = {multiply_step(n, a, b, ab), multiply_step(n, ab, c, d)};
  made.loops = [](const HostArrays& h) { loops::two_mm(n, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4)); };
  return made;
}

Case three_mm() {
  constexpr int n = 640;
  Case made;
  const auto a = made.add(matrix("a", n, n, 1)), b = made.add(matrix("b", n, n, 2));
  const auto c = made.add(matrix("c", n, n, 3)), d = made.add(matrix("d", n, n, 4));
  const auto ab = made.add(zero_matrix("ab", n, n)), cd = made.add(zero_matrix("cd", n, n));
  const auto g = made.add(zero_matrix("g", n, n));
  made.steps = {multiply_step(n, a, b, ab), multiply_step(n, c, d, cd), multiply_step(n, ab, cd, g)};
  made.loops = [](const HostArrays& h) {
    loops::three_mm(n, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4), h.get(5), h.get(6));
  };
  return made;
}

Case gemm() {
  constexpr int n = 1024;
  constexpr float alpha = 1.5f, beta = 0.5f;
  Case made;
  const auto a = made.add(matrix("a", n, n, 1)), b = made.add(matrix("b", n, n, 2));
  const auto c = made.add(matrix("c", n, n, 3, Role::changed));
  made.steps = {{"gemm", blocks_for_plane(n, n), plane_block, {n, n, n, alpha, beta, a, b, c}}};
  made.loops = [](const HostArrays& h) { loops::gemm(n, n, n, alpha, beta, h.get(0), h.get(1), h.get(2)); };
  return made;
}

Case gemm_tiled() {
  constexpr int n = 1024;
  constexpr unsigned tile = 16;
  Case made;
  const auto a = made.add(matrix("a", n, n, 1)), b = made.add(matrix("b", n, n, 2));
  const auto c = made.add(zero_matrix("c", n, n));
  made.steps = {{"gemm_tiled", {n / tile, n / tile}, {tile, tile}, {n, a, b, c}}};
  made.loops = [](const HostArrays& h) { loops::gemm_tiled(n, h.get(0), h.get(1), h.get(2)); };
  return made;
}

Case syrk() {
  constexpr int n = 512, m = 512;
  constexpr float alpha = 1.5f, beta = 0.5f;
  Case made;
  const auto a = made.add(matrix("a", n, m, 1)), c = made.add(matrix("c", n, n, 2, Role::changed));
  made.steps = {{"syrk", blocks_for_plane(n, n), plane_block, {n, m, alpha, beta, a, c}}};
  made.loops = [](const HostArrays& h) { loops::syrk(n, m, alpha, beta, h.get(0), h.get(1)); };
  made.reordered = [](const HostArrays& h) { reordered_loops::syrk(n, m, alpha, beta, h.get(0), h.get(1)); };
  return made;
}

Case syr2k() {
  constexpr int n = 512, m = 512;
  constexpr float alpha = 1.5f, beta = 0.5f;
  Case made;
  const auto a = made.add(matrix("a", n, m, 1)), b = made.add(matrix("b", n, m, 2));
  const auto c = made.add(matrix("c", n, n, 3, Role::changed));
  made.steps = {{"syr2k", blocks_for_plane(n, n), plane_block, {n, m, alpha, beta, a, b, c}}};
  made.loops = [](const HostArrays& h) { loops::syr2k(n, m, alpha, beta, h.get(0), h.get(1), h.get(2)); };
  made.reordered = [](const HostArrays& h) { reordered_loops::syr2k(n, m, alpha, beta, h.get(0), h.get(1), h.get(2)); };
  return made;
}

// Away from singular, so that the order of a sum does not decide the last columns.
ArraySpec regular_matrix(std::string name, int n, unsigned seed, Role role) {
  ArraySpec made = random_floats(std::move(name), static_cast<std::size_t>(n) * n, -1, 1, seed, role);
  auto* numbers = reinterpret_cast<float*>(made.initial.data());
  for (int i = 0; i < n; ++i) numbers[i * n + i] += 40;
  return made;
}

Case gramschmidt() {
  constexpr int n = 512;
  constexpr unsigned threads = 256;
  Case made;
  const auto a = made.add(regular_matrix("a", n, 1, Role::changed));
  const auto r = made.add(zero_matrix("r", n, n)), q = made.add(zero_matrix("q", n, n));
  for (int k = 0; k < n; ++k) {
    made.steps.push_back({"column_length", {1}, {threads}, {n, n, k, a, r}});
    made.steps.push_back({"divide", blocks_for(n, threads), {threads}, {n, n, k, a, r, q}});
    made.steps.push_back({"project", blocks_for(n, threads), {threads}, {n, n, k, a, r, q}});
  }
  made.loops = [](const HostArrays& h) { loops::gramschmidt(n, n, h.get(0), h.get(1), h.get(2)); };
  return made;
}

}  // namespace

std::vector<CaseMaker> matrix_cases() {
  return {{"2mm", two_mm},  {"3mm", three_mm},           {"gemm", gemm}, {"gemm_tiled", gemm_tiled}, {"syrk", syrk},
          {"syr2k", syr2k}, {"gramschmidt", gramschmidt}};
}

}  // namespace heddle::bench
