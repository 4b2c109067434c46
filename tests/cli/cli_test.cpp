// The heddle program as a user meets it: what it prints, writes and returns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"
#include "support/places.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* trace = R"([
{"name": "k", "cat": "launch", "ph": "X", "ts": 1.0, "dur": 2.0, "pid": 1, "tid": 1, "args": {}},
{"name": "k", "cat": "launch", "ph": "X", "ts": 4.0, "dur": 2.0, "pid": 1, "tid": 1, "args": {}}
])";

class Cli : public HeddleCommand {
 protected:
  template <typename T>
  void save(const std::string& file, base::NpyType type, const std::vector<T>& values) const {
    base::NpyArray array{type, {values.size()}, std::vector<std::byte>(values.size() * sizeof(T))};
    std::memcpy(array.data.data(), values.data(), array.data.size());
    base::write_npy(folder_.path() / file, array);
  }
  template <typename T>
  std::vector<T> load(const std::string& file) const {
    const base::NpyArray array = base::read_npy(folder_.path() / file);
    std::vector<T> values(array.data.size() / sizeof(T));
    std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
  }

  const std::string source_ = "'" + (test_data() / "cli/data/saxpy.cu").string() + "'";
};

TEST_F(Cli, VersionAndHelp) {
  EXPECT_EQ(heddle("version").output, "heddle 0.1.0\n");
  const Ran help = heddle("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output,
              AllOf(HasSubstr("devices"), HasSubstr("compile"), HasSubstr("inspect"), HasSubstr("launch")));
}

// Whatever is installed: a library that is none says so, and the same command goes on with clang.
TEST_F(Cli, TheCompilerIsChosen) {
  ::setenv("HEDDLE_NVRTC", (folder_.path() / "libnvrtc.so").c_str(), 1);
  base::write_file_atomic(folder_.path() / "libnvrtc.so", std::string_view("no library"));
  for (const char* command : {"compile ", "inspect ", "launch --entry saxpy "}) {
    const Ran broken = heddle(command + source_ + " --compiler nvrtc");
    EXPECT_EQ(broken.code, 1) << command;
    EXPECT_THAT(broken.output, AllOf(HasSubstr("NVRTC ("), HasSubstr("libnvrtc.so) cannot be used: "))) << command;
  }
  EXPECT_EQ(heddle("compile -o - " + source_ + " --compiler clang").code, 0);
  ::setenv("HEDDLE_COMPILER", "nvrtc", 1);
  EXPECT_EQ(heddle("compile -o - " + source_).code, 1);
  EXPECT_EQ(heddle("compile -o - " + source_ + " --compiler clang").code, 0);
  ::unsetenv("HEDDLE_COMPILER");
  ::unsetenv("HEDDLE_NVRTC");
  EXPECT_EQ(heddle("compile -o - " + source_).code, 0);
}

// Caches of PTX and of the CPU device, each in a library of its own, ask for the same folder.
TEST_F(Cli, ACacheThatIsNotUsedIsToldOnce) {
  const char* own = std::getenv("HEDDLE_CACHE_DIR");
  const std::string before = own ? own : "";
  const auto shared = folder_.path() / "shared";
  std::filesystem::create_directory(shared);
  std::filesystem::permissions(shared, std::filesystem::perms::all);
  ::setenv("HEDDLE_CACHE_DIR", shared.c_str(), 1);
  const Ran ran =
      heddle("launch " + source_ + " --entry fill_blocks --device cpu --grid 4 --block 32 --arg zeros:i32:4");
  own ? ::setenv("HEDDLE_CACHE_DIR", before.c_str(), 1) : ::unsetenv("HEDDLE_CACHE_DIR");
  EXPECT_EQ(ran.code, 0) << ran.output;
  const std::string told = "the cache folder " + shared.string() + " is not used";
  const auto first = ran.output.find(told);
  ASSERT_NE(first, std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find(told, first + 1), std::string::npos) << ran.output;
}

