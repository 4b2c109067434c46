// Registers, scopes, labels, tables, calls and source locations.
#include "ptx/parser/fixture.hpp"

namespace heddle::ptx {
namespace {

using test::body_of;
using test::error_of;
using test::expect_stable;
using test::kernel;
using test::kernel_text;

std::string body_error(std::string_view body, std::string_view before = {}) {
  return error_of(kernel_text(body, before));
}

TEST(ParseBody, OnlyUsedRegistersInOrderOfUse) {
  const Module m = kernel(".reg .b32 a, b, c<4000000000>; add.s32 %r7, c3999999999, %r2; mov.u32 a, %r7; ret;");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.registers.size(), 4u);
  EXPECT_EQ(f.registers[0], (Register{"%r7", Type::b32}));
  EXPECT_EQ(f.registers[1].name, "c3999999999");
  EXPECT_EQ(f.registers[2].name, "%r2");
  EXPECT_EQ(f.registers[3].name, "a");
  expect_stable(m);
}

TEST(ParseBody, ScopesAreFlattened) {
  const Module m = kernel(
      "mov.u32 %r1, 1; { .reg .b32 %r<5>, t; mov.u32 %r1, 2; mov.u32 t, %r1; { .reg .b32 t; mov.u32 t, 3; } mov.u32 t, "
      "4; }"
      "{ .reg .b32 t; mov.u32 t, %r1; } ret;");
  EXPECT_EQ(body_of(m),
            "mov.u32 %r1, 1;\nmov.u32 %r1_1, 2;\nmov.u32 t, %r1_1;\nmov.u32 t_1, 3;\nmov.u32 t, 4;\nmov.u32 t_2, "
            "%r1;\nret;\n");
  expect_stable(m);
}

TEST(ParseBody, MadeNamesStayClearOfNumberedRegisters) {
  const Module m = kernel(
      ".reg .b32 %t_<9>, %t; mov.u32 %t_2, 1; mov.u32 %t, 2; { .reg .b32 %t; mov.u32 %t, 3; } mov.u32 %t_1, 4;"
      "{ .reg .b32 %t; mov.u32 %t, 5; } ret;");
  EXPECT_EQ(body_of(m),
            "mov.u32 %t_2, 1;\nmov.u32 %t, 2;\nmov.u32 %t_1, 3;\nmov.u32 %t_1_1, 4;\nmov.u32 %t_3, 5;\nret;\n");
  expect_stable(m);
}

TEST(ParseBody, NumberedRegistersWithEveryOddity) {
  // A leading zero, a plain register that looks numbered, a prefix that ends in a digit, an inner range over an outer
  // one.
  const Module m = kernel(
      "mov.u32 %r1, 0; mov.u32 %r01, 1; .reg .b32 %x7; mov.u32 %x7, %r1; .reg .b32 %y1<4>, %y<3>; mov.u32 %y12, %y1;"
      "{ .reg .b64 %r<3>; mov.u64 %r1, 2; mov.u32 %r5, 3; } mov.u32 %r1, 4; ret;");
  EXPECT_EQ(
      body_of(m),
      "mov.u32 %r1, 0;\nmov.u32 %r1, 1;\nmov.u32 %x7, %r1;\nmov.u32 %y12, %y1;\nmov.u64 %r1_1, 2;\nmov.u32 %r5, 3;\n"
      "mov.u32 %r1, 4;\nret;\n");
  EXPECT_EQ(m.functions[0].registers[4].type, Type::b64);
  expect_stable(m);
}

TEST(ParseBody, NamesOfSpecialRegistersAreKeptFree) {
  const Module m = kernel("{ .reg .u32 %tid, %pm<2>; mov.u32 %tid, 1; mov.u32 %pm1, 2; } mov.u32 %r1, %tid.x; ret;");
  EXPECT_EQ(m.functions[0].registers[0].name, "%tid_1");
  EXPECT_EQ(m.functions[0].registers[1].name, "%pm1_1");
  EXPECT_EQ(m.functions[0].body[2].operands[1].special, SpecialRegister::tid_x);
  expect_stable(m);
}

TEST(ParseBody, VectorRegistersBecomeScalars) {
  const Module m = kernel(
      ".reg .v4 .f32 v; .reg .v2 .u32 w<2>; ld.global.v4.f32 v, [%rd1]; add.f32 v.x, v.g, v.w; mov.u32 w1.y, %tid.x;"
      "st.global.v2.u32 [%rd1], {w1.y, _}; ret;");
  EXPECT_EQ(body_of(m),
            "ld.global.v4.f32 {v_x, v_y, v_z, v_w}, [%rd1];\nadd.f32 v_x, v_y, v_w;\nmov.u32 w1_y, %tid.x;\n"
            "st.global.v2.u32 [%rd1], {w1_y, _};\nret;\n");
  expect_stable(m);
}

TEST(ParseBody, VectorMovesBecomeScalarMoves) {
  const Module m = kernel(
      "mov.v2.u32 {%r1, %r2}, {%r3, 4}; mov.v2.u32 {%r1, %r2}, {%r2, %r1}; mov.v4.u32 {%r1, _, %r3, _}, %tid; ret;");
  EXPECT_EQ(
      body_of(m),
      "mov.u32 %r1, %r3;\nmov.u32 %r2, 4;\nmov.u32 %heddle, %r2;\nmov.u32 %heddle_1, %r1;\nmov.u32 %r1, %heddle;\n"
      "mov.u32 %r2, %heddle_1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, %tid.z;\nret;\n");
  expect_stable(m);
  EXPECT_EQ(body_error("mov.v4.u32 {%r1, %r2}, {%r3, %r4};"),
            "t:6:12: found '{', expected vectors of the length that the suffix says");
}

TEST(ParseBody, RegisterWithOffsetIsAddedFirst) {
  const Module m = kernel("st.global.u64 [%rd1+8], %rd2 + 3; @%p1 mov.u32 %r1, %r2+-1; ret;");
  EXPECT_EQ(body_of(m),
            "add.s64 %heddle, %rd2, 3;\nst.global.u64 [%rd1+8], %heddle;\nadd.s32 %heddle_1, %r2, -1;\n"
            "@%p1 mov.u32 %r1, %heddle_1;\nret;\n");
  expect_stable(m);
  EXPECT_NE(body_error("add.f32 %f1, %f2+1, %f3;").find("only after an integer register that is read"),
            std::string::npos);
  EXPECT_NE(body_error("add.u32 %r1+1, %r2, %r3;").find("only after an integer register that is read"),
            std::string::npos);
  EXPECT_NE(body_error("st.global.v2.u32 [%rd1], {%r1+1, %r2};").find("without an offset"), std::string::npos);
}

TEST(ParseBody, LabelsBelongToTheirScope) {
  const Module m = kernel("{ bra L; L: } { bra L; L: bra M; { bra M; } } bra L; L: M: ret; N:");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.labels.size(), 5u);
  EXPECT_EQ(f.labels[0], (Label{"L", 1}));
  EXPECT_EQ(f.labels[1], (Label{"L_1", 2}));
  EXPECT_EQ(f.labels[2], (Label{"L_2", 5}));
  EXPECT_EQ(f.labels[3], (Label{"M", 5}));
  EXPECT_EQ(f.labels[4], (Label{"N", 6}));
  const std::uint32_t targets[] = {0, 1, 3, 3, 2};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(f.body[i].operands[0].index, targets[i]) << i;
  expect_stable(m);
}

