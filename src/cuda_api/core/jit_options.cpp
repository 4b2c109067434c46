#include "cuda_api/core/jit_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
  if (count != 0 && (!options || !values)) throw Failure(cudaErrorInvalidValue, "options without their values");
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER: info_.text = static_cast<char*>(values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: set_size(info_, &values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER: error_.text = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: set_size(error_, &values[i]); break;
      case CU_JIT_WALL_TIME: {
        const float none = 0;
        std::memcpy(&values[i], &none, sizeof none);
        break;
      }
      default:
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS)
          throw Failure(cudaErrorInvalidValue, "there is no such option of a translation");
    }
  }
}

void JitOptions::set_size(Buffer& buffer, void** size) {
  buffer.size = size;
  buffer.room = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(*size));  // an unsigned int
}

// As much as fits, with a zero byte behind it.
void JitOptions::tell(const Buffer& buffer, std::string_view message) {
  if (!buffer.size) return;
  std::size_t written = 0;
  if (buffer.text && buffer.room > 0) {
    written = std::min<std::size_t>(message.size(), buffer.room - 1);
    message.copy(buffer.text, written);  // also none
    buffer.text[written] = '\0';
  }
  *buffer.size = reinterpret_cast<void*>(written);
}

}  // namespace heddle::cuda_api
