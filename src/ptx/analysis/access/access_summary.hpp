// What a function does with the memory that its parameters point to, as its callers need to know it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/analysis/access/access_place.hpp"
#include "ptx/analysis/access/pointer_value.hpp"

namespace heddle::ptx::analysis {

// What a function does with the memory behind one source.
struct SourceUse {
  bool reads = false, writes = false, unknown = false, pointer = false;
  bool in_addresses = false;  // its value, or one computed from it, is added to addresses of something else
  bool stored = false;        // something is stored there, also where it is memory of a thread or block
  bool handed_on = false;     // what is loaded from there, or a part of it, is stored to other memory
  bool alone = false;  // a pointer, and somewhere the only source of an address: no index that is added to another one
  AccessReason reason, added_at;
  bool reason_is_unknown = false;
  AccessWitness read_at, written_at;
};

// What callers need to know of a function: sources are its own parameters' fields, module variables, elsewhere.
struct AccessSummary {
  std::map<Source, SourceUse> uses;
  std::vector<std::map<std::int64_t, std::vector<Source>>> returns;  // by result and offset: what it may point to
  bool reads_elsewhere = false, writes_elsewhere = false;
  AccessReason elsewhere_reason;
};

}  // namespace heddle::ptx::analysis