TEST(ParseBody, Tables) {
  const Module m = kernel(
      "T: .branchtargets A, B, A; brx.idx %r1, T; A: B: C: .calltargets f, g;"
      "P: .callprototype (.param .b32 _) _ (.param .b64 a, .param .align 8 .b8 _[16]) .noreturn;"
      "{ .param .b64 q; .param .b32 r; call (r), %rd1, (q), P; call %rd1, (q), C; } ret;",
      ".func f(.param .b64 x) .func g(.param .b64 x) ");
  const auto& tables = m.functions[2].tables;
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0].targets, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(tables[1].kind, Table::Kind::call_targets);
  EXPECT_EQ(tables[1].targets, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(tables[2].noreturn);
  EXPECT_EQ(tables[2].parameters[1].size(), 16u);
  EXPECT_EQ(m.functions[2].body[0].operands[1].kind, OperandKind::table);
  expect_stable(m);
}

TEST(ParseBody, CallsInAllForms) {
  const Module m = kernel(
      "call n; call.uni n; call f, (%r1); call (%r2), g, (1, %r3); @%p1 call n; ret;",
      ".func n() { ret; } .func f(.reg .b32 a) { ret; } .func (.reg .b32 r) g(.reg .b32 a, .reg .b32 b) { ret; }");
  EXPECT_EQ(body_of(m), "call n;\ncall.uni n;\ncall f, (%r1);\ncall (%r2), g, (1, %r3);\n@%p1 call n;\nret;\n");
  expect_stable(m);
}

