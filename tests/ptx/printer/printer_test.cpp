#include "ptx/printer.hpp"

#include "ptx/parser/fixture.hpp"

namespace heddle::ptx {
namespace {

using test::module;

std::string printed(std::string_view text) {
  const std::string all = print(module(text));
  constexpr std::string_view header = ".version 8.0\n.target sm_90\n.address_size 64\n";
  EXPECT_EQ(all.substr(0, header.size()), header);
  return all.substr(header.size());
}

TEST(Printer, VariablesKeepTheirNotation) {
  for (const char* text : {
           ".visible .global .align 4 .u32 x = 7;\n",
           ".global .s32 x[2][2] = {{1, -2}, {3}};\n",
           ".global .f32 x[1] = {0f3FC00000};\n",
           ".global .f64 x = 0dBFF8000000000000;\n",
           ".global .v2 .u32 x[2] = {{1, 2}, {3, 4}};\n",
           ".extern .shared .align 16 .b8 x[];\n",
           ".global .attribute(.managed) .u64 x;\n",
           ".global .u32 y;\n.global .u64 x[3] = {y+4, generic(y), generic(y)+-4};\n",
           ".global .u32 y;\n.global .u8 x[2] = {0xFF(y), 0xFF00(generic(y)+4)};\n",
           ".const .b64 x = 18446744073709551615;\n",
       })
    EXPECT_EQ(printed(text), text);
}

TEST(Printer, Kernel) {
  EXPECT_EQ(printed(".visible .entry k(.param .u64 .ptr .global .align 8 p)\n.maxntid 32, 1, 1 {\n .reg .pred %q; .reg "
                    ".f32 %f<3>;"
                    "L: @!%q bra.uni L; add.rn.f32 %f1, %f2, 0f3F800000; ret; }"),
            ".visible .entry k(.param .u64 .ptr .global .align 8 p)\n.maxntid 32, 1, 1\n{\n\t.reg .pred %q;\n"
            "\t.reg .f32 %f1, %f2;\nL:\n\t@!%q bra.uni L;\n\tadd.rn.f32 %f1, %f2, 0f3F800000;\n\tret;\n}\n");
}

TEST(Printer, DeclaresWhatIsUsedBefore) {
  EXPECT_EQ(printed(".func b(); .func a() { call b; ret; } .func b() { call a; ret; }"),
            ".func b();\n.func a();\n.func b()\n{\n\tcall a;\n\tret;\n}\n.func a()\n{\n\tcall b;\n\tret;\n}\n");
  EXPECT_EQ(printed(".func a() { ret; } .func b() { call a; ret; }"),
            ".func a()\n{\n\tret;\n}\n.func b()\n{\n\tcall a;\n\tret;\n}\n");
}

TEST(Printer, LocationsOfARewrittenBody) {
  Module m = module(".entry k() { .loc 1 1 0\n .loc 1 2 0\n ret; .loc 1 3 0\n ret; }");
  EXPECT_NE(print(m).find(".loc 1 1 0\n\t.loc 1 2 0\n\tret;\n\t.loc 1 3 0\n\tret;"), std::string::npos);
  std::swap(m.functions[0].body[0], m.functions[0].body[1]);
  EXPECT_NE(print(m).find(".loc 1 3 0\n\tret;\n\t.loc 1 2 0\n\tret;"), std::string::npos);
}

TEST(Printer, LargestNumbers) {
  EXPECT_EQ(test::body_of(test::kernel("mov.u64 %rd1, 0x8000000000000000; mov.u64 %rd1, -1; ret;")),
            "mov.u64 %rd1, 0x8000000000000000;\nmov.u64 %rd1, -1;\nret;\n");
}

TEST(Equality, SeesEveryDifferenceButPositions) {
  const char* text =
      ".global .u32 x[2] = {1, 2};\n.func f(.param .b32 a) .noreturn { .reg .u32 %r<3>; .reg .pred %p<3>; L: @%p1 "
      "add.u32 %r1, %r2, 3; bra L; }";
  const Module m = module(text);
  EXPECT_TRUE(equal(m, module("\n\n" + std::string(text))));
  const auto differs = [&](auto&& change) {
    Module other = m;
    change(other);
    return !equal(m, other);
  };
  EXPECT_TRUE(differs([](Module& o) { o.version_minor = 1; }));
  EXPECT_TRUE(differs([](Module& o) { o.targets.push_back("debug"); }));
  EXPECT_TRUE(differs([](Module& o) { o.variables[0].init[1].bits = 3; }));
  EXPECT_TRUE(differs([](Module& o) { o.variables[0].align = 4; }));
  EXPECT_TRUE(differs([](Module& o) { o.variables[0].unified = {1, 2}; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].noreturn = false; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].parameters[0].name = "b"; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].registers[0].type = Type::s32; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].labels[0].position = 1; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].body[0].guard.negated = true; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].body[0].operands[2].value = 4; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].body[0].where.loc = 1; }));
  EXPECT_TRUE(differs([](Module& o) { o.functions[0].body.pop_back(); }));
  EXPECT_TRUE(differs([](Module& o) { o.functions.pop_back(); }));
  EXPECT_FALSE(differs([](Module& o) { o.functions[0].body[0].where.line = 99; }));
}

// `.address_size` came with PTX 2.3. Drivers refuse it in older text, and tell by registers there.
TEST(Printer, OldTextHasNoAddressSize) {
  const std::string body = ".target sm_10\n.entry k()\n{\n\t.reg .u32 %r;\n";
  for (const char* address : {"\t.reg .u64 %d;\n\tld.global.u32 %r, [%d", "\tld.global.u32 %r, [%r"})
    for (const char* version : {".version 1.4\n", ".version 2.2\n"}) {
      const std::string text = version + body + address + "];\n\texit;\n}\n";
      EXPECT_EQ(print(parse(text, "t")), text);
    }
  const std::string since = ".version 2.3\n.target sm_20\n.address_size ";
  EXPECT_EQ(print(parse(since + "64\n", "t")), since + "64\n");
  EXPECT_EQ(print(parse(since + "32\n", "t")), since + "32\n");
  // Registers say nothing here: a version that has the directive.
  EXPECT_EQ(print(parse(".version 2.1\n.target sm_20\n.address_size 64\n", "t")), since + "64\n");
}

}  // namespace
}  // namespace heddle::ptx
