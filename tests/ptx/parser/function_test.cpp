// Headers, parameters, directives, declarations and their order.
#include "ptx/parser/fixture.hpp"

namespace heddle::ptx {
namespace {

using test::error_of;
using test::expect_stable;
using test::module;
using test::with_header;

TEST(ParseFunction, KernelParameters) {
  const Module m = module(
      ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 s[24], .param .u64 .ptr b, .param "
      ".f32 c)"
      ".maxntid 128, 2 .minnctapersm 2 .pragma \"nounroll\"; { ret; }");
  const Function& f = m.functions.at(0);
  EXPECT_TRUE(f.is_entry);
  EXPECT_EQ(f.linkage, Linkage::visible);
  ASSERT_EQ(f.parameters.size(), 4u);
  EXPECT_TRUE(f.parameters[0].is_pointer);
  EXPECT_EQ(f.parameters[0].pointer_space, Space::global);
  EXPECT_EQ(f.parameters[0].pointer_align, 16u);
  EXPECT_EQ(f.parameters[1].size(), 24u);
  EXPECT_EQ(f.parameters[1].alignment(), 8u);
  EXPECT_EQ(f.parameters[2].pointer_space, Space::generic);
  ASSERT_NE(f.directive("maxntid"), nullptr);
  EXPECT_EQ(f.directive("maxntid")->values, (std::vector<std::uint32_t>{128, 2}));
  EXPECT_EQ(f.directive("maxnreg"), nullptr);
  EXPECT_EQ(f.entry_pragmas, std::vector<std::string>{"nounroll"});
  expect_stable(m);
}

TEST(ParseFunction, AllPerformanceDirectives) {
  expect_stable(
      module(".entry a() .maxntid 1,2,3 .maxnreg 8 .maxnctapersm 2 { ret; } .entry b() .reqntid 4 .reqnctapercluster 2 "
             ".blocksareclusters { ret; }"
             ".entry c() .maxclusterrank 8 .explicitcluster { ret; } .func d() .noreturn .abi_preserve 3 "
             ".abi_preserve_control 2 { trap; }"));
}

TEST(ParseFunction, RegisterParametersBecomeRegisters) {
  const Module m = module(
      ".func (.reg .u32 r) f(.param .b64 m, .reg .u32 a, .reg .v2 .f32 v) { add.u32 r, a, a; mov.f32 v.x, v.y; ret; }");
  const Function& f = m.functions.at(0);
  ASSERT_EQ(f.parameters.size(), 4u);
  EXPECT_EQ(f.parameters[2].name, "v_x");
  EXPECT_EQ(f.return_registers, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(f.parameter_registers, (std::vector<std::uint32_t>{Function::no_register, 1, 2, 3}));
  EXPECT_EQ(f.registers.size(), 4u);
  expect_stable(m);
}

TEST(ParseFunction, DefinitionReplacesDeclaration) {
  const Module m = module(
      ".visible .func b(.param .b32 x); .func a(.param .b32 _)\n.func (.param .b32 r) a2()\n"
      ".entry k() { call b, (1); ret; } .func b(.param .b32 y) { ret; }");
  ASSERT_EQ(m.functions.size(), 4u);
  EXPECT_EQ(m.functions[0].name, "b");
  EXPECT_FALSE(m.functions[0].is_declaration);
  EXPECT_EQ(m.functions[0].linkage, Linkage::visible);
  EXPECT_EQ(m.functions[0].parameters[0].name, "y");
  EXPECT_TRUE(m.functions[1].is_declaration);
  EXPECT_TRUE(m.functions[2].is_declaration);
  EXPECT_EQ(m.find("k"), &m.functions[3]);
  EXPECT_EQ(m.find("nobody"), nullptr);
  expect_stable(m);
}

TEST(ParseFunction, MutualRecursionKeepsItsOrder) {
  const Module m = module(
      ".func a(); .func b(); .func c(); .global .u64 table[2] = {c, a};"
      ".func c() { call a; ret; } .func a() { call b; ret; } .func b() { call c; ret; }");
  EXPECT_EQ(m.functions[0].name, "a");
  EXPECT_EQ(m.functions[2].name, "c");
  expect_stable(m);
}

TEST(ParseFunction, LocalNamesDoNotHideModuleNames) {
  const Module m = module(
      ".global .u32 x; .entry k() { .reg .u64 %r1; { .reg .u32 x; mov.u32 x, 1; } mov.u64 %r1, x; ret; } .global .u32 "
      "%r1;");
  const Function& f = m.functions[0];
  EXPECT_EQ(f.registers[0].name, "x_1");
  EXPECT_EQ(f.registers[1].name, "%r1_1");
  EXPECT_EQ(f.body[1].operands[1].symbol, (SymbolRef{SymbolRef::Kind::module_variable, 0}));
  expect_stable(m);
}

TEST(ParseFunction, Mistakes) {
  EXPECT_EQ(error_of(with_header(".entry k( { }")), "t:4:11: found '{', expected '.param', '.reg' or ')'");
  EXPECT_EQ(error_of(with_header(".entry k(.param x) { }")), "t:4:17: found 'x', expected a type");
  EXPECT_EQ(error_of(with_header(".entry k() }")), "t:4:12: found '}', expected '{' or ';'");
  EXPECT_EQ(error_of(with_header(".entry k() { ret;")),
            "t:4:18: found the end of the text, expected an instruction, a label, a directive or '}'");
  EXPECT_EQ(error_of(with_header(".func f() { ret; } .func f() { ret; }")),
            "t:4:26: found 'f', expected a function that is not defined before");
  EXPECT_EQ(error_of(with_header(".global .u32 f; .func f() { ret; }")),
            "t:4:23: found 'f', expected a name that is not yet taken");
  EXPECT_EQ(error_of(with_header(".func f(.param .b32 a, .param .b32 a) { ret; }")),
            "t:4:36: found 'a', expected a name that is not yet taken");
  EXPECT_EQ(error_of(with_header(".func f() { call g; }")),
            "t:4:18: found 'g', expected a name that is declared before");
}

}  // namespace
}  // namespace heddle::ptx
