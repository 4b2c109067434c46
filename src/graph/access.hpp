// What a task does to memory.
#pragma once

#include <cstdint>

namespace heddle::graph {

// `write` overwrites the whole range, so its old bytes are not needed. Dependences treat it like `read_write`.
enum class Mode : std::uint8_t { read, write, read_write };

inline bool modifies(Mode mode) { return mode != Mode::read; }
// The mode of a task that names the same bytes twice.
inline Mode both(Mode a, Mode b) { return a == b ? a : Mode::read_write; }

// A copy of an array on a device or the host: tasks that touch different copies do not depend on each other. The
// numbers of removed objects are reused.
using ObjectId = std::uint32_t;

// Bytes [begin, end) of an object.
struct Access {
  ObjectId object = 0;
  Mode mode = Mode::read_write;
  std::uint64_t begin = 0, end = 0;
};

}  // namespace heddle::graph
