// How a kernel uses the memory that its parameters point to, and the variables of its module.
//
// Pointers are followed through cvta, additions, selects, moves, joins, local memory, structures passed by value, and
// calls of functions with bodies. What cannot be followed makes the answer unknown, never wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/access/access_place.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

enum class AccessMode : std::uint8_t { none, read, write, read_write, unknown };
const char* name(AccessMode mode);

// One 8-byte field of a parameter, or a whole module variable.
struct MemoryUse {
  std::uint32_t index = 0;   // parameter of the function, or variable of the module
  std::uint64_t offset = 0;  // of the field within the parameter
  AccessMode mode = AccessMode::none;
  bool is_pointer = false;    // used as the base of an address or converted to one
  bool may_be_index = false;  // a pointer only in sums with others: they or it may be an index
  AccessReason reason;        // of an unknown mode, else of the first access
  // Accesses that were found, also where the mode is unknown since there may be others. In a called function: there.
  AccessWitness read_at = {}, written_at = {};
  // Of a parameter: its value goes into addresses of something else. A number is an index there; an address would be
  // part of a distance, and what lies at the other end is accessed.
  bool in_addresses = false;
};

struct FunctionAccess {
  std::vector<MemoryUse> parameters;  // one for each parameter: all fields together
  std::vector<MemoryUse> fields;      // fields that are pointers or whose mode is not none
  std::vector<MemoryUse> variables;   // module variables of the .global and .const spaces that are used
  // Memory reached by pointers that were themselves loaded from memory, returned by unknown code, or made from
  // integers: it may be any allocation.
  AccessMode elsewhere = AccessMode::none;
  AccessReason elsewhere_reason;
};

// For each function of the module, by index. Functions that are only declared are unknown in all their parameters, but
// for vprintf, malloc, free and __assertfail. Costs a few passes over the module.
std::vector<FunctionAccess> find_access(const Module& module);

}  // namespace heddle::ptx::analysis
