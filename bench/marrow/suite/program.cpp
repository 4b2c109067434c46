#include "program.hpp"

#include <fmt/format.h>

namespace heddle::bench::marrow {

std::string differs(const std::string& name, std::size_t index, double found, double expected) {
  return fmt::format("{}[{}] is {}, but the reference has {}", name, index, found, expected);
}

std::vector<std::unique_ptr<Program>> all_programs(Runtime& runtime, const Module& module, const Inputs& inputs,
                                                   const Photo& photo) {
  std::vector<std::unique_ptr<Program>> list;
  list.push_back(make_filter(runtime, module, inputs, photo));
  list.push_back(make_fft(runtime, module, inputs));
  list.push_back(make_nbody(runtime, module, inputs));
  list.push_back(make_saxpy(runtime, module, inputs));
  list.push_back(make_segmentation(runtime, module, inputs));
  list.push_back(make_map_reduce(runtime, module, inputs));
  return list;
}

}  // namespace heddle::bench::marrow