TEST_F(Cli, WrongUsageIsTwo) {
  EXPECT_EQ(heddle("").code, 2);
  EXPECT_EQ(heddle("frobnicate").code, 2);
  EXPECT_EQ(heddle("launch x.ptx --grid 0").code, 2);
  const Ran compiler = heddle("compile x.cu --compiler gcc");
  EXPECT_EQ(compiler.code, 2);
  EXPECT_THAT(compiler.output, HasSubstr("--compiler gcc: expected clang or nvrtc"));
  const Ran argument = heddle("launch x.ptx --arg i33:1");
  EXPECT_EQ(argument.code, 2);
  EXPECT_THAT(argument.output, AllOf(HasSubstr("--arg i33:1"), HasSubstr("Forms:")));
}

TEST_F(Cli, UnknownCommandsAreNamed) {
  const Ran ran = heddle("bogus");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("heddle: no command 'bogus'"), HasSubstr("inspect")));
}

TEST_F(Cli, OutputThatCannotBeWrittenIsAnError) {
  // More than a buffer.
  EXPECT_EQ(heddle("completion bash", "&1 >/dev/full").output,
            "heddle: cannot write to standard output: No space left on device\n");
  const Ran ran = heddle("version > /dev/full");
  EXPECT_EQ(ran.code, 1);
  const Ran file = heddle("compile " + source_ + " -o /dev/full");
  EXPECT_EQ(file.code, 1);
  EXPECT_THAT(file.output, HasSubstr("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(Cli, FilesOverTheSizeLimitAreAnErrorAndLeaveNothing) {
  ASSERT_EQ(heddle("compile " + source_ + " -o k.ptx").code, 0);
  const Ran ran = heddle("version && ulimit -f 100 && '" + heddle_program(HEDDLE_PROGRAM).string() +
                         "' launch k.ptx --entry saxpy --grid 1 --block 32 --arg i32:0 --arg f32:1 "
                         "--arg zeros:f32:4 --arg out:big.npy:f32:100000");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("big.npy: File too large"));
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_THAT(file.path().filename().string(), Not(HasSubstr("big.npy")));
}

TEST_F(Cli, ErrorsAreOneSentenceAndOne) {
  const Ran absent = heddle("inspect absent.ptx");
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.output, AllOf(HasSubstr("heddle: "), HasSubstr("absent.ptx")));
  base::write_file_atomic(folder_.path() / "bad.ptx",
                          std::string_view(".version 7.0\n.target sm_80\n.entry k() { add.u32; }\n"));
  const Ran bad = heddle("inspect bad.ptx");
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.output, HasSubstr("bad.ptx:3"));
  const Ran device = heddle("devices --device warp9");
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.output, AllOf(HasSubstr("warp9"), HasSubstr("cpu")));
}

