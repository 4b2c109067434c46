#include "cuda_api/core/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "base/file.hpp"
#include "cuda_api/core/failure.hpp"
#include "cuda_api/core/program_binary.hpp"

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
  if (magic == wrapper_magic) return read_program_binary(std::span(&image, 1));
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

}  // namespace heddle::cuda_api
