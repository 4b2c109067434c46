// How fast memory of one device gets to another.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "runtime/core.hpp"

namespace heddle::runtime {

// See Runtime::measured_link.
double measure_link(Core& core, std::string_view from, std::string_view to);

// Bytes per second of a copy between any two memories, by [from][to]: places, and behind them the host's memory. Where
// both are the host's, it is how fast one of their devices copies there. Throws out_of_memory. Without the core's lock.
std::vector<std::vector<double>> measure_all_links(Core& core);

}  // namespace heddle::runtime
