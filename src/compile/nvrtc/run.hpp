// NVRTC in a process of its own.
//
// The library is opened by a small program (child.cpp) that is built into Heddle and started for each compilation. So a
// crash of NVRTC is an error of this compilation, compilations run side by side whatever NVRTC locks, and the program
// sees what NVRTC asks of the file system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compile/nvrtc/find.hpp"

namespace heddle::compile::nvrtc {

// Properties that a library reports.
struct Description {
  std::string version;       // "13.0"
  std::vector<int> targets;  // 80 for sm_80; empty where the library is too old to report them
};

// NVRTC asked whether there is a file, in the order of asking. `there`: not a folder. `read`: it was opened.
struct Question {
  std::string path;
  bool there = false, read = false;
};

struct Request {
  std::string name, source;          // as for nvrtcCreateProgram
  std::vector<std::string> options;  // at most 1024
};

struct Answer {
  Description description;
  std::string error;  // NVRTC's name of the error, as "NVRTC_ERROR_COMPILATION"; empty without one
  std::string log;
  std::string ptx;
  std::vector<Question> questions;
};

// Opens the library and queries it. Throws Error: unsupported with the loader's message when the library cannot be
// opened or is no NVRTC, or when it crashes; io_error when no process can be started. Any thread.
Description describe(const Library& library);

// Runs one compilation; one that fails is no error here. `scratch` is a folder for a copy of the program, where it
// cannot be run from memory. Throws as describe().
Answer run(const Library& library, const Request& request, const std::filesystem::path& scratch);

// The environment that NVRTC runs with, as "NAME=VALUE" in the order of names: what the loader reads (LD_...), with the
// library's folder in front of LD_LIBRARY_PATH, and TMPDIR. So nothing that NVRTC reads, as NVRTC_APPEND_FLAGS, counts.
std::vector<std::string> environment(const Library& library);

// The program, an ELF file (generated from child.cpp).
std::string_view child_program();

}  // namespace heddle::compile::nvrtc
