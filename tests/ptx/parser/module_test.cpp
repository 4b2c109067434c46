// Module directives, variables and initialisers.
#include <bit>

#include "ptx/parser/fixture.hpp"

namespace heddle::ptx {
namespace {

using test::error_of;
using test::expect_stable;
using test::module;
using test::with_header;

const Variable& only(const Module& m) {
  EXPECT_EQ(m.variables.size(), 1u);
  return m.variables.at(0);
}

std::vector<std::uint64_t> bits(const Variable& v) {
  std::vector<std::uint64_t> result;
  for (const InitValue& value : v.init) result.push_back(value.bits);
  return result;
}

TEST(ParseModule, Header) {
  const Module m = parse(".version 6.3 .target sm_75, texmode_independent, debug .address_size 64", "t");
  EXPECT_EQ(m.version_major, 6u);
  EXPECT_EQ(m.version_minor, 3u);
  EXPECT_EQ(m.targets, (std::vector<std::string>{"sm_75", "texmode_independent", "debug"}));
  EXPECT_EQ(m.address_size, 64u);
  EXPECT_EQ(parse(".version 2.1\n.target sm_20", "t").address_size, 32u);
  EXPECT_EQ(parse(".version 6.0\n.target sm_50", "t").address_size, 64u);
  // Before there was a directive, only the registers of addresses told.
  const std::string load = ".version 1.4\n.target sm_10\n.entry k() { .reg .u32 %r; .reg .u64 %d; ld.global.u32 %r, ";
  EXPECT_EQ(parse(load + "[%d]; exit; }", "t").address_size, 64u);
  EXPECT_EQ(parse(load + "[%r]; exit; }", "t").address_size, 32u);
}

TEST(ParseModule, FilesPragmasSectionsAliases) {
  const Module m = module(
      ".file 1 \"a.cu\", 12, 34\n.file 2 \"b \\\" c\"\n.pragma \"x\", \"y\";\n"
      ".section .debug_str { L: .b8 1 } .section .debug_x { { } }\n.func g(); .func f() { ret; } .alias g, f;");
  ASSERT_EQ(m.files.size(), 2u);
  EXPECT_EQ(m.files[0], (SourceFile{1, "a.cu", 12, 34}));
  EXPECT_EQ(m.files[1].name, "b \\\" c");
  EXPECT_EQ(m.module_pragmas, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(m.sections, ".section .debug_str { L: .b8 1 }\n.section .debug_x { { } }\n");
  ASSERT_EQ(m.aliases.size(), 1u);
  EXPECT_EQ(m.aliases[0], (Alias{"g", "f"}));
  expect_stable(m);
}

TEST(ParseVariable, SpacesLinkageAndShape) {
  const Module m = module(
      ".visible .global .align 16 .v4 .f32 a[2][3];\n.weak .const .u8 b = 255;\n.extern .shared .align 8 .b8 c[];\n"
      ".common .global .s32 d;\n.shared .b64 e, f[4];\n.global .attribute(.managed) .u32 g;\n.global .u32 h<3>;\n"
      ".global .attribute(.unified(1, 2)) .u32 i;");
  ASSERT_EQ(m.variables.size(), 11u);
  const Variable& a = m.variables[0];
  EXPECT_EQ(a.linkage, Linkage::visible);
  EXPECT_EQ(a.align, 16u);
  EXPECT_EQ(a.vector, 4);
  EXPECT_EQ(a.dims, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(a.size(), 96u);
  EXPECT_EQ(a.line, 4u);
  EXPECT_EQ(m.variables[1].space, Space::constant);
  EXPECT_EQ(m.variables[1].linkage, Linkage::weak);
  EXPECT_TRUE(m.variables[2].unsized());
  EXPECT_EQ(m.variables[2].size(), 0u);
  EXPECT_EQ(m.variables[2].linkage, Linkage::external);
  EXPECT_EQ(m.variables[3].linkage, Linkage::common);
  EXPECT_EQ(m.variables[4].alignment(), 8u);
  EXPECT_EQ(m.variables[5].name, "f");
  EXPECT_EQ(m.variables[5].size(), 32u);
  EXPECT_TRUE(m.variables[6].managed);
  EXPECT_EQ(m.variables[9].name, "h2");
  EXPECT_EQ(m.variables[10].unified->at(1), 2u);
  expect_stable(m);
}

TEST(ParseVariable, IntegersAreCutToTheirType) {
  EXPECT_EQ(bits(only(module(".global .u8 v[] = {255, -1, 256, 0x7F};"))),
            (std::vector<std::uint64_t>{255, 255, 0, 127}));
  EXPECT_EQ(bits(only(module(".global .s8 v[] = {255, -128};"))),
            (std::vector<std::uint64_t>{~std::uint64_t{0}, static_cast<std::uint64_t>(-128)}));
  EXPECT_EQ(bits(only(module(".global .b64 v = -1;"))), (std::vector<std::uint64_t>{~std::uint64_t{0}}));
}

TEST(ParseVariable, RealsHaveTheBitsOfTheirType) {
  EXPECT_EQ(bits(only(module(".global .f32 v[] = {1.5, 0fBF800000, 0d3FF0000000000000, 2};"))),
            (std::vector<std::uint64_t>{0x3FC00000, 0xBF800000, 0x3F800000, 0x40000000}));
  EXPECT_EQ(bits(only(module(".global .f64 v = 0f3F800000;"))),
            (std::vector<std::uint64_t>{std::bit_cast<std::uint64_t>(1.0)}));
}

TEST(ParseVariable, NestedBracesAreFlattened) {
  const Module m = module(".global .u32 v[2][2][2] = {{{1, 2}, {3}}, {{5}}};");
  EXPECT_EQ(bits(only(m)), (std::vector<std::uint64_t>{1, 2, 3, 0, 5}));
  expect_stable(m);
  const Module vectors = module(".global .v2 .u32 v[] = {{1}, {3, 4}};");
  EXPECT_EQ(bits(only(vectors)), (std::vector<std::uint64_t>{1, 0, 3, 4}));
  EXPECT_EQ(only(vectors).dims, (std::vector<std::uint64_t>{2}));
  expect_stable(vectors);
}

TEST(ParseVariable, SymbolsAndMasks) {
  const Module m = module(
      ".global .u32 x[4]; .func f(); .global .u64 v[] = {x, x+8, generic(x), generic(x)+4, f};"
      ".global .u8 w[] = {0xFF(x), 0xFF00(generic(x)+4)};");
  const auto& v = m.variables[1].init;
  ASSERT_EQ(v.size(), 5u);
  EXPECT_EQ(v[0].kind, InitValue::Kind::symbol);
  EXPECT_EQ(v[1].offset, 8);
  EXPECT_EQ(v[3].kind, InitValue::Kind::generic_symbol);
  EXPECT_EQ(v[3].offset, 4);
  EXPECT_EQ(v[4].symbol.kind, SymbolRef::Kind::function);
  EXPECT_EQ(m.variables[2].init[1].mask, 0xFF00u);
  EXPECT_EQ(m.variables[2].init[1].offset, 4);
  expect_stable(m);
}

TEST(ParseVariable, OpaqueReferences) {
  const Module m =
      module(".global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear, force = 1 }; .tex .u64 t;");
  EXPECT_EQ(m.variables[0].opaque_init.size(), 3u);
  EXPECT_EQ(m.variables[0].opaque_init[1], (OpaqueField{"filter_mode", "linear"}));
  EXPECT_EQ(m.variables[1].type, Type::texref);
  expect_stable(m);
}

TEST(ParseVariable, ExternalDeclarationMeetsDefinition) {
  const Module m = module(".extern .global .u32 x; .visible .global .u32 x = 3; .extern .global .u32 x;");
  EXPECT_EQ(only(m).linkage, Linkage::visible);
  EXPECT_EQ(bits(only(m)), (std::vector<std::uint64_t>{3}));
}

TEST(ParseVariable, DefinitionNamesOnlyWhatStandsBeforeItsDeclaration) {
  EXPECT_EQ(error_of(with_header(".extern .global .u64 x; .global .u64 y; .visible .global .u64 x = y;")),
            "t:4:63: found 'x', expected an initialiser that names only variables declared before the first "
            "declaration of this one");
  expect_stable(module(".global .u64 y; .extern .global .u64 x; .visible .global .u64 x = y;"));
}

TEST(ParseModule, LaterMinorVersionsAreReadAsFarAsTheyUseNothingNewer) {
  const std::string start = ".version 9.5 .target sm_80 .address_size 64 .entry k() {";
  EXPECT_EQ(parse(start + " ret; }", "t").version_minor, 5u);
  EXPECT_EQ(print(parse(start + " ret; }", "t")).substr(0, 12), ".version 9.5");
  EXPECT_NE(error_of(start + " frobnicate.u32 %r1; }").find("t:1:58: found 'frobnicate', expected an instruction"),
            std::string::npos);
}

TEST(ParseModule, Mistakes) {
  EXPECT_EQ(error_of(""), "t:1:1: found the end of the text, expected '.version', with which every PTX module begins");
  EXPECT_EQ(error_of(".version 8"), "t:1:10: found '8', expected a PTX version such as 8.0");
  EXPECT_EQ(error_of(".version 8.0\n.global"), "t:2:1: found '.global', expected '.target'");
  for (const char* unknown : {"99.0", "9.10", "8.9", "5.1", "0.9"})
    EXPECT_EQ(
        error_of(std::string(".version ") + unknown + " .target sm_80"),
        std::string("t:1:10: found '") + unknown +
            "', expected a PTX version that Heddle knows: 1.0 to 1.5, 2.0 to 2.3, 3.0 to 3.2, "
            "4.0 to 4.3, 5.0, 6.0 to 6.5, 7.0 to 7.8, 8.0 to 8.8, 9.0 and, as far as nothing newer is used, later "
            "ones to 9.9");
  EXPECT_EQ(error_of(with_header(".address_size 48")), "t:4:15: found '48', expected 32 or 64");
  EXPECT_EQ(error_of(with_header("int x;")),
            "t:4:1: found 'int', expected a directive such as '.visible', '.entry', '.func' or '.global'");
  EXPECT_EQ(error_of(with_header(".section .s { ")), "t:4:13: found '{', expected a section with a closing '}'");
  EXPECT_EQ(error_of(with_header(".visible .weak .global .u32 x;")),
            "t:4:10: found '.weak', expected one linkage directive only");
  EXPECT_EQ(error_of(with_header(".global .u31 x;")), "t:4:9: found '.u31', expected a type");
  EXPECT_EQ(error_of(with_header(".global .pred x;")), "t:4:9: found '.pred', expected a type that memory can hold");
  EXPECT_EQ(error_of(with_header(".global .u32 x; .global .u32 x;")),
            "t:4:30: found 'x', expected a name that is not yet taken");
  EXPECT_EQ(error_of(with_header(".global .align 3 .u32 x;")), "t:4:16: found '3', expected a power of two");
  EXPECT_EQ(error_of(with_header(".global .u32 x[2] = {1, 2, 3};")),
            "t:4:28: found '3', expected '}': the initialiser has more elements than the array");
  EXPECT_EQ(error_of(with_header(".global .u64 x = y;")),
            "t:4:18: found 'y', expected a variable or function that is declared before");
  EXPECT_EQ(error_of(with_header(".global .u32 x = 1.5;")),
            "t:4:18: found '1.5', expected an integer, as the variable's type says");
  EXPECT_NE(error_of(with_header(".reg .u32 x;")).find("exists in functions only"), std::string::npos);
  EXPECT_EQ(error_of(with_header(".global .u32 x\x01;")), "t:4:15: found '\\x01', expected ';'");
}

TEST(ParseModule, HostileSizesAreRefused) {
  for (const char* text : {".global .b8 x[1152921504606846976];", ".global .b8 x[1073741824][1073741824][1073741824];",
                           ".global .u64 x[18446744073709551615];", ".global .b8 x<4000000000>;",
                           ".global .b8 x[2][1073741824] = {{1}, {2}};"})
    EXPECT_NE(error_of(with_header(text)), "no error") << text;
  std::string many = ".global .b8 x";
  for (int i = 0; i < 10000; ++i) many += "[1]";
  EXPECT_NE(error_of(with_header(many + ";")).find("at most 32 dimensions"), std::string::npos);
  // Large but short initialisers cost nothing.
  EXPECT_EQ(module(".global .b8 x[1073741824][2] = {{1}, {2}};").variables[0].init.size(), 3u);
}

}  // namespace
}  // namespace heddle::ptx
