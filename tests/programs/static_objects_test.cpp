// What programs of heddle cc do before main() begins and after it has returned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "programs/cc/registration.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The constructor and the destructor of a static object launch a kernel, which adds to a variable of the device that
// has an initial value; main() does so, too.
constexpr std::string_view object_source = R"(
#include <cstdio>
__device__ int sum = 5;
__constant__ int step = 1;
__global__ void add() { sum += step; }
static void launch(const char* where) {
  add<<<1, 1>>>();
  const cudaError_t error = cudaGetLastError();
  int value = -1;
  const cudaError_t copied = cudaMemcpyFromSymbol(&value, sum, sizeof value);
  std::printf("%s %s %s %d\n", where, cudaGetErrorName(error), cudaGetErrorName(copied), value);
  std::fflush(stdout);
}
struct Object {
  Object() {
    const int ten = 10;
    cudaMemcpyToSymbol(step, &ten, sizeof ten);
    launch("constructor");
  }
  ~Object() { launch("destructor"); }
};
static Object object;
int main() { launch("main"); }
)";

// Two files with relocatable device code. The first one's constructor uses a variable before the second one has
// registered its kernels.
constexpr std::string_view first_source = R"(
#include <cstdio>
__constant__ int step;
__device__ int twice(int value);
__global__ void add(int* to) { *to += twice(step); }
void launch_second(int* to);
struct Object {
  Object() {
    const int five = 5;
    std::printf("constructor %s\n", cudaGetErrorName(cudaMemcpyToSymbol(step, &five, sizeof five)));
  }
};
static Object object;
int main() {
  int* to = nullptr;
  cudaMallocManaged(&to, sizeof *to);
  *to = 0;
  add<<<1, 1>>>(to);
  launch_second(to);
  std::printf("main %s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *to);
}
)";
constexpr std::string_view second_source = R"(
__device__ int twice(int value) { return 2 * value; }
__global__ void add_one(int* to) { *to += 1; }
void launch_second(int* to) { add_one<<<1, 1>>>(to); }
)";

// A launch at the end of the process, for blocks of another size than all before.
constexpr std::string_view exit_source = R"(
#include <cstdio>
#include <cstdlib>
__global__ void add(int* to) { atomicAdd(to, 1); }
static int* to;
static void at_exit() {
  add<<<1, 32>>>(to);
  const cudaError_t known = cudaDeviceSynchronize();
  std::printf("known %s %d\n", cudaGetErrorName(known), *to);
  add<<<1, 64>>>(to);
  const cudaError_t launched = cudaGetLastError();
  std::printf("new %s\n", cudaGetErrorName(launched));
}
int main() {
  std::atexit(at_exit);
  cudaMallocManaged(&to, sizeof *to);
  *to = 0;
  add<<<1, 32>>>(to);
  cudaDeviceSynchronize();
  std::printf("main %d\n", *to);
}
)";

class StaticObjects : public testing::Test {
 protected:
  void file(const std::string& name, std::string_view text) const {
    base::write_file_atomic(folder_.path() / name, text);
  }
  std::string read(const std::string& name) const { return base::read_file(folder_.path() / name); }
  Ran shell(const std::string& command) const { return run_command("cd " + quoted(folder_.path()) + " && " + command); }
  Ran cc(const std::string& words) const { return shell(quoted(heddle_program(HEDDLE_PROGRAM)) + " cc " + words); }
  Ran run(const std::string& device, const std::string& words) const {
    return shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device " + device + " " +
                 words);
  }
  TemporaryFolder folder_;
};

TEST_F(StaticObjects, LaunchKernelsAsNvccsDo) {
  file("a.cu", object_source);
  for (const char* build :
       {"-O2 a.cu -o program", "-O0 -rdc=true a.cu -o program", "-g -c a.cu -o a.o && mv a.o b.o && touch program"}) {
    ASSERT_EQ(cc(build).code, 0) << build;
    if (std::string_view(build).starts_with("-g")) {
      ASSERT_EQ(cc("b.o -o program").code, 0);
    }
    for (const char* device : {"cpu", "interp"}) {
      const Ran ran = run(device, "./program");
      EXPECT_EQ(ran.code, 0) << build << device << ran.output;
      EXPECT_THAT(ran.output, AllOf(HasSubstr("constructor cudaSuccess cudaSuccess 15\n"),
                                    HasSubstr("main cudaSuccess cudaSuccess 25\n"),
                                    HasSubstr("destructor cudaSuccess cudaSuccess 35\n")))
          << build << device;
    }
  }
}

TEST_F(StaticObjects, MayUseCodeThatIsLinkedWithOtherFiles) {
  file("a.cu", first_source);
  file("b.cu", second_source);
  for (const char* build : {"-rdc=true a.cu b.cu -o program", "-rdc=true b.cu a.cu -o program"}) {
    ASSERT_EQ(cc(build).code, 0) << build;
    const Ran ran = run("cpu", "./program");
    EXPECT_EQ(ran.output, "constructor cudaSuccess\nmain cudaSuccess 11\n") << build;
  }
}

TEST_F(StaticObjects, LaunchesAtExitEndWell) {
  file("a.cu", exit_source);
  ASSERT_EQ(cc("a.cu -o program").code, 0);
  const Ran on_cpu = run("cpu", "./program"), interpreted = run("interp", "./program");
  EXPECT_EQ(on_cpu.code, 0) << on_cpu.output;
  EXPECT_THAT(on_cpu.output, AllOf(HasSubstr("main 32\n"), HasSubstr("known cudaSuccess 64\n"),
                                   HasSubstr("new cudaErrorNotSupported\n"),
                                   HasSubstr("for blocks of 64 threads: the process is ending")));
  EXPECT_EQ(interpreted.code, 0) << interpreted.output;
  EXPECT_THAT(interpreted.output, HasSubstr("new cudaSuccess\n"));
}

// What is no object file stays as it is, and so does one that was cut anywhere.
TEST_F(StaticObjects, RegistrationComesFirstInObjectFilesAlone) {
  file("a.cu", object_source);
  file("b.cc", "struct A { A(); } a;\nA::A() {}\n");
  ASSERT_EQ(cc("-c a.cu -o a.o").code, 0);
  ASSERT_EQ(cc("-c b.cc -o b.o").code, 0);
  std::string object = read("a.o"), plain = read("b.o"), none;
  EXPECT_FALSE(programs::register_first(object)) << "it is first already";
  EXPECT_FALSE(programs::register_first(plain)) << "no device code";
  EXPECT_FALSE(programs::register_first(none));
  for (std::size_t size = 0; size < object.size(); size += size < 256 ? 1 : 61) {
    std::string cut = object.substr(0, size);
    programs::register_first(cut);
    EXPECT_EQ(cut.size(), size);
  }
  std::string damaged = object;
  for (std::size_t at = 16; at < damaged.size(); at += 7) {
    const char before = damaged[at];
    damaged[at] = static_cast<char>(~before);
    programs::register_first(damaged);
    damaged[at] = before;
  }
}

}  // namespace
}  // namespace heddle::tests