// Not pages of what clang or the parser find in them.
TEST_F(Cli, FilesThatAreNoTextAreNamed) {
  const std::string program = base::read_file("/proc/self/exe");
  for (const char* command : {"inspect ", "compile ", "launch --entry k "})
    for (const char* file : {"a.cu", "a.ptx"}) {
      for (const char* old : {"a.cu", "a.ptx"}) std::filesystem::remove(folder_.path() / old);
      base::write_file_atomic(folder_.path() / file, program);
      const bool is_ptx = std::string(file) == "a.ptx";
      if (is_ptx && std::string(command) == "compile ") continue;  // it takes none
      const Ran ran = heddle(command + std::string(file));
      EXPECT_EQ(ran.code, 1) << command;
      EXPECT_EQ(ran.output, "heddle: " + std::string(file) + " is a program or library (ELF); expected is " +
                                (is_ptx ? "PTX" : "CUDA C++") + ", a text\n")
          << command;
    }
  base::write_file_atomic(folder_.path() / "image.png", std::string_view("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(heddle("inspect image.png").output, "heddle: image.png is a PNG picture; expected is CUDA C++, a text\n");
}

TEST_F(Cli, DevicesAsTableAndJson) {
  EXPECT_THAT(heddle("devices").output, AllOf(HasSubstr("cpu"), HasSubstr("B/s")));
  const auto list = nlohmann::json::parse(heddle("devices --json").output);
  EXPECT_EQ(list[0]["id"], "cpu");
  EXPECT_GT(list[0]["bandwidth_bytes_per_second"], 1e6);
  EXPECT_GE(list[0]["processors"], 1);
  EXPECT_GT(list[0]["memory_bytes"], 1 << 20);
}

TEST_F(Cli, CompileWritesPtx) {
  const Ran ran = heddle("compile " + source_ + " -o k.ptx");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("k.ptx: 4 kernels"));
  EXPECT_THAT(base::read_file(folder_.path() / "k.ptx"), HasSubstr(".entry saxpy"));
  EXPECT_THAT(heddle("compile " + source_ + " -o -").output, HasSubstr(".entry reverse"));
}

// Of what -o names, in every command.
TEST_F(Cli, FoldersThatAreMissingAreNamed) {
  base::write_file_atomic(folder_.path() / "t.json", std::string_view(trace));
  for (const std::string& command :
       {"compile " + source_ + " -o none/k", std::string("timeline t.json -o none/k"),
        std::string("graph t.json -o none/k"), "launch " + source_ + " --entry fill_blocks --arg out:none/k:i32:1"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.output, HasSubstr("heddle: cannot write none/k: there is no folder none")) << command;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none")) << command;
  }
}

TEST_F(Cli, WhatIsWrittenIsSaid) {
  base::write_file_atomic(folder_.path() / "t.json", std::string_view(trace));
  EXPECT_THAT(heddle("timeline t.json").output, AllOf(HasSubstr("t.svg: 2 commands, "), EndsWith(" of SVG\n")));
  EXPECT_THAT(heddle("timeline t.json -o a.svg").output, HasSubstr("a.svg: 2 commands, "));
  EXPECT_THAT(heddle("graph t.json -o a.dot").output, AllOf(HasSubstr("a.dot: 2 commands, "), EndsWith(" of DOT\n")));
  EXPECT_EQ(heddle("graph t.json -o -").output, base::read_file(folder_.path() / "a.dot"));
  EXPECT_EQ(heddle("graph t.json").output, base::read_file(folder_.path() / "a.dot"));
  EXPECT_EQ(heddle("timeline t.json -o -").output, base::read_file(folder_.path() / "a.svg"));
}

TEST_F(Cli, CompileErrorsShowTheLine) {
  base::write_file_atomic(folder_.path() / "bad.cu",
                          std::string_view("__global__ void k(int* p) {\n  *p = missing;\n}\n"));
  const Ran ran = heddle("compile bad.cu");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("bad.cu:2"), HasSubstr("missing"), Not(EndsWith("\n\n"))));
  EXPECT_EQ(heddle("compile bad.cu -X --bogus").output,
            "heddle: bad.cu does not compile: clang-19: error: unknown argument: '--bogus'\n");
}

// The lines of such errors are not those of the source.
TEST_F(Cli, ErrorsInInlineAssemblerAreInThePtx) {
  base::write_file_atomic(
      folder_.path() / "asm.cu",
      std::string_view("__global__ void k(int* p) {\n  asm(\"wibble.s32 %0, 1;\" : \"=r\"(*p));\n}\n"));
  for (const char* command : {"compile asm.cu", "inspect asm.cu", "launch asm.cu --arg null"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("heddle: PTX of asm.cu:"), HasSubstr("found 'wibble'"))) << command;
  }
}

TEST_F(Cli, InspectShowsAccessAndIndependence) {
  const auto list = nlohmann::json::parse(heddle("inspect " + source_ + " --json").output);
  ASSERT_EQ(list.size(), 4u);
  const auto& saxpy = list[0];
  EXPECT_EQ(saxpy["name"], "saxpy");
  EXPECT_EQ(saxpy["parameters"][2]["access"], "read");
  EXPECT_EQ(saxpy["parameters"][3]["access"], "read-write");
  EXPECT_EQ(saxpy["parameters"][0]["pointer"], false);
  EXPECT_EQ(saxpy["blocks"]["independent"], true);
  EXPECT_EQ(list[3]["dynamic_shared"], true);
  EXPECT_EQ(list[3]["barriers"], 1);
  EXPECT_THAT(heddle("inspect " + source_ + " --entry saxpy").output,
              AllOf(HasSubstr("read-write"), Not(HasSubstr("reverse"))));
}

