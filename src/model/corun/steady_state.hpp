// The steady state of a finite Markov chain.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::model {

// Row-major, `states` rows; each row sums to 1.
struct TransitionMatrix {
  explicit TransitionMatrix(std::size_t count) : states(count), values(count * count, 0.0) {}
  double* row(std::size_t from) { return values.data() + from * states; }
  std::size_t states;
  std::vector<double> values;
};

// The share of time steps that the chain spends in each state: pi P = pi, with sum 1. State 0 must be reachable from
// every state. Direct elimination without subtractions (Grassmann, Taksar and Heyman, Operations Research 33(5), 1985),
// so that small probabilities keep their relative accuracy; states^3 / 3 multiplications. Uses the matrix up.
std::vector<double> steady_state(TransitionMatrix matrix);

}  // namespace heddle::model
