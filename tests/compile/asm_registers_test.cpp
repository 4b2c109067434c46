// Names of registers in asm statements.
#include "compile/asm_registers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::compile {
namespace {

TEST(AsmRegisters, GetASecondSign) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(asm("mov.u32 %0, %laneid;" : "=r"(x));)", R"(asm("mov.u32 %0, %%laneid;" : "=r"(x));)"},
      {R"(asm volatile("mov.u32 %0, %tid.x;" "add.u32 %0, %0, %clock64;" :: "r"(x) : "%r1");)",
       R"(asm volatile("mov.u32 %0, %%tid.x;" "add.u32 %0, %0, %%clock64;" :: "r"(x) : "%r1");)"},
      {"__asm__ __volatile__ (\"mov.u64 %0, %globaltimer;\\n\\t\"\n \"// %%x\" : \"=l\"(f(\"%laneid\")));",
       "__asm__ __volatile__ (\"mov.u64 %0, %%globaltimer;\\n\\t\"\n \"// %%x\" : \"=l\"(f(\"%laneid\")));"},
      {"asm(R\"(mov.u32 %0, %smid;)\" : \"=r\"(x));", "asm(R\"(mov.u32 %0, %%smid;)\" : \"=r\"(x));"},
      {"#define LANE(x) asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x))\n",
       "#define LANE(x) asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x))\n"},
      // Texts of asm in macros, names that are pasted into them, and macros that stand for asm.
      {"#define T \\\n  \"mov.u32 %0, %laneid;\"\nasm(T : \"=r\"(x));",
       "#define T \\\n  \"mov.u32 %0, %%laneid;\"\nasm(T : \"=r\"(x));"},
      {"#define R(x, n) asm volatile(\"mov.u32 %0, %\" #n \";\" : \"=r\"(x))\n",
       "#define R(x, n) asm volatile(\"mov.u32 %0, %%\" #n \";\" : \"=r\"(x))\n"},
      {"#define ASM asm volatile\nASM(\"mov.u32 %0, %smid;\" : \"=r\"(x));",
       "#define ASM asm volatile\nASM(\"mov.u32 %0, %%smid;\" : \"=r\"(x));"},
      // A word that ends in R begins no raw text; CRLF after a backslash continues a text.
      {R"(asm("mov." PTR" %0, %smid;" : "=r"(x));)", R"(asm("mov." PTR" %0, %%smid;" : "=r"(x));)"},
      {"asm(\"mov.u32 %0, \\\r\n%smid;\" : \"=r\"(x));", "asm(\"mov.u32 %0, \\\r\n%%smid;\" : \"=r\"(x));"},
  };
  for (const auto& [source, doubled] : cases) EXPECT_EQ(with_doubled_percents(source), doubled) << source;
}

TEST(AsmRegisters, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", R"(asm("mov.u32 %0, %%laneid;" : "=r"(x));)", R"(asm("mov.u32 r, %laneid;");)", R"(printf("%laneid asm");)",
        R"(asm("add %b0, %c1, %[name], %k[name]" : "+r"(x) : "i"(1), [name] "r"(y));)", "#define T \"%d of %s, asm\"\n",
        "#define T(x) printf(\"%3d, %smid asm\", x)\n", R"(// asm("%laneid" : "=r"(x)))", R"(asm("%laneid")", "asm(",
        "asm volatile", R"(int asm_x; f("%laneid", a ? b : c);)", "asm(\"%", "%", R"(asm("100%" : :);)"})
    EXPECT_EQ(with_doubled_percents(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
