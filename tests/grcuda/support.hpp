// What the tests of GrCUDA's benchmarks share.
#pragma once

#include "forms.hpp"

namespace heddle::bench::grcuda {

inline const Place place{HEDDLE_GRCUDA_KERNELS};
constexpr std::uint64_t tiny = 300'000, small = 20'000;
inline const Shape small_shape(16, 64);

inline Scheduling sync() {
  Scheduling scheduling;
  scheduling.execution = Scheduling::Execution::sync;
  return scheduling;
}

// For names of tests.
inline std::string plain(const std::string& name) { return name == "B&S" ? "BS" : name; }

}  // namespace heddle::bench::grcuda
