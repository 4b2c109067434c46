// Bytes on the heap of this program, from operator new.
#pragma once

#include <cstdint>

namespace heddle::bench {

// With what the allocator adds to each block.
std::int64_t heap_bytes();
// The most at any time since the last reset_heap_peak().
std::int64_t heap_peak();
void reset_heap_peak();

}  // namespace heddle::bench
