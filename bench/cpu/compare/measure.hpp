// Times of contenders that run in turn.
#pragma once

#include <memory>
#include <vector>

#include "compare/contender.hpp"

namespace heddle::bench {

// seconds[contender][round]
using Times = std::vector<std::vector<double>>;

// In each round every contender has its turn, and the one who begins changes, so that drift of the machine meets all
// alike. A turn is: the arrays set back, one run that is not timed (it brings caches and threads into their usual
// state), then as many runs as take a few hundredths of a second, whose mean counts. The first round is not counted.
//
// Time is that of the clock, or the processor time of all threads: less true, but of use on a machine that others use
// too.
enum class Measure { clock, processor };
Times measure(const std::vector<std::unique_ptr<Contender>>& contenders, int rounds, Measure what);

struct Spread {
  double median = 0, low = 0, high = 0;  // low and high: the quartiles
};
Spread spread(std::vector<double> values);
// Over rounds: how many times longer `other` took than `one`.
Spread ratio(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace heddle::bench
