// PTX of any size, one kind of growth each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::bench {

enum class Way : std::uint8_t { inspect, cpu, interp };  // what `heddle inspect` does, and what devices do to a kernel

struct Input {
  const char* name;
  Way way;
  std::string (*make)(std::uint32_t size);
  std::vector<std::uint32_t> sizes;  // ascending
  std::vector<double> seconds;       // at most, for each size; empty: the last two sizes only have to grow alike
  std::optional<double> mebibytes;   // at most, at every size
};

const std::vector<Input>& inputs();

}  // namespace heddle::bench
