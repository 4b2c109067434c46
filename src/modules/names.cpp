// Names of what kernels do with their parameters.
#include "heddle/direction.hpp"
#include "heddle/kernel.hpp"

namespace heddle {

const char* name(Access access) {
  switch (access) {
    case Access::none: return "none";
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::read_write: return "read-write";
    case Access::unknown: return "unknown";
  }
  return "unknown";
}

const char* name(Direction direction) {
  switch (direction) {
    case Direction::found: return "found";
    case Direction::in: return "in";
    case Direction::out: return "out";
    case Direction::inout: return "inout";
  }
  return "found";
}

}  // namespace heddle
