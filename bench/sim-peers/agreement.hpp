// How near simulated cycles come to a GPU that is another one than the simulated.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench::peers {

// How far the ratios between kernels are from those of the GPU: for each kernel the factor simulated/measured over the
// geometric mean of these factors, as a distance from 1 (the greater over the smaller, less 1); the mean of all. 0 is
// the same up to one common factor, which the two machines' sizes and clocks make. At least two kernels, all positive.
double distance_of_ratios(const std::vector<double>& simulated, const std::vector<double>& measured);
// That factor of each kernel.
std::vector<double> relative_factors(const std::vector<double>& simulated, const std::vector<double>& measured);

}  // namespace heddle::bench::peers
