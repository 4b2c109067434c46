// What kernels for GPUs have otherwise, because ptxas 13.0 miscompiles it: docs/results/random-kernels-h200.md says how
// each was found. Kernels that are not for GPUs stay as they are.
//
// Much of it needs a zero that ptxas cannot know: the table's words are less than 2^31, which only its initialiser
// says, and the host might have changed them. In kernels with irregular flow the zero also seems to differ from thread
// to thread, so that nothing computed from it is put into the registers that a warp has in common.
//
// Vectors of 8- and 16-bit values are not loaded: a 32-bit register that had one, read as f16x2, was the whole word.
#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Opcode;
using ptx::Type;

// Behind the line that sets %k_tx.
void Writer::make_zero(std::string& text) {
  if (!s_.for_gpu) return;
  zero_ = temp(Type::b32);
  line(text, "ld.global.u32 {}, [global_table];", zero_);
  line(text, "shr.u32 {}, {}, 31;", zero_, zero_);
  if (must_vary()) line(text, "and.b32 {}, {}, %k_tx;", zero_, zero_);
}

// The same predicate for a branch. ptxas takes a predicate that decides a branch, and was set in a block before, to
// keep its value in a loop that sets it anew; and it ends with a segmentation fault where it finds that a call is never
// reached, its own ones for f64 arithmetic among them. The word is loaded anew each time, so that nothing follows from
// one predicate for another.
std::string Writer::unknown(std::string& text, const std::string& predicate) {
  if (!s_.for_gpu) return predicate;
  const std::string p = temp(Type::pred), word = temp(Type::b32);
  line(text, "ld.volatile.global.u32 {}, [global_table];", word);
  line(text, "setp.lt.xor.s32 {}, {}, 0, {};", p, word, predicate);
  return p;
}

// The same for a 32-bit number that decides a branch.
void Writer::make_unknown(std::string& text, const std::string& number) {
  if (!s_.for_gpu) return;
  const std::string word = temp(Type::b32);
  line(text, "ld.volatile.global.u32 {}, [global_table];", word);
  line(text, "shr.u32 {}, {}, 31;", word, word);
  line(text, "add.u32 {}, {}, {};", number, number, word);
}

// Where flow is irregular, ptxas keeps values that seem the same for the warp, and are changed in loops, in registers
// that the warp has in common, although its lanes come there one after the other.
void Writer::vary(std::string& text, const std::string& reg, Type type) {
  if (!must_vary()) return;
  const unsigned width = ptx::bit_width(type);
  std::string zero = zero_;
  if (width != 32) {
    zero = temp(width == 64 ? Type::b64 : Type::b16);
    line(text, "cvt.u{}.u32 {}, {};", width, zero, zero_);
  }
  line(text, "or.b{} {}, {}, {};", width, reg, reg, zero);
}

void Writer::start_counter(std::string& text, const std::string& counter, const std::string& value) {
  if (must_vary())
    line(text, "add.u32 {}, {}, {};", counter, zero_, value);
  else
    line(text, "mov.u32 {}, {};", counter, value);
}

// Lanes of a warp may come to a barrier one after the other behind irregular flow, which only this form allows.
const char* Writer::barrier_name() const { return must_vary() ? "barrier" : "bar"; }

namespace {

// Clears a bit of each exponent: what is left is no NaN.
std::string number_mask(Type type) {
  if (ptx::bit_width(type) == 16) return "0xbfff";
  return ptx::element_count(type) == 2 ? "0xbfffbfff" : "0xbfffffff";
}

}  // namespace

// The instruction with another last operand, made by the lines `before`, where ptxas goes wrong:
// - neg and abs of a NaN is any NaN, says PTX, and is another one where ptxas folds (f64 registers are never looked at
//   as bits);
// - neg and abs of the least 16-bit integer is a positive 17-bit number to the next instruction;
// - a 64-bit shift takes an amount that an f32 instruction wrote for a number and converts it;
// - shl.b64 by a constant of 64 or more is forgotten when it shifts a product with a constant.
std::string Writer::adapted(const Choice& choice, const std::string& instruction, std::string& before) {
  const std::size_t at = instruction.rfind(' ') + 1;
  const std::string last = instruction.substr(at, instruction.size() - at - 1);
  const Type type = choice.d.type;
  const unsigned width = ptx::bit_width(type);
  std::string instead;
  switch (choice.form->opcode) {
    case Opcode::neg:
    case Opcode::abs:
      if (ptx::is_float(type) && width < 64) {
        instead = temp(width == 16 ? Type::b16 : Type::b32);
        line(before, "and.b{} {}, {}, {};", width, instead, last, number_mask(type));
      } else if (type == Type::s16) {
        instead = temp(Type::b16);
        line(before, "max.s16 {}, {}, -32767;", instead, last);
      }
      break;
    case Opcode::shl:
    case Opcode::shr:
      if (width < 64 || (last.front() != '%' && std::stoul(last) < 64)) break;
      instead = temp(Type::b32);
      line(before, "or.b32 {}, {}, {};", instead, zero_, last);
      break;
    default: break;
  }
  return instead.empty() ? instruction : instruction.substr(0, at) + instead + ";";
}

// A register whose low bits are stored: ptxas takes one that an f16, bf16 or f32 instruction wrote for a number and
// converts it, unless it is copied.
std::string Writer::stored_part(std::string& text, const Reg& reg, Type type) {
  const unsigned width = ptx::bit_width(reg.type);
  if (!s_.for_gpu || width > 32 || ptx::bit_width(type) >= width) return reg.name;
  const std::string copy = temp(width == 32 ? Type::b32 : Type::b16);
  line(text, "mov.b{} {}, {};", width, copy, reg.name);
  return copy;
}

}  // namespace heddle::test::random_kernel