TEST_F(Cli, EmptyArraysHaveNoFirstElement) {
  const Ran ran =
      heddle("launch " + source_ +
             " --entry saxpy --grid 1 --block 32 --arg i32:1 --arg f32:2 --arg zeros:f32:1 --arg zeros:f32:0 --check");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("saxpy"));
}

// What the grammar allows and PTX does not is found before anything runs.
TEST_F(Cli, PtxIsVerified) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  base::write_file_atomic(
      folder_.path() / "types.ptx",
      head +
          ".visible .entry k() {\n  .reg .f32 %f<2>;\n  .reg .b64 %d<2>;\n  add.u64 %d0, %d1, %f1;\n"
          "  ret;\n}\n");
  for (const char* command : {"inspect types.ptx", "launch types.ptx --grid 1 --block 1 --device cpu"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.output, AllOf(HasSubstr("types.ptx:7"), HasSubstr("%f1")));
  }
  base::write_file_atomic(folder_.path() / "target.ptx", std::string_view(".version 8.0\n.target amd\n"));
  EXPECT_THAT(heddle("inspect target.ptx").output, HasSubstr("found 'amd', expected a target such as sm_80"));
}

TEST_F(Cli, InspectSaysHowKernelsFillADevice) {
  EXPECT_THAT(heddle("inspect " + source_ + " --entry saxpy --device cpu --block 256").output,
              HasSubstr("on cpu: no SMs to fill, a worker runs a block at a time"));
  const auto list = nlohmann::json::parse(heddle("inspect " + source_ + " --json --device cpu --block 16x16").output);
  EXPECT_EQ(list[0]["on_device"]["device"], "cpu");
  EXPECT_EQ(list[0]["on_device"]["block"], nlohmann::json({16, 16, 1}));
  EXPECT_TRUE(list[0]["on_device"]["forms"].empty());
  const Ran alone = heddle("inspect " + source_ + " --device cpu");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.output, HasSubstr("--device and --block belong together"));
}

TEST_F(Cli, LaunchRunsOnFiles) {
  save<float>("x.npy", base::NpyType::f32, std::vector<float>(1000, 3));
  save<float>("y.npy", base::NpyType::f32, std::vector<float>(1000, 1));
  const Ran ran =
      heddle("launch " + source_ +
             " --entry saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg in:x.npy --arg inout:y.npy");
  ASSERT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("time"), HasSubstr("bandwidth"), HasSubstr("y.out.npy")));
  EXPECT_EQ(load<float>("y.out.npy"), std::vector<float>(1000, 7));
  EXPECT_EQ(load<float>("y.npy"), std::vector<float>(1000, 1)) << "the input was changed";
}

TEST_F(Cli, LaunchGivesTheSameOnEveryDeviceAndRepeat) {
  save<int>("in.npy", base::NpyType::i32, {1, 2, 3, 4});
  for (const char* options : {"--device cpu", "--device interp", "--device cpu --repeat 5 --check"}) {
    const Ran ran = heddle(
        "launch " + source_ +
        " --entry reverse --block 4 --shared 16 --arg in:in.npy --arg out:o.npy:i32:4 --out-dir results " + options);
    ASSERT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(load<int>("results/o.npy"), ElementsAre(4, 3, 2, 1)) << options;
  }
}

TEST_F(Cli, FilesOfOtherElementsThanTheKernelsAreRefused) {
  save<double>("d.npy", base::NpyType::f64, {1, 2, 3, 4});
  save<float>("y.npy", base::NpyType::f32, std::vector<float>(4, 1));
  const std::string saxpy = "launch " + source_ + " --entry saxpy --grid 1 --block 4 --arg i32:2 --arg f32:2 --arg ";
  for (const char* check : {"", " --check"}) {
    const Ran refused = heddle(saxpy + "in:d.npy --arg inout:y.npy" + check);
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(
        refused.output,
        HasSubstr("argument 3 of kernel saxpy(int, float, const float*, float*), parameter x (const float*): was "
                  "given an array of double; pass an array of float, or heddle::any_type(x) (--any-type to "
                  "heddle launch, any-type = true in a job of heddle batch) if that is meant"));
  }
  EXPECT_EQ(heddle(saxpy + "in:d.npy --arg inout:y.npy --any-type").code, 0);
  EXPECT_EQ(heddle(saxpy + "zeros:f64:4 --arg inout:absent.npy").code, 1);
  EXPECT_EQ(heddle(saxpy + "zeros:u8:16 --arg inout:y.npy").code, 0);
}

