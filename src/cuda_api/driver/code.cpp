#include "cuda_api/driver/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/file.hpp"

namespace heddle::cuda_api {
namespace {

constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
constexpr std::uint32_t wrapper_magic = 0x466243b1, container_magic = 0xba55ed50;

std::string_view begin_of(const void* image, std::size_t size) {
  return {static_cast<const char*>(image), std::min<std::size_t>(size, 4)};
}

[[noreturn]] void refuse_cubin() {
  throw Failure(cudaErrorNoKernelImageForDevice,
                "the image is machine code of a GPU (a cubin), and Heddle runs PTX: build it with nvcc -ptx, or with "
                "-gencode arch=compute_80,code=compute_80");
}

// PTX begins with comments and blanks, and then .version; what does not even look like text is told apart from text
// that is wrong.
FatBinary read_text(std::string_view text) {
  constexpr std::size_t looked_at = 64;
  const std::string_view head = text.substr(0, looked_at);
  const auto is_text = [](char c) { return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c <= '~'); };
  if (text.empty() || !std::all_of(head.begin(), head.end(), is_text))
    throw Failure(cudaErrorInvalidKernelImage, "the image is neither PTX text nor a fat binary");
  return {{{0, std::string(text)}}, {}};
}

}  // namespace

FatBinary read_image(const void* image) {
  std::uint32_t magic = 0;
  char first[4] = {};
  // Text may be shorter than four bytes.
  for (std::size_t i = 0; i < sizeof first; ++i) {
    first[i] = static_cast<const char*>(image)[i];
    if (first[i] == '\0') break;
  }
  std::memcpy(&magic, first, sizeof magic);
  if (magic == wrapper_magic) return read_registered_binary(image);
  if (magic == container_magic) return read_fat_binary(image);
  if (std::string_view(first, 4) == elf_magic) refuse_cubin();
  return read_text(static_cast<const char*>(image));
}

FatBinary read_image(const void* image, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(static_cast<const char*>(image), size));
  if (is_fat_binary(bytes)) return read_fat_binary(bytes);
  if (begin_of(image, size) == elf_magic) refuse_cubin();
  std::string_view text(static_cast<const char*>(image), size);
  return read_text(text.substr(0, text.find('\0')));
}

std::string read_image_file(const char* file) {
  try {
    return base::read_file(file);
  } catch (const Error& error) {
    throw Failure(cudaErrorFileNotFound, error.what());
  }
}

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
  require(count == 0 || (options && values), cudaErrorInvalidValue, "options without their values");
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER: info_.text = static_cast<char*>(values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: info_.size = &values[i]; break;
      case CU_JIT_ERROR_LOG_BUFFER: error_.text = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: error_.size = &values[i]; break;
      case CU_JIT_WALL_TIME: {
        const float none = 0;
        std::memcpy(&values[i], &none, sizeof none);
        break;
      }
      default:
        require(options[i] >= 0 && options[i] < CU_JIT_NUM_OPTIONS, cudaErrorInvalidValue,
                "there is no such option of a translation");
    }
  }
}

// As much as fits, with a zero byte behind it.
void JitOptions::tell(const Buffer& buffer, std::string_view message) {
  if (!buffer.size) return;
  const auto room = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(*buffer.size));
  std::size_t written = 0;
  if (buffer.text && room > 0) {
    written = std::min<std::size_t>(message.size(), room - 1);
    std::memcpy(buffer.text, message.data(), written);
    buffer.text[written] = '\0';
  }
  *buffer.size = reinterpret_cast<void*>(written);
}

}  // namespace heddle::cuda_api
