// The entries of DWARF's .debug_info that describe functions, parameters and types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "ptx/debug/sections.hpp"

namespace heddle::ptx {

enum class DebugTag : std::uint32_t {
  array_type = 0x01,
  class_type = 0x02,
  enumeration_type = 0x04,
  formal_parameter = 0x05,
  pointer_type = 0x0f,
  reference_type = 0x10,
  structure_type = 0x13,
  typedef_type = 0x16,
  union_type = 0x17,
  base_type = 0x24,
  const_type = 0x26,
  subprogram = 0x2e,
  volatile_type = 0x35,
  restrict_type = 0x37,
  rvalue_reference_type = 0x42,
};

// What is read of an entry. References are offsets in .debug_info; 0 is never one, as a unit's header is there.
struct DebugEntry {
  DebugTag tag = {};
  std::string_view name = {}, linkage_name = {};
  std::uint64_t type = 0;    // reference
  std::uint64_t origin = 0;  // reference: the entry that this one completes
  std::vector<std::uint64_t> parameters = {};
};

// By offset. The texts are views into `sections`. Ends at the first thing that it does not understand.
std::map<std::uint64_t, DebugEntry> read_debug_entries(const SectionBytes& sections);

}  // namespace heddle::ptx