TEST_F(Cli, AShapeThatIsForgottenIsSaid) {
  const std::string fill = "launch " + source_ + " --entry fill_blocks --arg zeros:i32:4 ";
  EXPECT_THAT(heddle(fill).output, HasSubstr("note: ran 1 block of 1 thread; --grid and --block say otherwise"));
  EXPECT_THAT(heddle(fill + "--grid 4").output, HasSubstr("note: ran 4 blocks of 1 thread; --block says otherwise"));
  EXPECT_THAT(heddle(fill + "--block 32").output, HasSubstr("note: ran 1 block of 32 threads; --grid says otherwise"));
  EXPECT_THAT(heddle(fill + "--grid 4 --block 32").output, Not(HasSubstr("note")));
}

TEST_F(Cli, ResultsThatAreNotKeptAreNoted) {
  save<float>("x.npy", base::NpyType::f32, std::vector<float>(4, 3));
  save<float>("y.npy", base::NpyType::f32, std::vector<float>(4, 1));
  const std::string saxpy =
      "launch " + source_ + " --entry saxpy --grid 1 --block 4 --arg i32:4 --arg f32:2 --arg in:x.npy ";
  const Ran lost = heddle(saxpy + "--arg in:y.npy --json", "errors");
  EXPECT_EQ(lost.code, 0);
  EXPECT_TRUE(nlohmann::json::parse(lost.output)["results"].empty());
  EXPECT_EQ(base::read_file(folder_.path() / "errors"),
            "heddle: note: kernel saxpy(int, float, const float*, float*) writes argument 4, --arg in:y.npy, and what "
            "it writes is not kept; inout:y.npy "
            "keeps it\n");
  EXPECT_THAT(heddle(saxpy + "--arg inout:y.npy").output, Not(HasSubstr("note")));
}

TEST_F(Cli, LaunchRunsARangeOfBlocks) {
  const Ran ran =
      heddle("launch " + source_ + " --entry fill_blocks --grid 6 --block 32 --blocks 2:4 --arg out:o.npy:i32:6");
  ASSERT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(load<int>("o.npy"), ElementsAre(0, 0, 3, 4, 0, 0));
}

TEST_F(Cli, LaunchNamesTheWrongArgument) {
  const Ran ran = heddle("launch " + source_ + " --entry fill_blocks --arg i32:5");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("fill_blocks"), HasSubstr("argument 1")));
  EXPECT_EQ(heddle("launch " + source_ + " --arg i32:5").code, 2);  // which kernel?
}

TEST_F(Cli, ResultsThatWouldBeLostAreRefusedBeforeTheLaunch) {
  const Ran ran = heddle("launch " + source_ + " --entry reverse --arg inout:a/x.npy --arg inout:b/x.npy");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("--arg inout:a/x.npy"), HasSubstr("--arg inout:b/x.npy"),
                                HasSubstr("would both write x.out.npy")));
  save<int>("in.npy", base::NpyType::i32, {1, 2});
  const Ran same = heddle("launch " + source_ +
                          " --entry reverse --block 2 --shared 8 --out-dir results --arg out:o.npy:i32:2 --arg "
                          "out:./o.npy:i32:2");
  EXPECT_EQ(same.code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "results"));
}

TEST_F(Cli, JsonIsAllThatGoesToStandardOutput) {
  base::write_file_atomic(folder_.path() / "says.cu",
                          std::string_view("__global__ void says() { printf(\"hello from a kernel\\n\"); }\n"));
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran = heddle("launch says.cu --json --device " + std::string(device), "errors");
    ASSERT_EQ(ran.code, 0) << ran.output;
    EXPECT_EQ(nlohmann::json::parse(ran.output)["repeats"], 1) << ran.output;
    EXPECT_THAT(base::read_file(folder_.path() / "errors"), HasSubstr("hello from a kernel"));
    EXPECT_THAT(heddle("launch says.cu --device " + std::string(device), "errors").output,
                HasSubstr("hello from a kernel"));
  }
  EXPECT_EQ(nlohmann::json::parse(heddle("launch says.cu --json", "&-").output)["repeats"], 1);
}

