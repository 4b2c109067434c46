// Looks at a program before it runs: what would keep it from running on Heddle, said in a sentence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::programs {

struct Inspection {
  // Libraries of CUDA (libcudart.so.12, libcuda.so.1) that the program would take from a folder that it names itself,
  // ahead of all that an environment can say: they have to be loaded before it.
  std::vector<std::string> to_preload = {};
  // It is built with a sanitizer whose library must be the first that is loaded.
  bool sanitized = false;
  // Its CUDA runtime is a shared library, which Heddle's can stand in for. False for scripts, and for programs that
  // load CUDA when they run, as Python does.
  bool shares_runtime = false;
  // Why Heddle's runtime cannot stand in for NVIDIA's: the program carries NVIDIA's within itself, or machine code of
  // GPUs and no PTX. Empty if it can.
  std::string obstacle = {};
  // A library of NVIDIA's that it needs, whose kernels are machine code: libcublas.so.13. Empty if there is none.
  std::string closed_library = {};
};

// Whether a program uses CUDA's libraries and not Heddle's own. False for scripts and for what is no program.
bool uses_cuda_alone(const std::filesystem::path& program);

// Throws invalid_argument for what is no program. Scripts pass unseen.
Inspection inspect_program(const std::filesystem::path& program);

}  // namespace heddle::programs
