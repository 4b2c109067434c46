// __managed__ variables in programs of heddle cc, and what is said where they cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Managed : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) const {
    base::write_file_atomic(folder_.path() / name, std::string_view(text));
  }
  Ran shell(const std::string& command) const { return run_command("cd " + quoted(folder_.path()) + " && " + command); }
  Ran cc(const std::string& words) const { return shell(quoted(heddle_program(HEDDLE_PROGRAM)) + " cc " + words); }
  Ran run(const std::string& words, const std::string& device = "cpu") const {
    return shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device " + device + " " +
                 words);
  }
  TemporaryFolder folder_;
};

TEST_F(Managed, InitialValuesAddressesAndResets) {
  const auto source = quoted(test_data() / "cuda_api" / "programs" / "managed" / "values.cu");
  for (const char* build : {"-O0 ", "-O2 ", "-O2 -rdc=true "}) {
    const Ran built = cc(build + source + " -o program");
    ASSERT_EQ(built.code, 0) << build << built.output;
    EXPECT_EQ(built.output, "") << build;
    for (const char* options : {"", "--slice 3 ", "--check ", "interp"}) {
      const bool on_interpreter = std::string_view(options) == "interp";
      const Ran ran = on_interpreter ? run("./program", options) : run(std::string(options) + "./program");
      EXPECT_EQ(ran.code, 0) << build << options << ran.output;
      EXPECT_THAT(ran.output, AllOf(HasSubstr("passed"), Not(HasSubstr("CHECK")))) << build << options;
    }
  }
}

TEST_F(Managed, CheckFindsWhatLiesBeyond) {
  file("a.cu",
       "__managed__ int many[4];\n__managed__ int other[4];\n"
       "__global__ void k(int i) { many[i] = 1; other[i & 3] = 2; }\n"
       "int main(int n, char**) { k<<<1, 1>>>(n == 1 ? 3 : n == 2 ? 4 : -1); return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(cc("a.cu -o a").code, 0);
  const Ran within = run("--check ./a"), behind = run("--check ./a 1"), before = run("--check ./a 1 2");
  EXPECT_EQ(within.code, 0) << within.output;
  EXPECT_EQ(behind.code, 99);
  EXPECT_THAT(behind.output, AllOf(HasSubstr("write of 4 bytes"), HasSubstr("a.cu:3"),
                                   HasSubstr("right behind the end of the module variable 'many' of 16 bytes")));
  EXPECT_EQ(before.code, 99);
  EXPECT_THAT(before.output, HasSubstr("4 bytes before the module variable 'many' of 16 bytes"));
}

TEST_F(Managed, TheInterpreterHasItToo) {
  for (const char* name : {"managed", "managed_variables"}) {
    ASSERT_EQ(cc(quoted(test_data() / "cuda_api" / "programs" / (std::string(name) + ".cu")) + " -o " + name).code, 0);
    const Ran ran = run(std::string("./") + name, "interp");
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("passed"));
  }
  file("a.cu",
       "#include <cstdio>\n__managed__ int many[4];\n__global__ void k(int i) { many[i] = 1; }\n"
       "int main() { int any = -1; cudaDeviceGetAttribute(&any, cudaDevAttrPageableMemoryAccess, 0);\n"
       "std::printf(\"any: %d\\n\", any); k<<<1, 1>>>(4); return cudaDeviceSynchronize() == cudaErrorIllegalAddress; "
       "}\n");
  const Ran ran = run("a.cu", "interp");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("right behind the end of the variable 'many' of 16 bytes"),
                                HasSubstr("any: 0\n")));  // its kernels know allocated memory only
}

// Kernels of a program that does not wait for them are nobody's mistake.
TEST_F(Managed, CheckLeavesTheEndOfAProgramAlone) {
  file("a.cu",
       "__managed__ unsigned long long sum;\n"
       "__global__ void k(int n) { for (int i = 0; i < n; ++i) atomicAdd(&sum, 1ull); }\n"
       "int main() { k<<<64, 256>>>(100); return 3; }\n");
  const Ran ran = run("--check a.cu");
  EXPECT_EQ(ran.code, 3) << ran.output;
}

TEST_F(Managed, AProgramMayEndBeforeItsKernels) {
  file("a.cu",
       "__managed__ volatile int stop;\n__global__ void k() { while (!stop); }\n"
       "int main() { k<<<1, 1>>>(); return 3; }\n");
  ASSERT_EQ(cc("a.cu -o a").code, 0);
  const Ran ran =
      shell(program_environment() + "timeout 60 " + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./a");
  EXPECT_EQ(ran.code, 3) << ran.output;
}

TEST_F(Managed, ConstIsRefused) {
  file("a.cu", "__managed__ const int fixed = 5;\nint main() {}\n");
  const Ran built = cc("a.cu -o a");
  EXPECT_NE(built.code, 0);
  EXPECT_THAT(built.output,
              AllOf(HasSubstr("a.cu:1:"), HasSubstr("fixed"), HasSubstr("managed_variables_cannot_be_const")));
}

TEST_F(Managed, AddressesOfTheDeviceWithinPackedClassesAreRefused) {
  file("a.cu",
       "struct __attribute__((packed)) P { char c; int* p; };\n"
       "__device__ int own;\n__managed__ P packed = {1, &own};\n__global__ void k() { *packed.p = 1; }\n"
       "int main() { k<<<1, 1>>>(); return cudaGetLastError() == cudaErrorNotSupported ? 4 : 5; }\n");
  const Ran ran = run("a.cu");
  EXPECT_EQ(ran.code, 4) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("'packed'"), HasSubstr("'own'"), HasSubstr("let the program set it")));
}

// NVIDIA's runtime, as far as such a program needs it before main().
TEST_F(Managed, ProgramsSayThatTheyNeedHeddlesRuntime) {
  file("nvidias.c",
       "static void* handle;\nvoid** __cudaRegisterFatBinary(void* p) { return &handle; }\n"
       "void __cudaRegisterFatBinaryEnd(void** h) {}\nvoid __cudaUnregisterFatBinary(void** h) {}\n"
       "void __cudaRegisterVar(void** h) {}\n");
  file("nvidias.map", "libcudart.so.12 { global: *; };\n");
  const Ran made = shell(
      "cc -w -shared -fPIC nvidias.c -o libcudart.so.12 -Wl,-soname,libcudart.so.12 -Wl,--version-script=nvidias.map");
  ASSERT_EQ(made.code, 0) << made.output;
  file("a.cu", "#ifdef WITH\n__managed__ int x;\n#endif\nint main() { return 7; }\n");
  ASSERT_EQ(cc("a.cu -o without").code, 0);
  ASSERT_EQ(cc("-DWITH a.cu -o with").code, 0);
  EXPECT_EQ(shell("LD_LIBRARY_PATH=. ./without").code, 7);
  const Ran with = shell("LD_LIBRARY_PATH=. ./with");
  EXPECT_EQ(with.code, 1);
  EXPECT_THAT(with.output, HasSubstr("start it with heddle run"));
  EXPECT_EQ(run("./with").code, 7);
}

}  // namespace
}  // namespace heddle::tests
