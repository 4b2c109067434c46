#include "ptx/link/link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module linked(const std::vector<std::string>& texts) {
  std::vector<LinkInput> inputs;
  for (const std::string& text : texts) {
    const std::string name = std::string(1, static_cast<char>('a' + inputs.size())) + ".ptx";
    inputs.push_back({parse(text.starts_with(".version") ? text : head + text, name), name});
  }
  return link(inputs);
}

// The text, which must be a module again.
std::string text(const std::vector<std::string>& texts) {
  const Module module = linked(texts);
  std::string printed = print(module);
  EXPECT_TRUE(equal(parse(printed, "printed"), module)) << printed;
  return printed;
}

std::string error(const std::vector<std::string>& texts) {
  try {
    linked(texts);
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::compile_error || error.code() == ErrorCode::unsupported) << error.what();
    return error.what();
  }
  return "no error";
}

const char* const calls_f = R"(
.extern .func (.param .b32 r) f (.param .b32 x);
.visible .entry k() { .reg .u32 %r1; { .param .b32 a; .param .b32 b; st.param.b32 [a], 1; call.uni (b), f, (a);
  ld.param.b32 %r1, [b]; } ret; }
)";

std::string defines_f(const char* linkage, int result) {
  return std::string(linkage) + " .func (.param .b32 r) f (.param .b32 x) { st.param.b32 [r], " +
         std::to_string(result) + "; ret; }\n";
}

TEST(Link, OpenNamesGetTheirDefinition) {
  for (const bool first : {false, true}) {
    const std::string made =
        first ? text({defines_f(".visible", 5), calls_f}) : text({calls_f, defines_f(".visible", 5)});
    EXPECT_THAT(made, Not(HasSubstr(".extern")));
    EXPECT_THAT(made, HasSubstr("5"));
  }
  const Module module = linked({calls_f, defines_f(".visible", 5)});
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_FALSE(module.find("f")->is_declaration);
}

TEST(Link, StrongOnesGoBeforeWeakOnesAndTheFirstWeakOneBeforeOthers) {
  EXPECT_THAT(text({calls_f, defines_f(".weak", 11), defines_f(".visible", 22)}), Not(HasSubstr("11")));
  const std::string weak = text({calls_f, defines_f(".weak", 33), defines_f(".weak", 44)});
  EXPECT_THAT(weak, HasSubstr("33"));
  EXPECT_THAT(weak, Not(HasSubstr("44")));
  EXPECT_THAT(error({calls_f, defines_f(".visible", 1), defines_f(".visible", 2)}),
              testing::AllOf(HasSubstr("'f' is defined twice"), HasSubstr("b.ptx"), HasSubstr("c.ptx")));
}

TEST(Link, WhatNothingDefinesIsNamed) {
  EXPECT_THAT(error({calls_f, ".visible .entry other() { ret; }\n"}),
              HasSubstr("'k' in a.ptx uses the function 'f', which no module defines"));
  EXPECT_THAT(error({".extern .global .u32 v;\n.visible .entry k() { .reg .u32 %r1; ld.global.u32 %r1, [v]; ret; }\n"}),
              HasSubstr("'k' in a.ptx uses the variable 'v', which no module defines"));
  // What nobody uses may be open, and what CUDA provides.
  EXPECT_THAT(text({".extern .func g ();\n.extern .global .u32 v;\n.visible .entry k() { ret; }\n"}),
              Not(HasSubstr(".extern")));
  EXPECT_THAT(text({".extern .func (.param .b64 r) malloc (.param .b64 x);\n.visible .entry k() { .reg .u64 %r1;\n"
                    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], 8; call.uni (b), malloc, (a);\n"
                    "ld.param.b64 %r1, [b]; } ret; }\n",
                    ".visible .entry other() { ret; }\n"}),
              HasSubstr("malloc"));
}

TEST(Link, SignaturesMustAgree) {
  EXPECT_THAT(error({calls_f, ".visible .func (.param .b64 r) f (.param .b32 x) { ret; }\n"}),
              HasSubstr("the function 'f' has other parameters or results in a.ptx"));
  EXPECT_THAT(error({calls_f, ".visible .func (.param .b32 r) f () { ret; }\n"}), HasSubstr("'f'"));
  EXPECT_THAT(error({calls_f, ".visible .global .u32 f;\n"}),
              HasSubstr("'f' is a function in one module and a variable in another"));
  EXPECT_THAT(error({".extern .global .u32 v;\n", ".visible .global .u32 v[2];\n"}), HasSubstr("the variable 'v'"));
  EXPECT_THAT(error({".extern .const .u32 v;\n", ".visible .global .u32 v;\n"}), HasSubstr("memory space"));
  EXPECT_THAT(text({".extern .global .u32 v[];\n", ".visible .global .u32 v[2];\n"}), HasSubstr("v[2]"));
}

// As compilers declare arrays of pointers that another file defines.
TEST(Link, AnArrayOfAnythingMayBeDeclaredAsOneOfBytes) {
  const std::string uses = "visible .entry k() { .reg .u64 %r1; ld.global.u64 %r1, [t+8]; ret; }\n";
  for (const char* const size : {"16", ""}) {
    const std::string declaration = std::string(".extern .global .align 8 .b8 t[") + size + "];\n.";
    EXPECT_THAT(text({declaration + uses, ".visible .global .align 8 .u64 t[2] = {1, 2};\n"}),
                HasSubstr(".visible .global .align 8 .u64 t[2]"));
  }
  EXPECT_THAT(error({".extern .global .align 8 .b8 t[24];\n." + uses, ".visible .global .align 8 .u64 t[2];\n"}),
              HasSubstr("the variable 't' has another type, size or memory space in a.ptx"));
  EXPECT_THAT(error({".extern .global .align 8 .u32 t[4];\n." + uses, ".visible .global .align 8 .u64 t[2];\n"}),
              HasSubstr("the variable 't' has another type, size or memory space in a.ptx"));
}

