// What the caller states about the access of work to an array, where the caller knows more than the PTX shows.
#pragma once

#include <cstdint>

namespace heddle {

// As GrCUDA's annotations (Parravicini et al., IPDPS 2021, section IV-D), but checked: an annotation that the PTX
// contradicts is refused. Where the PTX does not show the access (the pointer is stored, or passed to code that is not
// in the module), annotations count as promises.
enum class Direction : std::uint8_t {
  found,  // no statement: what was found in the PTX counts
  in,     // only read
  out,    // all of the bytes that are given are overwritten, and none are read: old bytes are neither copied nor
          // kept
  inout,  // read and modified, also where the PTX shows less
};
const char* name(Direction direction);

}  // namespace heddle
