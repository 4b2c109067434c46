// Which code generator this is.
#pragma once

namespace heddle::device::cpu {

// A fingerprint of everything that decides what code is generated, for the keys of cached kernels. Made by the build
// (codegen_id.cmake).
extern const char* const codegen_id;

}  // namespace heddle::device::cpu
