#include "model/corun/steady_state.hpp"

namespace heddle::model {

std::vector<double> steady_state(TransitionMatrix matrix) {
  const std::size_t states = matrix.states;
  // Leaves out the states from the last to the second: each row gets the chain that skips them.
  for (std::size_t last = states - 1; last > 0; --last) {
    const double* const leaving = matrix.row(last);
    double down = 0;
    for (std::size_t to = 0; to < last; ++to) down += leaving[to];
    for (std::size_t from = 0; from < last; ++from) {
      double* const row = matrix.row(from);
      const double through = row[last] /= down;
      if (through == 0) continue;
      for (std::size_t to = 0; to < last; ++to) row[to] += through * leaving[to];
    }
  }
  std::vector<double> shares(states, 0.0);
  shares[0] = 1;
  double sum = 1;
  for (std::size_t state = 1; state < states; ++state) {
    for (std::size_t from = 0; from < state; ++from) shares[state] += shares[from] * matrix.row(from)[state];
    sum += shares[state];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace heddle::model