TEST(ParseBody, LocationsAndPragmas) {
  const Module m = kernel(
      ".loc 1 2 3\nret; ret;\n.loc 1 9 1\n.loc 1 4 5, function_name $info+4, inlined_at 1 9 1\n.pragma "
      "\"nounroll\";\nret;\n.loc 1 4 5\n");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.locs.size(), 4u);
  EXPECT_EQ(f.body[0].where.loc, 1u);
  EXPECT_EQ(f.body[1].where.loc, 1u);
  EXPECT_EQ(f.body[2].where.loc, 3u);
  EXPECT_EQ(f.locs[2].function_name, "$info+4");
  EXPECT_EQ(f.locs[2].inlined_line, 9u);
  EXPECT_EQ(f.pragmas.at(0), (Pragma{"nounroll", 2}));
  EXPECT_EQ(f.body[0].where.line, 7u);
  EXPECT_EQ(f.body[1].where.column, 6u);
  expect_stable(m);
}

TEST(ParseBody, LocalVariables) {
  const Module m = kernel(
      ".local .align 4 .b8 depot[16]; .shared .u32 s<2>; { .param .b32 q; st.param.b32 [q], %r1; } { .param .b32 q; "
      "st.param.b32 [q], %r2; }"
      "mov.u64 %rd1, depot+4; mov.u32 %r1, s1; ret;");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.variables.size(), 5u);
  EXPECT_EQ(f.variables[0].space, Space::local);
  EXPECT_EQ(f.variables[4].name, "q_1");
  EXPECT_EQ(f.body[1].operands[0].symbol, (SymbolRef{SymbolRef::Kind::local_variable, 4}));
  EXPECT_EQ(f.body[2].operands[1].value, 4);
  expect_stable(m);
}

TEST(ParseBody, DeepScopesNeedNoStack) {
  const std::string open(100000, '{'), close(100000, '}');
  expect_stable(kernel(open + "bra L;" + close + "L: ret;"));
}

TEST(ParseBody, Mistakes) {
  EXPECT_EQ(body_error("ad.u32 %r1, %r2, %r3;"), "t:6:1: found 'ad', expected an instruction");
  EXPECT_EQ(body_error("mov.q32 %r1, %r2;"), "t:6:4: found '.q32', expected a suffix of 'mov'");
  EXPECT_EQ(body_error("ld.unified.global.u32 %r1, [%rd1];"),
            "t:6:3: found '.unified', expected a suffix of 'ld' ('.unified' stands behind the address)");
  EXPECT_EQ(body_error("mov.u32 %r1, %r99;"), "t:6:14: found '%r99', expected a name that is declared before");
  EXPECT_EQ(body_error("mov.u32 %r1, %r2"), "t:7:1: found '}', expected ';'");
  EXPECT_EQ(body_error("bra L;"), "t:6:5: found 'L', expected a label that is defined in this function");
  EXPECT_EQ(body_error("{ L: } bra L;"), "t:6:12: found 'L', expected a label that is defined in this function");
  EXPECT_EQ(body_error("L: L: ret;"), "t:6:4: found 'L', expected a name that is not yet taken");
  EXPECT_EQ(body_error(".reg .b32 a, a;"), "t:6:14: found 'a', expected a name that is not yet taken");
  EXPECT_EQ(body_error("@%r1 ret;"), "t:6:2: found '%r1', expected a predicate register");
  EXPECT_EQ(body_error(".maxntid 3;"),
            "t:6:1: found '.maxntid', expected a directive that may stand in a function, such as '.reg', '.shared' or "
            "'.loc'");
  EXPECT_EQ(body_error("T: .branchtargets A; ret;"),
            "t:6:19: found 'A', expected a label that is defined in this function");
  EXPECT_EQ(body_error("ld.global.u32 %r1, [%tid.x];"),
            "t:6:21: found '%tid', expected a register, a variable or a constant as an address");
  EXPECT_NE(body_error("ld.global.u32 %r1, a[%r2];", ".global .u32 a[4]; ").find("compute the address instead"),
            std::string::npos);
  EXPECT_NE(body_error("mov.rn.rz.rm.rp.rn.rz.rm.rp.rn.rz.rm.rp.rn.rz.rm.rp.u32 %r1, 1;").find("fewer suffixes"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::ptx
