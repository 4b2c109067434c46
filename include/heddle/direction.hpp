// What a caller says that work does to an array, where he knows more than the PTX tells.
#pragma once

#include <cstdint>

namespace heddle {

// As GrCUDA's annotations (Parravicini et al., IPDPS 2021, section IV-D), but checked: one that the PTX contradicts is
// refused. Where the PTX does not tell (the pointer is stored away, or handed to code that is not there), they count as
// promises.
enum class Direction : std::uint8_t {
  found,  // nothing is said: what was found in the PTX counts
  in,     // only read
  out,    // all of the bytes that are given are overwritten, and none are read: what was there is neither brought nor
          // kept
  inout,  // read and modified, also where the PTX shows less
};
const char* name(Direction direction);

}  // namespace heddle
