// The programs of tests/cuda_api/programs: built by heddle cc and, where there is one, by nvcc; run by heddle run, with
// whole launches and with launches in parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

fs::path programs() { return test_data() / "cuda_api" / "programs"; }
std::string heddle() { return quoted(heddle_program(HEDDLE_PROGRAM)); }

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : fs::directory_iterator(programs()))
    if (entry.path().extension() == ".cu") list.push_back(entry.path().stem().string());
  std::sort(list.begin(), list.end());
  return list;
}

// How it ends where that is no plain success.
int expected_code(const std::string& name) { return name == "failing_assert" ? 42 : 0; }
std::string expected_text(const std::string& name) {
  if (name == "failing_assert") return "cudaErrorAssert";
  if (name == "bad_access") return "ended";
  return "passed";
}

class CudaPrograms : public testing::TestWithParam<std::string> {
 protected:
  void expect_runs(const fs::path& program) {
    for (const char* options : {"", "--slice 3 "}) {
      const Ran ran = run_command(program_environment() + heddle() + " run --device cpu " + options + quoted(program));
      EXPECT_EQ(ran.code, expected_code(GetParam())) << options << ran.output;
      EXPECT_THAT(ran.output, HasSubstr(expected_text(GetParam()))) << options;
    }
  }
  TemporaryFolder folder_;
};

TEST_P(CudaPrograms, BuiltByHeddle) {
  const fs::path program = folder_.path() / "program";
  const Ran built =
      run_command(heddle() + " cc " + quoted(programs() / (GetParam() + ".cu")) + " -o " + quoted(program));
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  expect_runs(program);
}

TEST_P(CudaPrograms, BuiltByNvcc) {
  if (run_command("nvcc --version").code != 0) GTEST_SKIP() << "NO NVCC HERE: only programs of heddle cc were run";
  const fs::path program = folder_.path() / "program";
  const Ran built = run_command("nvcc -cudart shared --extended-lambda -arch=compute_80 " +
                                quoted(programs() / (GetParam() + ".cu")) + " -o " + quoted(program));
  ASSERT_EQ(built.code, 0) << built.output;
  expect_runs(program);
}

// nvcc's default: NVIDIA's runtime is in the program, and calls Heddle's driver API.
TEST_P(CudaPrograms, BuiltByNvccWithItsRuntime) {
  if (run_command("nvcc --version").code != 0) GTEST_SKIP() << "NO NVCC HERE: only programs of heddle cc were run";
  const fs::path program = folder_.path() / "program";
  const Ran built = run_command("nvcc --extended-lambda -arch=compute_80 " + quoted(programs() / (GetParam() + ".cu")) +
                                " -o " + quoted(program));
  ASSERT_EQ(built.code, 0) << built.output;
  expect_runs(program);
}

