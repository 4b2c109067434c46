// Offsets of parameters in the packed argument buffer: in PTX order, each aligned as its .param declaration states.
#pragma once

#include <cstdint>
#include <vector>

#include "device/module.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

inline std::vector<ParameterLayout> parameter_layout(const std::vector<ptx::Variable>& parameters) {
  std::vector<ParameterLayout> layout;
  std::uint64_t offset = 0;
  for (const ptx::Variable& parameter : parameters) {
    const std::uint64_t align = parameter.alignment() ? parameter.alignment() : 1;
    offset = (offset + align - 1) / align * align;
    layout.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(parameter.size())});
    offset += parameter.size();
  }
  return layout;
}

inline std::uint32_t parameter_bytes(const std::vector<ptx::Variable>& parameters) {
  const auto layout = parameter_layout(parameters);
  return layout.empty() ? 0 : layout.back().offset + layout.back().size;
}

}  // namespace heddle::device
