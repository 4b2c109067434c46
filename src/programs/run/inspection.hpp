// Looks at a program before it runs: what would keep it from running on Heddle, said in a sentence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::programs {

struct Inspection {
  // Libraries of CUDA (libcudart.so.12, libcuda.so.1) that the program would take from a folder that it names itself,
  // ahead of all that an environment can say: they have to be loaded before it.
  std::vector<std::string> to_preload;
};

// Throws invalid_argument for what is no program, unsupported for one that carries NVIDIA's runtime within itself, or
// machine code of GPUs only. Scripts pass unseen.
Inspection inspect_program(const std::filesystem::path& program);

}  // namespace heddle::programs
