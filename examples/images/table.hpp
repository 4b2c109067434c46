// The table of times, as text.
#pragma once

#include <string>
#include <vector>

#include "pipeline.hpp"

namespace images::table {

std::string heading();
// A row comes in two pieces, so that it can be seen which kernel is running.
std::string row_start(const Step& step);
std::string row_end(const Step& step);
std::string total(const std::vector<Step>& steps);

}  // namespace images::table
