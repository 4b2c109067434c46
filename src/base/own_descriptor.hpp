// Descriptors that Heddle keeps open in a program's process.
#pragma once

namespace heddle::base {

// Where the program runs with a standard file closed, open() gives its number, and what the program prints would go
// into the file. Returns `file` if its number is above 2. Otherwise returns a copy with such a number, and closes
// `file`. Returns -1 when there is no free descriptor: `file` is closed then, and errno says why. Returns -1 for -1,
// and keeps errno.
int above_standard_files(int file) noexcept;

}  // namespace heddle::base
