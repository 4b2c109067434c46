#include "cuda_api/core/arguments.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace heddle::cuda_api {
namespace {

// A number that is larger is an address: CUdeviceptr is a number.
constexpr std::uint64_t least_address = std::uint64_t{1} << 40;

std::string text_of(const ArgumentValue& argument) {
  using Kind = ArgumentValue::Kind;
  switch (argument.kind) {
    case Kind::number:
      return argument.value < least_address ? fmt::format("{}", argument.value) : fmt::format("{:#x}", argument.value);
    case Kind::negative: return fmt::format("{}", static_cast<std::int64_t>(argument.value));
    case Kind::pointer: return argument.value == 0 ? "null" : fmt::format("{:#x}", argument.value);
    case Kind::shape:
      return fmt::format("({}, {}, {})", static_cast<std::uint32_t>(argument.value), argument.value >> 32,
                         argument.third);
    case Kind::structure: return "{...}";
    case Kind::copy_kind: break;
  }
  constexpr std::array<const char*, 5> kinds = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                                "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                                "cudaMemcpyDefault"};
  return argument.value < kinds.size() ? kinds[argument.value] : fmt::format("{}", argument.value);
}

}  // namespace

std::string Arguments::text() const {
  std::string text;
  std::string_view names = names_;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", name, text_of(values_[i]));
    names.remove_prefix(comma == names.npos ? names.size() : comma + 1);
  }
  return text;
}

}  // namespace heddle::cuda_api
