#include "ptx/parser/fixture.hpp"
#include "ptx/selector.hpp"

namespace heddle::ptx {
namespace {

using test::expect_stable;
using test::kernel;

TEST(ParseOperand, Addresses) {
  const Module m = kernel(
      "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+-4]; ld.global.u32 %r1, [%rd1+4*2+1]; ld.global.u32 %r1, "
      "[a+8];"
      "ld.local.u32 %r1, [256]; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, a[3]; mov.u64 %rd1, a[2]; mov.u64 %rd1, a; "
      "ret;",
      ".global .u32 a[8]; ");
  const auto& body = m.functions[0].body;
  const auto address = [&](unsigned i) { return body[i].operands[1]; };
  EXPECT_EQ(address(0), Operand::make_address_reg(1));
  EXPECT_EQ(address(1).value, -4);
  EXPECT_EQ(address(2).value, 9);
  EXPECT_EQ(address(3), Operand::make_address_symbol({SymbolRef::Kind::module_variable, 0}, 8));
  EXPECT_EQ(address(4).base, OperandKind::none);
  EXPECT_EQ(address(4).value, 256);
  EXPECT_EQ(address(5), Operand::make_address_symbol({SymbolRef::Kind::parameter, 0}));
  EXPECT_EQ(address(6), Operand::make_address_symbol({SymbolRef::Kind::module_variable, 0}, 12));
  EXPECT_EQ(address(7).kind, OperandKind::symbol);
  EXPECT_EQ(address(7).value, 8);
  expect_stable(m);
}

TEST(ParseOperand, PairsSinksAndNegation) {
  const Module m = kernel(
      "setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3; shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; mov.b64 {%r1, _}, %rd1; "
      "ret;");
  const auto& body = m.functions[0].body;
  ASSERT_EQ(body[0].operands.size(), 5u);
  EXPECT_EQ(body[0].operands[1].index, 1u);
  EXPECT_TRUE(body[0].operands[4].negated);
  EXPECT_EQ(body[2].operands[0].elements[1].kind, OperandKind::sink);
  EXPECT_EQ(test::body_of(m),
            "setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;\nshfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;\nmov.b64 {%r1, _}, "
            "%rd1;\nret;\n");
  expect_stable(m);
}

TEST(ParseOperand, ScalarsInBraces) {
  EXPECT_EQ(test::body_of(kernel("ld.global.u32 {%r1}, [%rd1]; st.global.u32 [%rd1], {%r1}; ret;")),
            "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n");
}

TEST(ParseOperand, SpecialRegisters) {
  const Module m =
      kernel("mov.u32 %r1, %ctaid.z; mov.u32 %r1, WARP_SZ; mov.u64 %rd1, %clock64; mov.u32 %r1, %ntid.w; ret;");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].operands[1].special, SpecialRegister::ctaid_z);
  EXPECT_EQ(body[1].operands[1].special, SpecialRegister::warpsize);
  EXPECT_EQ(body[2].operands[1].special, SpecialRegister::clock64);
  EXPECT_EQ(body[3].operands[1], Operand::make_integer(0));
  expect_stable(m);
}

TEST(ParseOperand, Unified) {
  const Module m = kernel("ld.global.u32 %r1, [%rd1].unified; ret;");
  EXPECT_TRUE(m.functions[0].body[0].has(Modifier::unified));
  EXPECT_EQ(test::body_of(m), "ld.global.u32 %r1, [%rd1].unified;\nret;\n");
}

TEST(ParseOperand, SuffixesWithColonsAreOne) {
  const Module m = kernel("ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1]; mov .u32 %r1, 3; ret;");
  EXPECT_EQ(m.functions[0].body[0].modifiers.size(), 4u);
  EXPECT_EQ(m.functions[0].body[0].modifiers[1], Modifier::l1_no_allocate);
  EXPECT_EQ(m.functions[0].body[0].modifiers[2], Modifier::l2_128b);
  EXPECT_EQ(m.functions[0].body[1].d.type, Type::u32);
}

TEST(Selector, NamesAndNumbersAgree) {
  for (unsigned i = 1; i <= 6; ++i) EXPECT_EQ(selector_from_name(selector_name(static_cast<std::uint16_t>(i))), i);
  for (const char* name : {"b0", "b3", "h0", "h1", "h10", "h32", "b10", "b210", "b3210", "b7654", "b0000"})
    EXPECT_EQ(selector_name(selector_from_name(name)), name);
  EXPECT_EQ(selector_from_name("b0"), 1);
  EXPECT_EQ(selector_from_name("h1"), 6);
  for (const char* name : {"", "b", "b4", "h2", "x", "b99", "b32100", "h44", "c0"})
    EXPECT_EQ(selector_from_name(name), 0) << name;
}

}  // namespace
}  // namespace heddle::ptx
