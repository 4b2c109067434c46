#include "model/corun/steady_state.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::model {
namespace {

// States that are left out in one pass over the rows that stay: each number is then loaded and stored once for all.
constexpr std::size_t block = 4;

// What leaving out a state adds to the others: its row, and the sum that its probabilities are divided by.
struct Leaving {
  const double* row = nullptr;
  double down = 0;
};

// Leaves the states out, `count` of them from `last` down, in a row that stays. Each number gets the same sums in the
// same order as by one state after the other, so all processors and block sizes give the same bits.
[[gnu::always_inline]] inline void leave_out(double* __restrict row, std::size_t last, const Leaving* leaving,
                                             std::size_t count) {
  double through[block];
  for (std::size_t i = 0; i < count; ++i) {
    double& to = row[last - i];
    for (std::size_t before = 0; before < i; ++before) to += through[before] * leaving[before].row[last - i];
    through[i] = to /= leaving[i].down;
  }
  const std::size_t stay = last + 1 - count;
  if (count == block) {
    const double *const a = leaving[0].row, *const b = leaving[1].row, *const c = leaving[2].row,
                        *const d = leaving[3].row;
    for (std::size_t i = 0; i < stay; ++i)
      row[i] = row[i] + through[0] * a[i] + through[1] * b[i] + through[2] * c[i] + through[3] * d[i];
    return;
  }
  for (std::size_t left = 0; left < count; ++left) {
    const double* const from = leaving[left].row;
    for (std::size_t i = 0; i < stay; ++i) row[i] += through[left] * from[i];
  }
}

[[gnu::always_inline]] inline void solve_in(TransitionMatrix& matrix, double* shares) {
  const std::size_t states = matrix.states;
  // Leaves out the states from the last to the second: each row gets the chain that skips them.
  for (std::size_t last = states - 1; last > 0;) {
    const std::size_t count = std::min(block, last);
    Leaving leaving[block];
    for (std::size_t i = 0; i < count; ++i) {
      double* const row = matrix.row(last - i);
      if (i > 0) leave_out(row, last, leaving, i);
      leaving[i].row = row;
      for (std::size_t to = 0; to < last - i; ++to) leaving[i].down += row[to];
    }
    for (std::size_t from = 0; from <= last - count; ++from) leave_out(matrix.row(from), last, leaving, count);
    last -= count;
  }
  shares[0] = 1;
  for (std::size_t state = 0; state < states; ++state) {
    const double* const row = matrix.row(state);
    for (std::size_t to = state + 1; to < states; ++to) shares[to] += shares[state] * row[to];
  }
}

// Half of the time of a choice goes here.
#ifdef __x86_64__
[[gnu::target("avx2")]] void solve_avx2(TransitionMatrix& matrix, double* shares) { solve_in(matrix, shares); }
#endif
void solve_plain(TransitionMatrix& matrix, double* shares) { solve_in(matrix, shares); }

auto fastest_solve() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return &solve_avx2;
#endif
  return &solve_plain;
}

}  // namespace

std::vector<double> steady_state(TransitionMatrix matrix) {
  static const auto solve = fastest_solve();
  std::vector<double> shares(matrix.states, 0.0);
  solve(matrix, shares.data());
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace heddle::model
