// Options of a translation, as cuModuleLoadDataEx and cuLinkCreate take them.
#pragma once

#include <cstddef>
#include <exception>
#include <string_view>

#include "cuda_api/abi/driver.hpp"

namespace heddle::cuda_api {

// Options of a translation. Those that ask for messages are answered; the others are hints to a compiler that Heddle
// does not have.
class JitOptions {
 public:
  // Throws cudaErrorInvalidValue for invalid options.
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  // Runs f(). A failure is also written to the buffer for errors.
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
  // A buffer of the program's. Its size is in the option's value itself, which also receives the number of bytes
  // written: so it is read at once.
  struct Buffer {
    char* text = nullptr;
    void** size = nullptr;
    std::size_t room = 0;
  };
  static void set_size(Buffer& buffer, void** size);
  static void tell(const Buffer& buffer, std::string_view message);

  Buffer info_, error_;
};

}  // namespace heddle::cuda_api