INSTANTIATE_TEST_SUITE_P(All, CudaPrograms, testing::ValuesIn(names()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

// Programs that include parts of NVIDIA's toolkit which Heddle has no headers of its own for.
class ToolkitPrograms : public testing::TestWithParam<std::string> {};

TEST_P(ToolkitPrograms, BuiltWithTheHeadersOfTheToolkitThatIsFound) {
  const TemporaryFolder folder;
  const fs::path program = folder.path() / "program";
  const fs::path source = test_data() / "cuda_api" / "toolkit" / (GetParam() + ".cu");
  const Ran built = run_command(heddle() + " cc -O2 " + quoted(source) + " -o " + quoted(program));
  if (testing::Value(built.output, HasSubstr("which Heddle does not have")))
    GTEST_SKIP() << "NO CUDA TOOLKIT HERE: " << built.output;
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = run_command(program_environment() + heddle() + " run --device cpu " + quoted(program));
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("passed"));
}

INSTANTIATE_TEST_SUITE_P(All, ToolkitPrograms,
                         testing::Values("cub", "curand_device", "libcudacxx", "pipelines", "thrust"),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

class CudaProjects : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(CudaProjects, SeveralFilesAndLanguages) {
  const fs::path source = programs() / "several";
  std::string objects;
  for (const char* file : {"main.cpp", "fill.cu", "scale.cu", "devices.c"}) {
    const fs::path object = folder_.path() / (std::string(file) + ".o");
    const Ran built = run_command(heddle() + " cc -c -DFACTOR=2 -O1 -Xcompiler -Wall,-Wextra " + quoted(source / file) +
                                  " -o " + quoted(object));
    ASSERT_EQ(built.code, 0) << built.output;
    EXPECT_EQ(built.output, "");
    objects += ' ' + quoted(object);
  }
  const fs::path program = folder_.path() / "program";
  const Ran linked = run_command(heddle() + " cc" + objects + " -o " + quoted(program) + " -lcudart");
  ASSERT_EQ(linked.code, 0) << linked.output;
  const Ran ran = run_command(program_environment() + heddle() + " run --device cpu " + quoted(program));
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("passed"));
}

// What NVIDIA's runtime asks on its own behalf, as before there is a context, is no mistake of the program's.
TEST_F(CudaProjects, NvidiasRuntimeMakesNoMistakes) {
  if (run_command("nvcc --version").code != 0) GTEST_SKIP() << "NO NVCC HERE";
  const fs::path source = folder_.path() / "first.cu", program = folder_.path() / "first";
  base::write_file_atomic(source,
                          "#include <cstdio>\n__global__ void k(int* x) { *x = 1; }\n"
                          "int main() { int grid, block, *x;\n"
                          "  if (cudaOccupancyMaxPotentialBlockSize(&grid, &block, k, 0, 0)) return 1;\n"
                          "  cudaMalloc(&x, 4); k<<<1, block>>>(x); return cudaFree(x); }\n");
  const Ran built = run_command("nvcc -arch=compute_80 " + quoted(source) + " -o " + quoted(program));
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = run_command(program_environment() + heddle() + " run --device cpu --check=api " + quoted(program));
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.output, "");
}

TEST_F(CudaProjects, ALibraryThatIsOpened) {
  const fs::path source = programs() / "library", library = folder_.path() / "libkernels.so";
  const Ran built = run_command(heddle() + " cc -shared -Xcompiler -fPIC " + quoted(source / "kernels.cu") + " -o " +
                                quoted(library));
  ASSERT_EQ(built.code, 0) << built.output;
  const fs::path program = folder_.path() / "program";
  const Ran main = run_command(heddle() + " cc " + quoted(source / "main.cu") + " -ldl -o " + quoted(program));
  ASSERT_EQ(main.code, 0) << main.output;
  for (const char* options : {"", "--check "}) {
    const Ran ran = run_command(program_environment() + heddle() + " run --device cpu " + options + quoted(program) +
                                ' ' + quoted(library));
    EXPECT_EQ(ran.code, 0) << options << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("passed")) << options;
  }
}

// -rdc=true. One file comes from an archive, one is compiled without.
class RelocatableCode : public testing::Test {
 protected:
  void make(const std::string& command) {
    const Ran ran = run_command("cd " + quoted(folder_.path()) + " && " + command);
    ASSERT_EQ(ran.code, 0) << command << ran.output;
    EXPECT_EQ(ran.output, "") << command;
  }
  std::string source(const char* file) { return ' ' + quoted(programs() / "relocatable" / file); }
  void make_objects() {
    for (const char* file : {"main.cu", "archived.cu", "shapes.cu"}) make(heddle() + " cc -dc" + source(file));
    make(heddle() + " cc -c" + source("plain.cu"));
    make("ar rc libarchived.a archived.o");
  }
  void expect_runs() {
    for (const char* options : {"", "--slice 3 "}) {
      const Ran ran = run_command(program_environment() + heddle() + " run --device cpu " + options +
                                  quoted(folder_.path() / "program"));
      EXPECT_EQ(ran.code, 0) << options << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("passed")) << options;
    }
  }
  TemporaryFolder folder_;
};

