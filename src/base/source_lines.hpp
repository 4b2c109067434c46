// Lines of the program's source, from the debug information of its files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

struct SourceLine {
  std::string function;  // demangled
  std::string file;
  unsigned line = 0;
};

// What the code at an address of an ELF file was made of: the innermost inlined function first, the function that holds
// the code last. Asks addr2line of binutils, and LLVM's where that is missing or shows headers of libraries alone.
// Empty without debug information, without such a program, and where that takes longer than 10 s; the file is not asked
// about again then. Any thread; takes milliseconds.
std::vector<SourceLine> source_lines(const std::string& file, std::uintptr_t address) noexcept;

// Whether a source is a header of Heddle, of NVIDIA's SDK, of the compiler or of the system, by its name.
bool is_library_source(std::string_view file);

}  // namespace heddle::base