TEST_F(Cli, KernelsThatCannotRunAreRefusedBeforeDataIsRead) {
  base::write_file_atomic(folder_.path() / "texture.ptx", std::string_view(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .f32 %f<7>;
  ld.param.u64 %rd1, [p];
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd1, {%f5, %f6}];  // a sampler of its own
  ret;
}
)"));
  const Ran ran = heddle("launch texture.ptx --arg in:absent.npy --device cpu");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("tex.2d"), Not(HasSubstr("absent"))));
  const std::string fill = "launch " + source_ + " --entry fill_blocks --arg inout:absent.npy ";
  EXPECT_THAT(heddle(fill + "--arg i32:1").output, AllOf(HasSubstr("takes 1 argument"), Not(HasSubstr("absent"))));
  EXPECT_THAT(heddle(fill + "--block 5000").output, AllOf(HasSubstr("--block 5000: "), Not(HasSubstr("absent"))));
  EXPECT_THAT(heddle(fill + "--grid 2 --blocks 1:3").output,
              AllOf(HasSubstr("blocks 1 to 3 are not part of a grid of 2 blocks"), Not(HasSubstr("absent"))));
  EXPECT_THAT(heddle(fill + "--grid 2 --blocks 0:2").output, HasSubstr("absent.npy"));
}

TEST_F(Cli, NumbersAreNoPointers) {
  const Ran ran = heddle("launch " + source_ + " --entry fill_blocks --arg u64:4096");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("was given an integer of 8 bytes"), HasSubstr("in:, inout:, out:, zeros:")));
  EXPECT_EQ(heddle("launch " + source_ + " --entry fill_blocks --check --arg hex:0010000000000000").code, 99);
}

// The kernel's line cannot be taken for the place of the allocation, and Heddle's own code is no place of the program.
TEST_F(Cli, FaultsNameTheKernelsLineFirst) {
  const Ran ran = heddle("launch " + source_ + " --entry out_of_bounds --check --arg zeros:i32:4 --arg i32:4");
  EXPECT_THAT(ran.output,
              testing::ContainsRegex("thread \\(0, 0, 0\\) at [^ ]*saxpy.cu:10 \\(PTX line [0-9]+: st.global[^)]*\\): "
                                     "write of 4 bytes at address 0x[0-9a-f]*, which is right behind the end "
                                     "of the allocation of 16 bytes at 0x[0-9a-f]*\n$"));
  const Ran wild = heddle("launch " + source_ + " --entry out_of_bounds --arg hex:0000000000000080 --arg i32:4");
  EXPECT_EQ(wild.code, 99);
  EXPECT_THAT(wild.output, HasSubstr("(a wild pointer; the address is told where accesses are verified: --check"));
}

TEST_F(Cli, KernelFaultsAreNinetyNine) {
  const Ran ran = heddle("launch " + source_ + " --entry out_of_bounds --check --arg zeros:i32:4 --arg i32:1000000");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("out_of_bounds"), HasSubstr("saxpy.cu")));
}

TEST_F(Cli, ChecksHaveKinds) {
  const std::string launch = "launch " + source_ + " --entry out_of_bounds --device cpu --arg zeros:i32:4 --arg i32:";
  EXPECT_EQ(heddle(launch + "3 --check=race,init,memory").code, 0);
  EXPECT_EQ(heddle(launch + "4 --check=race,memory").code, 99);
  const Ran wrong = heddle(launch + "3 --check=rase");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("did you mean 'race'?"));
  const Ran other =
      heddle("launch " + source_ + " --entry out_of_bounds --device interp --check=race --arg zeros:i32:4 --arg i32:3");
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.output, HasSubstr("the interpreter checks accesses to memory only"));
}

}  // namespace
}  // namespace heddle::tests
