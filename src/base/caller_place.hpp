// Where the program is that calls Heddle, for messages.
#pragma once

#include <string>

namespace heddle::base {

// The code of the innermost caller on this thread's stack that is not Heddle's: "program+0x1234", what
// addr2line -e program 0x1234 takes, with the function's name where the program exports it. Empty where there is no
// such caller: the thread is Heddle's, or the program is heddle or Python. Takes microseconds.
std::string caller_place() noexcept;

}  // namespace heddle::base
