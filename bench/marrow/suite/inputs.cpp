#include "inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "heddle/error.hpp"

namespace heddle::bench::marrow {
namespace {

constexpr std::size_t million = 1'000'000;

const std::array<Inputs, 5>& all() {
  static const std::array<Inputs, 5> list{
      Inputs{"tiny", 128, 96, 64, 2, 1024, 3, 10'000, 32, 16, 48, 50'000},
      Inputs{"small", 2048, 2048, 32'768, 128, 16'384, 4, million, 256, 256, 16, million},
      Inputs{"middle", 4288, 2848, 65'536, 128, 32'768, 4, 10 * million, 256, 256, 128, 10 * million},
      Inputs{"large", 8192, 8192, 131'072, 128, 65'536, 4, 50 * million, 512, 512, 240, 50 * million},
      Inputs{"host", 16'384, 16'384, 262'144, 128, 262'144, 4, 250 * million, 1024, 1024, 512, 100 * million}};
  return list;
}

}  // namespace

std::vector<std::string> input_names() {
  std::vector<std::string> names;
  for (const Inputs& inputs : all()) names.push_back(inputs.name);
  return names;
}

Inputs inputs_named(const std::string& name) {
  for (const Inputs& inputs : all())
    if (inputs.name == name) return inputs;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("there are no inputs '{}'; there are {}", name, fmt::join(input_names(), ", ")));
}

}  // namespace heddle::bench::marrow
