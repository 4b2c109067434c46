#include "model/corun/steady_state.hpp"

namespace heddle::model {
namespace {

// Nearly all of the time goes here. Multiplications and additions stay apart, so that all processors get the same bits.
[[gnu::always_inline]] inline void add_scaled(double* __restrict to, const double* __restrict row, double by,
                                              std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += by * row[i];
}
#ifdef __x86_64__
[[gnu::target("avx2")]] void add_scaled_avx2(double* to, const double* row, double by, std::size_t count) {
  add_scaled(to, row, by, count);
}
#endif
void add_scaled_plain(double* to, const double* row, double by, std::size_t count) { add_scaled(to, row, by, count); }

auto fastest_add_scaled() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return &add_scaled_avx2;
#endif
  return &add_scaled_plain;
}

}  // namespace

std::vector<double> steady_state(TransitionMatrix matrix) {
  const std::size_t states = matrix.states;
  const auto add = fastest_add_scaled();
  // Leaves out the states from the last to the second: each row gets the chain that skips them.
  for (std::size_t last = states - 1; last > 0; --last) {
    const double* const leaving = matrix.row(last);
    double down = 0;
    for (std::size_t to = 0; to < last; ++to) down += leaving[to];
    for (std::size_t from = 0; from < last; ++from) {
      double* const row = matrix.row(from);
      const double through = row[last] /= down;
      if (through == 0) continue;
      add(row, leaving, through, last);
    }
  }
  std::vector<double> shares(states, 0.0);
  shares[0] = 1;
  double sum = 0;
  for (std::size_t state = 0; state < states; ++state) {
    sum += shares[state];
    const std::size_t next = state + 1;
    add(shares.data() + next, matrix.row(state) + next, shares[state], states - next);
  }
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace heddle::model
