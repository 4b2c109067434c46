// What happens around NVRTC: the process that it runs in, and what the cache knows of it. With the library that only
// pretends to be one, so on every machine.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "compile/nvrtc/explain.hpp"
#include "compile/nvrtc/options.hpp"
#include "compile/subprocess.hpp"
#include "fixture.hpp"

namespace heddle::compile::nvrtc::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Fake : public WithNvrtc {
 protected:
  void SetUp() override {
    WithNvrtc::SetUp();
    if (const char* before = ::getenv("HEDDLE_NVRTC")) before_ = before;
    ::setenv("HEDDLE_NVRTC", FAKE_NVRTC, 1);
  }
  void TearDown() override {
    before_.empty() ? ::unsetenv("HEDDLE_NVRTC") : ::setenv("HEDDLE_NVRTC", before_.c_str(), 1);
    WithNvrtc::TearDown();
  }

  void includes(const std::string& expected, const CompileOptions& options) const {
    const CompileResult first = compile("include v.h", options);
    EXPECT_THAT(first.ptx, HasSubstr("// " + expected + "\n"));
    EXPECT_FALSE(first.from_cache);
    still(options);
  }
  void still(const CompileOptions& options) const { EXPECT_TRUE(compile("include v.h", options).from_cache); }

 private:
  std::string before_;
};

TEST_F(Fake, TheChosenCompilerCompiles) {
  EXPECT_THAT(compile("").ptx, HasSubstr(".visible .entry k()"));
  ::setenv("HEDDLE_COMPILER", "nvrtc", 1);
  EXPECT_THAT(compile_cuda("", "user.cu"), HasSubstr(".visible .entry k()"));
  EXPECT_EQ(chosen_compiler({.compiler = Compiler::clang}), Compiler::clang);
  ::setenv("HEDDLE_COMPILER", "clang", 1);
  EXPECT_EQ(chosen_compiler({}), Compiler::clang);
  EXPECT_EQ(chosen_compiler({.compiler = Compiler::nvrtc}), Compiler::nvrtc);
  ::unsetenv("HEDDLE_COMPILER");
  EXPECT_EQ(chosen_compiler({}), Compiler::clang);
}

TEST_F(Fake, UnknownCompilersAreNamed) {
  ::setenv("HEDDLE_COMPILER", "gcc", 1);
  try {
    compile_cuda("", "user.cu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "HEDDLE_COMPILER=gcc: expected clang or nvrtc.");
  }
}

TEST_F(Fake, ErrorsHaveTheLog) {
  EXPECT_EQ(error_of("fail identifier \"x\" is undefined", ErrorCode::compile_error),
            "user.cu does not compile:\nuser.cu(1): error: identifier \"x\" is undefined");
}

TEST_F(Fake, ACrashIsAnError) {
  EXPECT_THAT(error_of("crash", ErrorCode::unsupported),
              AllOf(StartsWith("NVRTC (" FAKE_NVRTC ") cannot be used: it crashed (signal 11: "),
                    HasSubstr("HEDDLE_NVRTC names another one.")));
  EXPECT_THAT(error_of("chatter\nleave", ErrorCode::unsupported),
              HasSubstr("it ended the process with status 3, after it said: chatter."));
}

TEST_F(Fake, WhatItPrintsIsNoPartOfTheResult) { EXPECT_THAT(compile("chatter").ptx, StartsWith(".version 8.0\n")); }

TEST_F(Fake, LibrariesThatAreNoneAreNamed) {
  ::setenv("HEDDLE_NVRTC", write("text.so", "no library").c_str(), 1);
  EXPECT_THAT(error_of("", ErrorCode::unsupported),
              AllOf(HasSubstr("NVRTC (" + at("text.so") + ") cannot be used: "), HasSubstr("file too short")));
  ::setenv("HEDDLE_NVRTC", NO_NVRTC, 1);
  EXPECT_THAT(error_of("", ErrorCode::unsupported),
              HasSubstr("NVRTC (" NO_NVRTC ") cannot be used: it has no function nvrtcVersion."));
}

TEST_F(Fake, TargetsThatItDoesNotKnowAreNamed) {
  EXPECT_EQ(error_of("", ErrorCode::invalid_argument, {.arch = "sm_70"}),
            "NVRTC 12.3 does not know sm_70; it compiles for sm_80, sm_90.");
}

TEST_F(Fake, EnvironmentOfTheProcess) {
  ::setenv("NVRTC_APPEND_FLAGS", "-DX", 1);
  const std::string folder = fs::path(FAKE_NVRTC).parent_path().string();
  EXPECT_THAT(compile("environment").warnings, StartsWith("|" + folder + ":"));
}

TEST_F(Fake, DescribesItself) {
  std::vector<Place> looked_at;
  const Description found = describe(*look_for_library(looked_at));
  EXPECT_EQ(found.version, "12.3");
  EXPECT_THAT(found.targets, ElementsAre(80, 90));
}

TEST_F(Fake, TheSecondCompilationIsAHitWithTheSameResult) {
  const CompileResult first = compile("environment"), second = compile("environment");
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.ptx, second.ptx);
  EXPECT_EQ(first.warnings, second.warnings);
}

