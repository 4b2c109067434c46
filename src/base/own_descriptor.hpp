// Descriptors that Heddle keeps open in a program's process.
#pragma once

namespace heddle::base {

// Where the program runs with a standard file closed, open() gives its number, and what the program prints would go
// into the file. Returns a descriptor of the same open file behind the standard ones and closes `file`, or returns
// `file` if it lies there already. -1 (errno says why, and `file` is closed) if there is none; for -1 also. Keeps errno
// otherwise.
int above_standard_files(int file) noexcept;

}  // namespace heddle::base
