#include "workloads.hpp"

#include <array>
#include <string>
#include <vector>

namespace heddle::bench::sim_policies {
namespace {

constexpr Workload of_divergent(std::string_view kernel) { return {kernel, "divergent", true}; }
constexpr Workload of_irregular(std::string_view kernel) { return {kernel, "irregular", true}; }
constexpr Workload of_regular(std::string_view kernel) { return {kernel, "regular"}; }

constexpr Workload divergent_list[] = {of_divergent("black_scholes"),
                                       of_divergent("bitonic"),
                                       of_divergent("lu"),
                                       of_divergent("hmm"),
                                       of_divergent("lbm"),
                                       of_divergent("mandelbrot"),
                                       of_divergent("bfs"),
                                       of_divergent("n_queens"),
                                       of_divergent("ray"),
                                       of_divergent("mummer"),
                                       of_divergent("libor"),
                                       of_divergent("eigenvalues"),
                                       of_divergent("regex"),
                                       of_divergent("table_maker"),
                                       of_irregular("moe_routing"),
                                       of_irregular("sparse_attention"),
                                       of_irregular("needle"),
                                       of_irregular("sorting_network"),
                                       of_irregular("random_walks")};
constexpr Workload regular_list[] = {of_regular("matmul"),    of_regular("fft"),     of_regular("vector_add"),
                                     of_regular("transpose"), of_regular("hotspot"), of_regular("finite_difference")};
constexpr unsigned many = 16 * 1024;
constexpr Workload of_latency(std::string_view kernel, unsigned threads) {
  return {kernel, "latency", false, threads, many / 2};
}
template <unsigned threads>
constexpr std::array<Workload, 10> with_blocks_of{{of_latency("pointer_chase", threads),
                                                   of_latency("gather", threads),
                                                   of_latency("convolution", threads),
                                                   of_latency("reduction", threads),
                                                   of_latency("fdtd", threads),
                                                   of_latency("gaussian", threads),
                                                   of_latency("wavelet", threads),
                                                   {"vector_add", "regular", false, threads, many / 2},
                                                   {"bfs", "divergent", false, threads, many / 2},
                                                   of_latency("path_finder", threads)}};
// Of the paper's 18 kernels, block slots are the limit of 8, threads that of 10. Its machine has 8 slots and 1,536
// threads, so that slots are the limit of blocks with less than 192 threads: here each kernel has blocks of 64, 128 and
// 256 threads.
constexpr auto scheduling_list = [] {
  std::array<Workload, 30> all;
  for (std::size_t i = 0; i < 10; ++i) {
    all[i] = with_blocks_of<64>[i];
    all[10 + i] = with_blocks_of<128>[i];
    all[20 + i] = with_blocks_of<256>[i];
  }
  return all;
}();
constexpr Workload capacity_list[] = {{"register_tile", "latency", false, 256, many / 8},
                                      {"polynomials", "latency", false, 256, many / 8}};
constexpr Workload of_suite(std::string_view kernel, unsigned threads = 256) {
  return {kernel, "suite", false, threads};
}
constexpr Workload interweaving_list[] = {of_regular("finite_difference"),
                                          of_suite("backprop"),
                                          of_suite("binomial"),
                                          of_suite("prices"),
                                          of_suite("haar"),
                                          of_suite("walsh"),
                                          of_regular("hotspot"),
                                          of_regular("matmul"),
                                          of_suite("monte_carlo"),
                                          of_regular("transpose"),
                                          of_divergent("bfs"),
                                          of_suite("separable"),
                                          of_divergent("eigenvalues"),
                                          of_suite("histogram"),
                                          of_suite("lud_perimeter", 32),
                                          of_suite("mandelbrot_tiles"),
                                          of_suite("needle_tile", 16),
                                          of_divergent("bitonic"),
                                          of_suite("merge_sort"),
                                          of_suite("srad"),
                                          of_divergent("table_maker")};
constexpr Workload counter_list[] = {of_divergent("rare_branch"), of_divergent("nested_exit")};

std::string chosen;  // with a comma before and behind each name

template <const auto& list>
std::span<const Workload> of() {
  if (chosen.empty()) return list;
  static std::vector<Workload> some;
  some.clear();
  for (const Workload& workload : list)
    if (chosen.find("," + std::string(workload.kernel) + ",") != chosen.npos) some.push_back(workload);
  return some;
}

}  // namespace

void choose_kernels(std::string_view names) { chosen = names.empty() ? "" : "," + std::string(names) + ","; }

std::span<const Workload> divergent() { return of<divergent_list>(); }
std::span<const Workload> regular() { return of<regular_list>(); }
std::span<const Workload> scheduling_limited() { return of<scheduling_list>(); }
std::span<const Workload> capacity_limited() { return of<capacity_list>(); }
std::span<const Workload> interweaving_suite() { return of<interweaving_list>(); }
std::span<const Workload> counter_examples() { return of<counter_list>(); }

}  // namespace heddle::bench::sim_policies
