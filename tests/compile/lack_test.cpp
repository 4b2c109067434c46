#include "compile/lack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "heddle/error.hpp"

namespace heddle::compile {
namespace {

using testing::HasSubstr;

// "io_error: ..." or "out_of_memory: ..."; empty where the process lacked nothing.
std::string said(const std::string& err, int exit_status = 1) {
  try {
    refuse_lack("clang", {exit_status, "", err}, "/tmp/place");
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return {};
}

TEST(Lack, FullDisksAreNamedByTheFile) {
  EXPECT_THAT(said("error: unable to open output file '/full/x.o': 'No space left on device'\n1 error generated.\n"),
              HasSubstr("io_error: no space left on device: /full/x.o (clang could not write its result)"));
  EXPECT_THAT(said("ld.lld: error: failed to write to output 'a.out': No space left on device\n"),
              HasSubstr("no space left on device: a.out"));
  EXPECT_THAT(said("fatal error: error in backend: IO failure on output stream: No space left on device\n"
                   "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/\n"),
              HasSubstr("no space left on device: /tmp/place"));
  EXPECT_THAT(said("/usr/bin/ld: final link failed: No space left on device\n"
                   "clang-19: error: linker command failed with exit code 1 (use -v to see invocation)\n"),
              HasSubstr("no space left on device: /tmp/place"));
  EXPECT_THAT(said("error: unable to open output file '/full/x.o': 'Disk quota exceeded'\n"), HasSubstr("/full/x.o"));
}

TEST(Lack, LimitsOnTheSizeOfFilesAreNamed) {
  for (const char* text : {"fatal error: error in backend: IO failure on output stream: File too large\n",
                           "error: unable to open output file 'x.o': 'File too large'\n",
                           "gcc: internal compiler error: File size limit exceeded signal terminated program as\n",
                           "collect2: fatal error: ld terminated with signal 25 [File size limit exceeded]\n"})
    EXPECT_THAT(said(text), HasSubstr("io_error: clang could not write its result for /tmp/place: the file would be"));
}

TEST(Lack, MemoryIsNamed) {
  for (const char* text :
       {"LLVM ERROR: out of memory\nAllocation failed\n",
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
        "/usr/bin/clang-19: error while loading shared libraries: libLLVM.so.19.1: failed to map segment from shared "
        "object\n"})
    EXPECT_THAT(said(text), HasSubstr("out_of_memory: there is no memory for clang")) << text;
}

TEST(Lack, StackIsNamedWhereThereIsLittle) {
  constexpr int crashed = 128 + SIGSEGV;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &before), 0);
  const rlimit little{128 << 10, before.rlim_max}, usual{std::min<rlim_t>(8 << 20, before.rlim_max), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &little), 0);
  const std::string named = said("", crashed), part = said("g++: internal compiler error: Segmentation fault signal\n"),
                    mistake = said("a.cu:1:1: error: unknown type name 'x'\n");
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &usual), 0);
  EXPECT_EQ(named,
            "out_of_memory: there is no stack for clang, which compiles CUDA C++: it crashed; the limit of this "
            "process's stack (ulimit -s) is 128 KiB. Raise it: ulimit -s 8192");
  EXPECT_EQ(part, named);
  EXPECT_EQ(mistake, "");
  EXPECT_EQ(said("", crashed), "");
  ::setrlimit(RLIMIT_STACK, &before);
}

TEST(Lack, ACrashHasItsSignal) {
  EXPECT_EQ(how_it_ended("clang", {.exit_status = 7}), "clang ended with status 7.");
  EXPECT_EQ(how_it_ended("clang", {.exit_status = 128 + SIGSEGV}),
            "clang was ended by signal 11 (Segmentation fault).");
}

TEST(Lack, MistakesOfTheSourceStayThose) {
  EXPECT_EQ(said("a.cu:1:2: error: \"No space left on device: x\"\n    1 | #error \": No space left on device\"\n"),
            "");
  EXPECT_EQ(said("a.cu:3:1: error: unknown type name 'x'\n    3 | x y; // LLVM ERROR: out of memory\n"), "");
  EXPECT_EQ(said("LLVM ERROR: out of memory\n", 0), "");
}

}  // namespace
}  // namespace heddle::compile
