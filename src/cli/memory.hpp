// What the program says when there is no memory left.
#pragma once

namespace heddle::cli {

// "out of memory: ...", with what was wanted last and the limit, if there is one. Allocates nothing; the text is valid
// until the next call.
const char* out_of_memory_text() noexcept;

// After this call the program ends with that text and exit_memory also where an exception cannot be caught: in a
// destructor, in a thread.
void end_in_order_without_memory();

}  // namespace heddle::cli
