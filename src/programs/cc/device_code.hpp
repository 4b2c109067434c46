// The device side of a source: its PTX, and what the program carries it in.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compile/compile.hpp"
#include "programs/cc/options.hpp"

namespace heddle::programs {

struct DevicePtx {
  unsigned architecture = 0;  // 80
  std::string text;
};

struct DeviceCode {
  std::vector<DevicePtx> ptx;  // for each requested architecture
  std::string warnings;        // clang's, of the first
  // Folders of the CUDA toolkit that the source needs and no option names; host code needs them, too.
  std::vector<std::string> toolkit;
};

// A source that includes a part of the CUDA toolkit for which Heddle has no header (CUB, Thrust, libcu++,
// cuRAND) is compiled with the folders of the toolkit that is on this machine, if there is one.
// Throws Error as compile::compile_cuda_file, and unsupported for what another file has to
// define where the options do not ask for relocatable device code.
DeviceCode compile_device_code(const std::string& file, const CcOptions& options);

// The options as Heddle's compiler of device code takes them.
compile::CompileOptions device_options(const std::string& file, const CcOptions& options);
// Arguments for both device and host code of the file: a name for what is static, which is the same for all files where
// each file's PTX is a module of its own; and whether the code is relocatable.
std::vector<std::string> unit_arguments(const std::string& file, const CcOptions& options);

// A fat binary, compressed.
std::vector<std::byte> pack(const DeviceCode& code);

}  // namespace heddle::programs