TEST_F(RelocatableCode, OfOneCommand) {
  make(heddle() + " cc -rdc=true" + source("main.cu") + source("archived.cu") + source("shapes.cu") +
       source("plain.cu") + " -o program");
  expect_runs();
}

TEST_F(RelocatableCode, OfObjectsAndArchives) {
  make_objects();
  make(heddle() + " cc main.o shapes.o plain.o libarchived.a -o program");
  expect_runs();
  make(heddle() + " cc main.o shapes.o plain.o -L. -larchived -o program");
  expect_runs();
}

TEST_F(RelocatableCode, LinkedBeforeTheProgram) {
  make_objects();
  make(heddle() + " cc -dlink main.o shapes.o libarchived.a -o linked.o");
  make(heddle() + " cc main.o shapes.o plain.o linked.o libarchived.a -o program");
  expect_runs();
}

// Members of archives with device code alone, which no symbol of the host's code asks for.
class DeviceLibraries : public RelocatableCode {
 protected:
  void SetUp() override {
    write("kernel.cu", R"(
__device__ int twice(int);
extern __device__ int added;
__global__ void kernel(int* p) { p[threadIdx.x] = twice(threadIdx.x) + added; }
int run() {
  int* p;
  int got[32];
  cudaMalloc(&p, sizeof got);
  kernel<<<1, 32>>>(p);
  const int error = cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (error != 0 || got[i] != 2 * i + 5) return 1;
  return 0;
}
)");
    write("twice.cu", "__device__ int added = 5;\n__device__ int twice(int x) { return 2 * x; }\n");
    write("host.cpp", "int host() { return 0; }\n");
    write("main.cpp", R"(
#include <cstdio>
int run();
int main() { return run() == 0 ? std::puts("passed"), 0 : 1; }
)");
    make(heddle() + " cc -dc kernel.cu twice.cu");
    make(heddle() + " cc -c host.cpp main.cpp");
    make("ar rc libboth.a host.o kernel.o twice.o && ar rcT libthin.a kernel.o twice.o");
  }
  void write(const char* name, std::string_view text) { base::write_file_atomic(folder_.path() / name, text); }
};

TEST_F(DeviceLibraries, AllTheirDeviceCodeIsLinked) {
  for (const char* words :
       {"main.o libboth.a", "main.o libthin.a", "-rdc=true main.cpp libboth.a", "main.o -L. -lboth",
        "-L. -lboth main.o", "main.o -L. -l:libboth.a", "main.o twice.o libboth.a", "main.o kernel.o twice.o libboth.a",
        "main.o -Xlinker --whole-archive libboth.a -Xlinker --no-whole-archive",
        "-Xlinker --whole-archive,libboth.a,--no-whole-archive main.o",
        "-Xlinker --start-group libboth.a main.o -Xlinker --end-group"}) {
    SCOPED_TRACE(words);
    make(heddle() + " cc -o program " + words);
    expect_runs();
  }
}

TEST_F(DeviceLibraries, AreLinkedByAnotherLinker) {
  make(heddle() + " cc -dlink libboth.a -o linked.o");
  const std::string folders =
      " $(" + heddle() + " cc --dryrun main.o -o none 2>&1 | sed -n 's/^#. LIBRARIES=//p' | tr -d '\"')";
  make("c++ main.o linked.o libboth.a" + folders + " -Wl,--allow-shlib-undefined -lcudart -o program");
  expect_runs();
}

// The first use of the program's kernels says what nothing defines.
TEST_F(RelocatableCode, WhatNothingDefinesIsNamed) {
  base::write_file_atomic(folder_.path() / "a.cu", std::string_view(R"(
__device__ int nowhere(int);
__global__ void kernel(int* p) { *p = nowhere(1); }
int main() { kernel<<<1, 1>>>(nullptr); return cudaGetLastError() == cudaSuccess ? 0 : 3; }
)"));
  make(heddle() + " cc -rdc=true a.cu -o program");
  const Ran ran =
      run_command(program_environment() + heddle() + " run --device cpu " + quoted(folder_.path() / "program"));
  EXPECT_EQ(ran.code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace heddle::tests
