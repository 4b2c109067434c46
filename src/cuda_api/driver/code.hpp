// Code as programs hand it to the driver API: PTX text or a fat binary, and the options of its translation.
#pragma once

#include <string>
#include <string_view>

#include "cuda_api/core/library.hpp"
#include "cuda_api/driver/call.hpp"

namespace heddle::cuda_api {

// What `image` points to: PTX text that ends with a zero byte, a fat binary, or the wrapper of one that programs
// register. Throws cudaErrorNoKernelImageForDevice for machine code alone, which Heddle does not run,
// cudaErrorInvalidKernelImage for what is none of these.
FatBinary read_image(const void* image);
// The same of `size` bytes; text may lack the zero byte.
FatBinary read_image(const void* image, std::size_t size);
// A file's bytes, with a zero byte behind them. Throws cudaErrorFileNotFound.
std::string read_image_file(const char* file);

// Options of a translation. Those that ask for messages are answered, the others are hints to a compiler that is not
// there.
class JitOptions {
 public:
  // Throws cudaErrorInvalidValue for options that are none.
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  // Runs f(); what fails is also told in the buffer for errors.
  template <class F>
  auto load(F&& f) {
    try {
      auto made = f();
      tell(error_, {});
      tell(info_, {});
      return made;
    } catch (const std::exception& failure) {
      tell(error_, failure.what());
      tell(info_, {});
      throw;
    }
  }

 private:
  // A buffer of the program's. Its size is in the option's value itself, where the bytes that were written go too.
  struct Buffer {
    char* text = nullptr;
    void** size = nullptr;
  };
  static void tell(const Buffer& buffer, std::string_view message);

  Buffer info_, error_;
};

}  // namespace heddle::cuda_api
