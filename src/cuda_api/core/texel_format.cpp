#include "cuda_api/core/texel_format.hpp"

#include <fmt/format.h>

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {
namespace {

using heddle::ChannelKind;
using heddle::TexelFormat;

// Formats whose number of channels is the caller's.
struct Plain {
  CUarray_format format;
  ChannelKind kind;
  std::uint8_t bits;
};
constexpr Plain plain[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, ChannelKind::unsigned_integer, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, ChannelKind::unsigned_integer, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, ChannelKind::unsigned_integer, 32},
    {CU_AD_FORMAT_SIGNED_INT8, ChannelKind::signed_integer, 8},
    {CU_AD_FORMAT_SIGNED_INT16, ChannelKind::signed_integer, 16},
    {CU_AD_FORMAT_SIGNED_INT32, ChannelKind::signed_integer, 32},
    {CU_AD_FORMAT_HALF, ChannelKind::floating, 16},
    {CU_AD_FORMAT_FLOAT, ChannelKind::floating, 32},
};

// Formats that say how many channels they have: CUDA numbers them in the order of both APIs.
struct Normalized {
  CUarray_format first;
  cudaChannelFormatKind kind;
  ChannelKind channel;
  std::uint8_t bits;
};
constexpr Normalized normalized[] = {
    {CU_AD_FORMAT_UNORM_INT8X1, cudaChannelFormatKindUnsignedNormalized8X1, ChannelKind::unsigned_normalized, 8},
    {CU_AD_FORMAT_UNORM_INT16X1, cudaChannelFormatKindUnsignedNormalized16X1, ChannelKind::unsigned_normalized, 16},
    {CU_AD_FORMAT_SNORM_INT8X1, cudaChannelFormatKindSignedNormalized8X1, ChannelKind::signed_normalized, 8},
    {CU_AD_FORMAT_SNORM_INT16X1, cudaChannelFormatKindSignedNormalized16X1, ChannelKind::signed_normalized, 16},
};
constexpr std::uint8_t channels_of_step[] = {1, 2, 4};

[[noreturn]] void refuse_format(int number) {
  throw Failure(cudaErrorNotSupported,
                fmt::format("the format {} of an array (compressed or of video) is not supported by Heddle", number));
}

}  // namespace

TexelFormat texel_format(CUarray_format format, unsigned channels) {
  for (const Normalized& one : normalized)
    if (const int step = format - one.first; step >= 0 && step < 3)
      return {one.channel, one.bits, channels_of_step[step]};
  for (const Plain& one : plain) {
    if (one.format != format) continue;
    if (channels != 1 && channels != 2 && channels != 4)
      throw Failure(cudaErrorInvalidChannelDescriptor,
                    fmt::format("an array with {} channels; there can be 1, 2 and 4", channels));
    return {one.kind, one.bits, static_cast<std::uint8_t>(channels)};
  }
  refuse_format(format);
}

ChannelFormat channel_format(const cudaChannelFormatDesc& desc) {
  for (const Normalized& one : normalized)
    if (const int step = desc.f - one.kind; step >= 0 && step < 3)
      return {static_cast<CUarray_format>(one.first + step), channels_of_step[step]};
  if (desc.f > cudaChannelFormatKindNone) refuse_format(desc.f);
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  bool alike = channels != 0 && channels != 3;
  for (unsigned i = 0; i < 4; ++i) alike = alike && bits[i] == (i < channels ? desc.x : 0);
  const ChannelKind kind = desc.f == cudaChannelFormatKindSigned     ? ChannelKind::signed_integer
                           : desc.f == cudaChannelFormatKindUnsigned ? ChannelKind::unsigned_integer
                                                                     : ChannelKind::floating;
  for (const Plain& one : plain)
    if (alike && desc.f != cudaChannelFormatKindNone && one.kind == kind && one.bits == desc.x)
      return {one.format, channels};
  throw Failure(cudaErrorInvalidChannelDescriptor,
                fmt::format("channels of {}, {}, {} and {} bits; there can be 1, 2 or 4 of 8, 16 or 32 bits each",
                            desc.x, desc.y, desc.z, desc.w));
}

cudaChannelFormatDesc channel_desc(const ChannelFormat& format) {
  const TexelFormat texel = texel_format(format.format, format.channels);
  const auto bits = [&](unsigned channel) { return channel < texel.channels ? int{texel.bits} : 0; };
  cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
  if (texel.kind == ChannelKind::signed_integer) kind = cudaChannelFormatKindSigned;
  if (texel.kind == ChannelKind::unsigned_integer) kind = cudaChannelFormatKindUnsigned;
  for (const Normalized& one : normalized)
    if (const int step = format.format - one.first; step >= 0 && step < 3)
      kind = static_cast<cudaChannelFormatKind>(one.kind + step);
  return {bits(0), bits(1), bits(2), bits(3), kind};
}

TexelFormat view_format(int number) {
  constexpr Plain views[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, ChannelKind::unsigned_integer, 8},
      {CU_AD_FORMAT_SIGNED_INT8, ChannelKind::signed_integer, 8},
      {CU_AD_FORMAT_UNSIGNED_INT16, ChannelKind::unsigned_integer, 16},
      {CU_AD_FORMAT_SIGNED_INT16, ChannelKind::signed_integer, 16},
      {CU_AD_FORMAT_UNSIGNED_INT32, ChannelKind::unsigned_integer, 32},
      {CU_AD_FORMAT_SIGNED_INT32, ChannelKind::signed_integer, 32},
      {CU_AD_FORMAT_HALF, ChannelKind::floating, 16},
      {CU_AD_FORMAT_FLOAT, ChannelKind::floating, 32},
  };
  constexpr int last = cudaResViewFormatFloat4;
  if (number > last && number <= cudaResViewFormatUnsignedBlockCompressed7) refuse_format(number);
  if (number < 1 || number > last) throw Failure(cudaErrorInvalidValue, "there is no such format of a view");
  const Plain& one = views[(number - 1) / 3];
  return {one.kind, one.bits, channels_of_step[(number - 1) % 3]};
}

}  // namespace heddle::cuda_api
