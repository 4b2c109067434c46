// The shares of the time that Markov chains spend in their states.
#include "model/corun/steady_state.hpp"

#include <gtest/gtest.h>

#include <random>

namespace heddle::model {
namespace {

TransitionMatrix random_chain(std::size_t states, std::mt19937& random) {
  TransitionMatrix made(states);
  std::uniform_real_distribution<double> part(0, 1);
  for (std::size_t from = 0; from < states; ++from) {
    double sum = 0;
    for (std::size_t to = 0; to < states; ++to) {
      const double drawn = part(random);
      made.row(from)[to] = to == 0 || drawn > .3 ? drawn : 0;  // state 0 is reachable from all, others need not be
      sum += made.row(from)[to];
    }
    for (std::size_t to = 0; to < states; ++to) made.row(from)[to] /= sum;
  }
  return made;
}

// One state after the other, as it is published.
std::vector<double> literally(TransitionMatrix matrix) {
  for (std::size_t last = matrix.states - 1; last > 0; --last) {
    double down = 0;
    for (std::size_t to = 0; to < last; ++to) down += matrix.row(last)[to];
    for (std::size_t from = 0; from < last; ++from) {
      const volatile double through = matrix.row(from)[last] /= down;
      for (std::size_t to = 0; to < last; ++to) {
        const volatile double added = through * matrix.row(last)[to];  // not fused
        matrix.row(from)[to] += added;
      }
    }
  }
  std::vector<double> shares(matrix.states, 0.0);
  shares[0] = 1;
  double sum = 0;
  for (std::size_t state = 0; state < matrix.states; ++state) {
    for (std::size_t before = 0; before < state; ++before) {
      const volatile double added = shares[before] * matrix.row(before)[state];
      shares[state] += added;
    }
    sum += shares[state];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

TEST(SteadyState, IsWhatTheChainKeeps) {
  std::mt19937 random(7);
  for (const std::size_t states : {1, 2, 3, 5, 8, 9, 37, 160}) {
    TransitionMatrix chain = random_chain(states, random);
    const std::vector<double> shares = steady_state(chain);
    for (std::size_t to = 0; to < states; ++to) {
      double next = 0;
      for (std::size_t from = 0; from < states; ++from) next += shares[from] * chain.row(from)[to];
      EXPECT_NEAR(next, shares[to], 1e-14) << states;
    }
  }
}

// Processors differ in how many numbers they take at a time. Simulations must not.
TEST(SteadyState, HasTheBitsOfOneStateAfterTheOther) {
  std::mt19937 random(11);
  for (std::size_t states = 1; states <= 40; ++states) {
    const TransitionMatrix chain = random_chain(states, random);
    EXPECT_EQ(steady_state(chain), literally(chain)) << states;
  }
}

}  // namespace
}  // namespace heddle::model
