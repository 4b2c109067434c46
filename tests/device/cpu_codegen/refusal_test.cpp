#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "device/cpu/codegen/arithmetic.hpp"
#include "device/cpu/codegen/soft_functions.hpp"
#include "device/cpu/codegen/soft_video.hpp"
#include "device/cpu_codegen/arithmetic_harness.hpp"
#include "heddle/error.hpp"

namespace heddle::test {
namespace {

void expect_refused(const std::string& text, const std::string& fragment) {
  SCOPED_TRACE(text);
  try {
    CompiledInstruction(parse_instruction(text), Processor::host, 16);
    ADD_FAILURE() << "was compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("line 14"), std::string::npos) << error.what();
  }
}

TEST(Refusal, NamesInstructionAndLine) {
  expect_refused("fma.rn.oob.f16 %h0, %h1, %h2, %h3", "fma.rn.oob.f16");
  expect_refused("cvt.rs.satfinite.e4m3x4.f32 %r0, {%r1, %r2, %r3, %r4}, %r5", "stochastic");
}

TEST(Handles, ArithmeticAndNothingElse) {
  using device::cpu::ArithmeticEmitter;
  for (ptx::Opcode opcode :
       {ptx::Opcode::add, ptx::Opcode::cvt, ptx::Opcode::mov, ptx::Opcode::prmt, ptx::Opcode::vset4})
    EXPECT_TRUE(ArithmeticEmitter::handles(opcode));
  for (ptx::Opcode opcode : {ptx::Opcode::ld, ptx::Opcode::bra, ptx::Opcode::shfl, ptx::Opcode::mma})
    EXPECT_FALSE(ArithmeticEmitter::handles(opcode));
}

TEST(SoftCode, PacksAndUnpacks) {
  device::cpu::SoftCode code;
  code.opcode = ptx::Opcode::cvt;
  code.type = ptx::Type::e4m3;
  code.type2 = ptx::Type::f32;
  code.rounding = ptx::Rounding::rp;
  code.sat = code.satfinite = true;
  code.extra = 0x0abcdef;
  const auto back = device::cpu::SoftCode::unpacked(code.packed());
  EXPECT_EQ(back.opcode, code.opcode);
  EXPECT_EQ(back.type, code.type);
  EXPECT_EQ(back.type2, code.type2);
  EXPECT_EQ(back.rounding, code.rounding);
  EXPECT_FALSE(back.ftz);
  EXPECT_TRUE(back.sat);
  EXPECT_FALSE(back.relu);
  EXPECT_TRUE(back.satfinite);
  EXPECT_EQ(back.extra, code.extra);
}

}  // namespace
}  // namespace heddle::test
