#include "workloads.hpp"

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
// Of the paper's 18 kernels, block slots are the limit of 8, threads that of 10: here each kernel has blocks of 64
// threads, and of 256.
constexpr Workload scheduling_list[] = {
    {"pointer_chase", "latency", false, 64, many / 2},  {"gather", "latency", false, 64, many / 2},
    {"convolution", "latency", false, 64, many / 2},    {"reduction", "latency", false, 64, many / 2},
    {"fdtd", "latency", false, 64, many / 2},           {"gaussian", "latency", false, 64, many / 2},
    {"wavelet", "latency", false, 64, many / 2},        {"vector_add", "regular", false, 64, many / 2},
    {"bfs", "divergent", false, 64, many / 2},          {"path_finder", "latency", false, 64, many / 2},
    {"pointer_chase", "latency", false, 256, many / 2}, {"gather", "latency", false, 256, many / 2},
    {"convolution", "latency", false, 256, many / 2},   {"reduction", "latency", false, 256, many / 2},
    {"fdtd", "latency", false, 256, many / 2},          {"gaussian", "latency", false, 256, many / 2},
    {"wavelet", "latency", false, 256, many / 2},       {"vector_add", "regular", false, 256, many / 2},
    {"bfs", "divergent", false, 256, many / 2},         {"path_finder", "latency", false, 256, many / 2}};
constexpr Workload capacity_list[] = {{"register_tile", "latency", false, 256, many / 8},
                                      {"polynomials", "latency", false, 256, many / 8}};
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
std::span<const Workload> counter_examples() { return of<counter_list>(); }

}  // namespace heddle::bench::sim_policies
