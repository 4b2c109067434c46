// Pieces of pictures and pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/xml_text.hpp"

namespace heddle::simreport {

using base::xml;

// Colours of slots by use, of active lanes (from idle to all), and of warps' cycles by use.
const char* use_colour(const std::string& use);
std::string lane_colour(std::size_t bucket, std::size_t buckets);

struct Layer {
  std::string name, colour;
  std::vector<double> values;  // one for each column
};
struct Stack {
  std::string label;                // for people who cannot see it
  std::vector<Layer> layers;        // from the bottom
  std::vector<std::string> titles;  // of columns, for the pointer
  std::string x_name, y_name;
  std::vector<std::pair<double, std::string>> x_marks;  // in columns
  double height = 180;
};
// Columns of parts of a whole: each column is as high as the others.
std::string stack_svg(const Stack& stack);
std::string legend(const std::vector<Layer>& layers);

}  // namespace heddle::simreport
