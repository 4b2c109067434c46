#include "ptx/semantics/video.hpp"

#include <algorithm>

#include "heddle/error.hpp"
#include "ptx/semantics/float_format.hpp"

namespace heddle::ptx::semantics {
namespace {

std::int64_t extract(std::uint32_t value, VideoPart part, bool is_signed_part) {
  const std::uint64_t bits =
      (std::uint64_t{value} >> (part.width * part.index)) & ((std::uint64_t{1} << part.width) - 1);
  if (!is_signed_part) return static_cast<std::int64_t>(bits);
  const unsigned unused = 64u - part.width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

s128 saturate(s128 value, bool is_signed_result, unsigned width) {
  const s128 span = s128{1} << width;
  return is_signed_result ? std::clamp(value, -span / 2, span / 2 - 1) : std::clamp(value, s128{0}, span - 1);
}

bool holds(Compare compare, std::int64_t a, std::int64_t b) {
  switch (compare) {
    case Compare::eq: return a == b;
    case Compare::ne: return a != b;
    case Compare::lt: return a < b;
    case Compare::le: return a <= b;
    case Compare::gt: return a > b;
    case Compare::ge: return a >= b;
    default: throw Error(ErrorCode::internal, "not a comparison of a video instruction");
  }
}

s128 apply(const VideoMode& mode, std::int64_t a, std::int64_t b) {
  switch (mode.op) {
    case VideoOp::add: return s128{a} + b;
    case VideoOp::sub: return s128{a} - b;
    case VideoOp::absdiff: return a > b ? s128{a} - b : s128{b} - a;
    case VideoOp::min: return std::min(a, b);
    case VideoOp::max: return std::max(a, b);
    case VideoOp::set: return holds(mode.compare, a, b) ? 1 : 0;
    case VideoOp::average: {
      const s128 sum = s128{a} + b;  // the half is rounded away from zero
      return (sum >= 0 ? sum + 1 : sum) >> 1;
    }
    case VideoOp::shl:
    case VideoOp::shr: {
      const std::int64_t amount = mode.wrap ? b & 31 : std::clamp<std::int64_t>(b, 0, 32);
      return mode.op == VideoOp::shl ? static_cast<s128>(static_cast<u128>(s128{a}) << amount) : s128{a} >> amount;
    }
  }
  throw Error(ErrorCode::internal, "not a video operation");
}

std::uint32_t merge(std::uint32_t value, VideoPart part, std::uint32_t into) {
  if (part.width == 32) return value;
  const std::uint32_t mask = ((1u << part.width) - 1) << (part.width * part.index);
  return (into & ~mask) | ((value << (part.width * part.index)) & mask);
}

}  // namespace

std::uint32_t video_scalar(const VideoMode& mode, VideoPart d_part, std::uint32_t a, VideoPart a_part, std::uint32_t b,
                           VideoPart b_part, std::uint32_t c) {
  s128 value = apply(mode, extract(a, a_part, mode.a_signed), extract(b, b_part, mode.b_signed));
  if (mode.sat) value = saturate(value, mode.d_signed, d_part.width);
  const auto bits = static_cast<std::uint32_t>(value);
  const bool is_signed_result = mode.d_signed;
  const auto signed_bits = static_cast<std::int32_t>(bits), signed_c = static_cast<std::int32_t>(c);
  switch (mode.second) {
    case VideoSecond::none: return merge(bits, d_part, c);
    case VideoSecond::add: return bits + c;
    case VideoSecond::min:
      return is_signed_result ? static_cast<std::uint32_t>(std::min(signed_bits, signed_c)) : std::min(bits, c);
    case VideoSecond::max:
      return is_signed_result ? static_cast<std::uint32_t>(std::max(signed_bits, signed_c)) : std::max(bits, c);
  }
  return bits;
}

std::uint32_t video_mad(const VideoMadMode& mode, std::uint32_t a, VideoPart a_part, std::uint32_t b, VideoPart b_part,
                        std::uint32_t c) {
  const bool product_negated = mode.a_negated != mode.b_negated;
  const bool is_signed_result = mode.a_signed || mode.b_signed || product_negated || mode.c_negated;
  s128 product = s128{extract(a, a_part, mode.a_signed)} * extract(b, b_part, mode.b_signed);
  s128 carry = mode.plus_one ? 1 : 0;
  if (!mode.plus_one && product_negated) product = -product;
  if (!mode.plus_one && !product_negated && mode.c_negated) {
    c = ~c;
    carry = 1;
  }
  const s128 addend = static_cast<std::int32_t>(c);  // GPUs extend c by its sign also when all operands are unsigned
  s128 value = (product + addend + carry) >> mode.shift;
  if (mode.sat) value = saturate(value, is_signed_result, 32);
  return static_cast<std::uint32_t>(value);
}

std::uint32_t video_simd(const VideoMode& mode, unsigned lanes, std::uint32_t a, std::array<std::uint8_t, 4> a_lanes,
                         std::uint32_t b, std::array<std::uint8_t, 4> b_lanes, std::uint32_t c, unsigned mask) {
  const auto width = static_cast<std::uint8_t>(32 / lanes);
  const auto pick = [&](std::uint8_t place, bool is_signed_part) {
    const auto index = static_cast<std::uint8_t>(place % lanes);
    return extract(place < lanes ? a : b, {width, index}, is_signed_part);
  };
  std::uint32_t result = c;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!((mask >> lane) & 1)) continue;
    s128 value = apply(mode, pick(a_lanes[lane], mode.a_signed), pick(b_lanes[lane], mode.b_signed));
    if (mode.sat) value = saturate(value, mode.d_signed, width);
    const auto bits = static_cast<std::uint32_t>(value);
    if (mode.second == VideoSecond::add) {
      result += bits;  // with the carries out of the lane
    } else {
      result = merge(bits, {width, static_cast<std::uint8_t>(lane)}, result);
    }
  }
  return result;
}

}  // namespace heddle::ptx::semantics
