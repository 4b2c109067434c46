// Statistics of measurements.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace heddle::bench {

double median(std::vector<double> values);  // of at least one value
// Spearman's: the correlation of ranks; equal values share theirs. Of as many values, at least two different of each.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);
double geometric_mean(std::span<const double> values);  // of positive values, at least one

// Seconds of one call.
double time_once(const std::function<void()>& work);

// Medians of two contenders that run in turn, so that drift of the machine meets both alike. Each runs `warm_up` times
// unmeasured, then `rounds` pairs are measured; the order within a pair alternates.
struct Paired {
  double first = 0, second = 0;  // seconds
  double ratio = 0;              // median over pairs of second / first: above 1 the first is faster
};
Paired run_paired(const std::function<void()>& first, const std::function<void()>& second, int rounds, int warm_up = 1);

}  // namespace heddle::bench
