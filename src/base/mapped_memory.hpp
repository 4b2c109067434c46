// Which addresses of this process have memory.
#pragma once

#include <cstddef>

namespace heddle::base {

// Whether all these bytes are mapped and can be read. True where the system does not tell, as without /proc. Takes some
// 100 microseconds. Any thread; what other threads map and unmap meanwhile may count or not.
bool is_mapped(const void* data, std::size_t bytes);

}  // namespace heddle::base
