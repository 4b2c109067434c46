// Video instructions (PTX ISA 9.7.19): scalar ones on a byte, half or word of 32-bit operands, and SIMD ones on two
// halves or four bytes.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

enum class VideoOp : std::uint8_t { add, sub, absdiff, min, max, shl, shr, set, average };
// What is done with the third operand.
enum class VideoSecond : std::uint8_t { none, add, min, max };

// Which part of a 32-bit word: 32 bits wide at 0, a half (16) or a byte (8).
struct VideoPart {
  std::uint8_t width = 32, index = 0;
};

struct VideoMode {
  VideoOp op = VideoOp::add;
  bool d_signed = false, a_signed = false, b_signed = false;
  bool sat = false;
  bool wrap = false;                // of shl and shr; else clamp
  Compare compare = Compare::none;  // of set
  VideoSecond second = VideoSecond::none;
};

// vadd vsub vabsdiff vmin vmax vshl vshr vset. Without a second operation the result is merged into c at `d_part`.
std::uint32_t video_scalar(const VideoMode& mode, VideoPart d_part, std::uint32_t a, VideoPart a_part, std::uint32_t b,
                           VideoPart b_part, std::uint32_t c);

struct VideoMadMode {
  bool a_signed = false, b_signed = false;
  bool a_negated = false, b_negated = false, c_negated = false;
  bool plus_one = false;  // .po
  bool sat = false;
  unsigned shift = 0;  // 0, 7 or 15
};
std::uint32_t video_mad(const VideoMadMode& mode, std::uint32_t a, VideoPart a_part, std::uint32_t b, VideoPart b_part,
                        std::uint32_t c);

// SIMD: `lanes` is 2 or 4; a_lanes and b_lanes name for each lane, lowest first, its part of the pair {b, a} (0 the
// lowest part of a); `mask` says which lanes are computed. mode.second add accumulates the lanes into c; else lanes
// outside the mask come from c.
std::uint32_t video_simd(const VideoMode& mode, unsigned lanes, std::uint32_t a, std::array<std::uint8_t, 4> a_lanes,
                         std::uint32_t b, std::array<std::uint8_t, 4> b_lanes, std::uint32_t c, unsigned mask);

}  // namespace heddle::ptx::semantics