// As clang names a kernel that another file defines and this one launches.
TEST(Link, AKernelMayBeDeclaredAsAFunction) {
  const std::string declares = ".extern .func k (.param .b64 k_0);\n.visible .global .align 8 .u64 used[1] = {k};\n";
  EXPECT_THAT(text({declares, ".visible .entry k(.param .u64 k_0) { ret; }\n"}), Not(HasSubstr(".func")));
  EXPECT_THAT(error({declares, ".visible .entry k(.param .u32 k_0) { ret; }\n"}),
              HasSubstr("the function 'k' has other parameters or results in a.ptx"));
}

TEST(Link, NamesThatAModuleKeepsToItselfMayBeThere) {
  const auto one = [](const char* kernel, int value) {
    return ".global .u32 mine = " + std::to_string(value) +
           ";\n.func helper() { .reg .u32 %r1; ld.global.u32 %r1, [mine]; ret; }\n.visible .entry " + kernel +
           "() { call.uni helper; ret; }\n";
  };
  const Module module = linked({one("k1", 1), one("k2", 2), ".visible .global .u32 helper$1;\n"});
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_NE(module.variables[0].name, module.variables[1].name);
  EXPECT_EQ(module.functions.size(), 4u);
  // Each kernel calls its own, which reads its own.
  for (const auto& [kernel, value] : {std::pair("k1", 1u), std::pair("k2", 2u)}) {
    const Function* k = module.find(kernel);
    ASSERT_TRUE(k);
    std::uint32_t helper = ~0u;
    for (const Operand& operand : k->body.front().operands)
      if (operand.kind == OperandKind::symbol) helper = operand.symbol.index;
    ASSERT_LT(helper, module.functions.size());
    EXPECT_NE(module.functions[helper].name, "helper$1");
    const Operand& address = module.functions[helper].body.front().operands[1];
    ASSERT_EQ(address.base, OperandKind::symbol);
    EXPECT_EQ(module.variables[address.symbol.index].init.at(0).bits, value);
  }
  text({one("k1", 1), one("k2", 2)});
}

TEST(Link, InitialValuesMayNameOtherModulesVariables) {
  const std::string table = ".extern .global .u32 v;\n.visible .global .u64 table[2] = {v, generic(v)};\n";
  const std::string made = text({table, ".visible .global .u32 v = 3;\n"});
  EXPECT_LT(made.find(".u32 v"), made.find("table"));
  EXPECT_THAT(error({".extern .global .u64 q;\n.visible .global .u64 p = q;\n",
                     ".extern .global .u64 p;\n.visible .global .u64 q = p;\n"}),
              HasSubstr("names itself"));
}

TEST(Link, CommonVariablesAndDynamicSharedMemoryAreOne) {
  const Module common = linked({".common .global .u32 c[4];\n", ".common .global .u32 c[9];\n"});
  ASSERT_EQ(common.variables.size(), 1u);
  EXPECT_EQ(common.variables[0].size(), 36u);
  const auto uses = [](const char* kernel, int align) {
    return ".extern .shared .align " + std::to_string(align) + " .b8 s[];\n.visible .entry " + kernel +
           "() { st.shared.u8 [s], 1; ret; }\n";
  };
  const Module shared = linked({uses("k1", 4), uses("k2", 16)});
  ASSERT_EQ(shared.variables.size(), 1u);
  EXPECT_EQ(shared.variables[0].alignment(), 16u);
}

TEST(Link, HeadersAndFilesAreMerged) {
  const std::string made =
      text({".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k1() { .loc 1 5 1\n"
            "ret; }\n.file 1 \"a.cu\"\n",
            ".version 8.1\n.target sm_80, debug\n.address_size 64\n.visible .entry k2() {\n"
            ".loc 2 7 1\nret; }\n.file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.section .debug_str { .b8 1 }\n"});
  EXPECT_THAT(made, HasSubstr(".version 8.1"));
  EXPECT_THAT(made, HasSubstr(".target sm_80\n"));
  EXPECT_THAT(made, HasSubstr(".file 2 \"b.cu\""));
  EXPECT_EQ(made.find("a.cu"), made.rfind("a.cu"));
  EXPECT_THAT(made, Not(HasSubstr(".section")));
  EXPECT_THAT(
      error({".version 8.0\n.target sm_90a\n.address_size 64\n", ".version 8.7\n.target sm_100\n.address_size 64\n"}),
      HasSubstr("do not go together"));
}

TEST(Link, AliasesStayAndDefine) {
  const std::string made = text({calls_f,
                                 ".visible .func (.param .b32 r) g (.param .b32 x) { st.param.b32 [r], 9; ret; }\n"
                                 ".visible .func (.param .b32 r) f (.param .b32 x);\n.alias f, g;\n"});
  EXPECT_THAT(made, HasSubstr(".alias f, g;"));
}

TEST(Link, OneModuleStaysWhatItIs) {
  const std::string text = head + defines_f(".visible", 5) + ".global .u32 mine = 4;\n.file 7 \"x.cu\"\n";
  const Module module = parse(text, "a.ptx");
  EXPECT_TRUE(equal(link(std::vector<LinkInput>{{module, "a.ptx"}}), module));
}

}  // namespace
}  // namespace heddle::ptx
