#include "device/cpu/codegen/soft_functions.hpp"

#include <cstring>

#include "device/cpu/codegen/soft_code.hpp"
#include "device/cpu/codegen/soft_video.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/evaluate_video.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/integer.hpp"

namespace heddle::device::cpu {

namespace semantics = ptx::semantics;
using ptx::Opcode;
using ptx::Type;

namespace {

std::uint64_t load(const void* array, std::uint32_t index, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, static_cast<const char*>(array) + std::size_t{index} * bytes, bytes);
  return value;
}

void store(void* array, std::uint32_t index, unsigned bytes, std::uint64_t value) {
  std::memcpy(static_cast<char*>(array) + std::size_t{index} * bytes, &value, bytes);
}

unsigned memory_bytes(Type type) { return (ptx::bit_width(type) + 7) / 8; }

semantics::FloatMode mode_of(const SoftCode& code) {
  semantics::FloatMode mode;
  mode.rounding = code.rounding;
  mode.ftz = code.ftz;
  mode.sat = code.sat;
  mode.relu = code.relu;
  mode.satfinite = code.satfinite;
  return mode;
}

void float_arithmetic(std::uint32_t lanes, std::uint64_t packed, void* result, const void* a, const void* b,
                      const void* c) {
  const SoftCode code = SoftCode::unpacked(packed);
  const semantics::Format format = semantics::format_of(code.type);
  const semantics::FloatMode mode = mode_of(code);
  const unsigned bytes = memory_bytes(code.type);
  const auto evaluate = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    switch (code.opcode) {
      case Opcode::add: return semantics::float_add(format, x, y, mode);
      case Opcode::sub: return semantics::float_sub(format, x, y, mode);
      case Opcode::mul: return semantics::float_mul(format, x, y, mode);
      case Opcode::div: return semantics::float_div(format, x, y, mode);
      case Opcode::rcp: return semantics::float_rcp(format, x, mode);
      case Opcode::sqrt: return semantics::float_sqrt(format, x, mode);
      default: return semantics::float_fma(format, x, y, z, mode);
    }
  };
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const std::uint64_t x = load(a, i, bytes), y = b ? load(b, i, bytes) : 0, z = c ? load(c, i, bytes) : 0;
    store(result, i, bytes, evaluate(x, y, z));
  }
}

void convert(std::uint32_t lanes, std::uint64_t packed, void* result, const void* a, const void*, const void*) {
  const SoftCode code = SoftCode::unpacked(packed);
  const semantics::FloatMode mode = mode_of(code);
  const unsigned to_bytes = memory_bytes(code.type), from_bytes = memory_bytes(code.type2);
  for (std::uint32_t i = 0; i < lanes; ++i)
    store(result, i, to_bytes, semantics::convert(code.type, code.type2, load(a, i, from_bytes), mode));
}

// Two f32 operands, the first for the upper half, and their random bits: 13 (f16) or 16 (bf16) in each half of a word.
void convert_stochastic(std::uint32_t lanes, std::uint64_t packed, void* result, const void* a, const void* b,
                        const void* c) {
  const SoftCode code = SoftCode::unpacked(packed);
  const semantics::FloatMode mode = mode_of(code);
  const Type part = ptx::element(code.type);
  const unsigned width = part == Type::f16 ? 13 : 16;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const auto random = static_cast<std::uint32_t>(load(c, i, 4));
    const std::uint64_t high = semantics::convert_stochastic(part, load(a, i, 4), random >> 16, width, mode);
    const std::uint64_t low = semantics::convert_stochastic(part, load(b, i, 4), random, width, mode);
    store(result, i, 4, high << 16 | low);
  }
}

void find_nth_set(std::uint32_t lanes, std::uint64_t, void* result, const void* a, const void* b, const void* c) {
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const auto mask = static_cast<std::uint32_t>(load(a, i, 4)), base = static_cast<std::uint32_t>(load(b, i, 4));
    const auto n = static_cast<std::int32_t>(static_cast<std::uint32_t>(load(c, i, 4)));
    store(result, i, 4, semantics::find_nth_set(mask, base, n));
  }
}

void video(std::uint32_t lanes, std::uint64_t packed, void* result, const void* a, const void* b, const void* c) {
  const ptx::Instruction inst = video_instruction(SoftCode::unpacked(packed));
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const auto x = static_cast<std::uint32_t>(load(a, i, 4)), y = static_cast<std::uint32_t>(load(b, i, 4));
    const auto z = c ? static_cast<std::uint32_t>(load(c, i, 4)) : 0;
    store(result, i, 4, semantics::evaluate_video(inst, x, y, z));
  }
}

using Untyped = void (*)();
const Untyped table[] = {
#define HEDDLE_SOFT_FUNCTION(name) reinterpret_cast<Untyped>(&name),
#include "device/cpu/codegen/soft_functions.def"
#undef HEDDLE_SOFT_FUNCTION
};

}  // namespace

void (*const* soft_functions())() { return table; }

}  // namespace heddle::device::cpu