TEST_F(Fake, OptionsSourceNameAndCompilerAreInTheKey) {
  compile("");
  EXPECT_FALSE(compile("", {.defines = {"A"}}).from_cache);
  EXPECT_FALSE(compile("", {.arch = "sm_90"}).from_cache);
  EXPECT_FALSE(compile("", {.fast_math = true}).from_cache);
  EXPECT_FALSE(compile("", {.extra = {"--maxrregcount=32"}}).from_cache);
  EXPECT_FALSE(compile("\n").from_cache);
  EXPECT_FALSE(compile_cuda_detailed("", "other.cu", with({})).from_cache);
  EXPECT_TRUE(compile("").from_cache);
}

TEST_F(Fake, AnotherLibraryUnderTheSameNameIsNoticed) {
  fs::create_directory(at("lib"));
  fs::copy_file(FAKE_NVRTC, at("lib/libnvrtc.so.12"));
  ::setenv("HEDDLE_NVRTC", at("lib").c_str(), 1);
  EXPECT_FALSE(compile("").from_cache);
  EXPECT_TRUE(compile("").from_cache);
  std::ofstream(at("lib/libnvrtc.so.12"), std::ios::app) << '\0';
  EXPECT_FALSE(compile("").from_cache);
}

TEST_F(Fake, AChangedHeaderIsNoticed) {
  write("ia/v.h", "one\n");
  const CompileOptions options = folders({"ia"});
  includes("one", options);
  write("ia/v.h", "two\n");
  includes("two", options);
}

TEST_F(Fake, AHeaderInAnEarlierFolderIsNoticed) {
  write("ib/v.h", "later\n");
  const CompileOptions options = folders({"ia", "ib"});
  fs::create_directory(at("ia"));
  includes("later", options);
  write("ia/other.h", "");
  still(options);
  fs::create_directory(at("ia/v.h"));  // a folder is no header
  still(options);
  fs::remove(at("ia/v.h"));
  write("ia/v.h", "earlier\n");
  includes("earlier", options);
  fs::remove(at("ia/v.h"));
  includes("later", options);
}

TEST_F(Fake, AFolderThatWasNotThereIsNoticed) {
  write("ib/v.h", "later\n");
  const CompileOptions options = folders({"ia", "ib"});
  includes("later", options);
  write("ia/v.h", "earlier\n");
  includes("earlier", options);
}

TEST_F(Fake, WhatCannotBeSeenIsNotCached) {
  write("ia/v.h", "one\n");
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(compile("unseen\ninclude v.h", folders({"ia"})).from_cache);
}

TEST_F(Fake, TimesAreNotCached) {
  write("ia/v.h", "__TIME__\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(compile("__DATE__").from_cache);
    EXPECT_FALSE(compile("", {.defines = {"NOW=__TIMESTAMP__"}}).from_cache);
    EXPECT_FALSE(compile("include v.h", folders({"ia"})).from_cache);
    EXPECT_FALSE(compile("", {.extra = {"--time=times.csv"}}).from_cache);
  }
}

