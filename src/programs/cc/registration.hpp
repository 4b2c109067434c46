// When a file's kernels and device variables become known to the runtime.
#pragma once

#include <filesystem>
#include <string>

namespace heddle::programs {

// In the host code of CUDA C++ clang registers device code in a constructor behind those of the program's own static
// objects. nvcc does so before them: such an object may launch kernels in its constructor, and in its destructor, as
// what registers first is forgotten last. Makes it first among the constructors of an object file without a priority.
// Returns whether that changed anything: not where it is first already, in a file without device code, or in one that
// is no ELF object file of this machine, as those of -flto are.
bool register_first(std::string& object);
// The same for a file, where it is a regular one.
void register_first(const std::filesystem::path& object);

}  // namespace heddle::programs