TEST_F(Fake, ThreadsCompileSideBySide) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      EXPECT_THAT(compile(std::string(static_cast<std::size_t>(i / 2), '\n')).ptx, HasSubstr(".entry"));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(Fake, TheProgramRunsFromAFileAsWell) {
  const auto file = write("program", std::string(child_program()));
  fs::permissions(file, fs::perms::owner_all);
  std::vector<Place> looked_at;
  const auto library = look_for_library(looked_at);
  const ProcessResult nothing = run_process({file.string()}, "", environment(*library));
  EXPECT_EQ(nothing.exit_status, 64) << nothing.err;
}

TEST(NvrtcOptions, FollowTheCompileOptions) {
  const CompileOptions all{
      .include_paths = {"mine"}, .arch = "sm_90a", .fast_math = true, .extra = {"--maxrregcount=32"}};
  EXPECT_THAT(options_for(all, {"sdk"}),
              ElementsAre("--gpu-architecture=compute_90a", "--std=c++17", "--generate-line-info", "--use_fast_math",
                          "--include-path=mine", "--include-path=sdk", "--maxrregcount=32"));
  EXPECT_THAT(options_for({.line_info = false}, {}), ElementsAre("--gpu-architecture=compute_80", "--std=c++17"));
  for (const char* standard : {"--std=c++20", "-std=c++20"}) {
    EXPECT_THAT(options_for({.extra = {standard}}, {}), Not(Contains("--std=c++17")));
  }
}

TEST(NvrtcOptions, LevelsThatItHasNotAreRefused) {
  try {
    options_for({.opt = 1}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("NVRTC has no optimisation level 1"));
  }
}

TEST(NvrtcOptions, ThoseWithOtherEffects) {
  EXPECT_TRUE(only_make_ptx({"--maxrregcount=32", "--std=c++20", "-DX", "--fmad=false", "--device-debug"}));
  for (const char* option : {"--time=-", "--pch", "--create-pch=x", "-use-pch=x", "--fdevice-time-trace=x"}) {
    EXPECT_FALSE(only_make_ptx({"-DX", option})) << option;
  }
}

TEST(NvrtcExplanations, MissingHeaders) {
  const auto missing = [](const std::string& name, const std::vector<std::string>& headers) {
    return explain("k.cu(1): catastrophic error: cannot open source file \"" + name + "\"\n", headers);
  };
  EXPECT_THAT(missing("cstdio", {}),
              AllOf(StartsWith("\nNVRTC has no C++ library, and so no <cstdio>: "), Not(HasSubstr("cuda/std"))));
  EXPECT_THAT(missing("cstdint", {}), HasSubstr("or include <cuda/std/cstdint> of the SDK"));
  EXPECT_THAT(missing("stdint.h", {}), HasSubstr("or include <cuda/std/cstdint> of the SDK"));
  EXPECT_THAT(missing("cuda_fp16.h", {}),
              AllOf(HasSubstr("<cuda_fp16.h> is a header of NVIDIA's SDK, which was not found"),
                    HasSubstr("CUDA_HOME, CUDA_PATH, /usr/local/cuda*"), HasSubstr("pip install")));
  EXPECT_THAT(missing("curand_kernel.h", {"/a", "/b"}),
              HasSubstr("<curand_kernel.h> is a header of NVIDIA's SDK that is in none of the SDK's folders that were "
                        "found: /a, /b."));
  EXPECT_EQ(missing("mine.h", {}), "");
  EXPECT_EQ(explain("k.cu(1): error: identifier \"x\" is undefined\n", {}), "");
  // As NVRTC says it where there are no folders.
  EXPECT_THAT(explain("could not open source file \"vector\" (no directories in search list)", {}),
              HasSubstr("no <vector>"));
}

TEST(NvrtcExplanations, HostCode) {
  EXPECT_THAT(explain("k.cu(3): error: ... host functions are not allowed in JIT mode. Consider ...", {}),
              AllOf(HasSubstr("NVRTC compiles device code only"), HasSubstr("--compiler clang")));
}

}  // namespace
}  // namespace heddle::compile::nvrtc::testing
