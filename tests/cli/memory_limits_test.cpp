// Every command under several limits of memory: it works, or ends with a sentence that says what there is no memory
// for. It neither crashes nor hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_program.hpp"

namespace heddle::tests {
namespace {

constexpr const char* kernel = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %t; .reg .f32 %f;
  ld.param.u64 %p, [a];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %q, %t, 4;
  add.u64 %p, %p, %q;
  ld.global.f32 %f, [%p];
  add.f32 %f, %f, %f;
  st.global.f32 [%p], %f;
  ret;
}
)";
constexpr const char* sweep = R"(machines = ["tesla-g80"]
[[kernels]]
file = "k.ptx"
arguments = ["--block", "64", "--arg", "zeros:f32:64"]
)";
constexpr const char* jobs = "[[job]]\nfile = \"k.ptx\"\nblock = 64\nargs = [\"zeros:f32:64\"]\n";
constexpr const char* launch = "launch k.ptx --block 64 --arg zeros:f32:64 --device ";

class MemoryLimits : public HeddleCommand {
 protected:
  MemoryLimits() {
    write("k.ptx", kernel);
    write("a.cu", program);
    write("s.toml", sweep);
    write("j.toml", jobs);
    write("two.toml", std::string(jobs) + jobs);
    for (const char* command : {"cc a.cu -o prog", "run --device cpu --trace t.json a.cu"})
      EXPECT_EQ(in_folder(command).code, 0) << command;
    for (const char* report : {"sim:tesla-g80,report=a.json", "sim:fermi-gtx480,report=b.json"})
      EXPECT_EQ(in_folder(std::string(launch) + report).code, 0) << report;
  }
  // With a cache and a daemon's place of its own.
  Ran in_folder(const std::string& arguments, const std::string& before = "") const {
    const std::string here = folder_.path().string();
    return heddle(
        arguments, "&1",
        before + "HEDDLE_CACHE_DIR='" + here + "/cache' HEDDLE_DAEMON='" + here + "/daemon' timeout -k 5 100");
  }
  // `kind`: v of the address space, d of data.
  Ran limited(const std::string& arguments, int kib, char kind = 'v') const {
    return in_folder(arguments, std::string("ulimit -") + kind + " " + std::to_string(kib) + " && ");
  }
  void expect_an_end(const std::string& command, int expected) const;
  void expect_an_end_at(const std::string& command, int expected, char kind, int kib) const;
};

bool has_any(const std::string& output, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return output.find(word) != output.npos; });
}

// `expected`: the code without a limit.
void MemoryLimits::expect_an_end(const std::string& command, int expected) const {
  ASSERT_EQ(in_folder(command).code, expected) << command;
  for (const int kib : {20'000, 40'000, 70'000, 120'000, 230'000, 260'000, 300'000, 380'000})
    expect_an_end_at(command, expected, 'v', kib);
  for (const int kib : {1'000, 5'000, 12'000, 20'000, 30'000, 50'000, 90'000})
    expect_an_end_at(command, expected, 'd', kib);
}

void MemoryLimits::expect_an_end_at(const std::string& command, int expected, char kind, int kib) const {
  const Ran ran = limited(command, kib, kind);
  const std::string limit = std::string("ulimit -") + kind;
  const std::string what = command + " with " + limit + " " + std::to_string(kib) + ": " + ran.output;
  EXPECT_TRUE(ran.code <= 3 || ran.code == 99 || ran.code == 127) << ran.code << " " << what;
  EXPECT_FALSE(has_any(ran.output, {"terminate", "bad_alloc", "LLVM ERROR", "Stack dump", "Assertion"})) << what;
  if (ran.code == expected) return;
  EXPECT_TRUE(has_any(ran.output, {"memory", "no more threads", "annot allocate",
                                   "error while loading shared libraries"}))  // the last: before main()
      << ran.code << " " << what;
  if (ran.code != 3) return;
  EXPECT_TRUE(has_any(ran.output, {("the limit of this process (" + limit + ") is ").c_str()})) << what;
  EXPECT_FALSE(has_any(ran.output, {"0.0 KiB", "allocate 0 B"})) << what;
}

TEST_F(MemoryLimits, CommandsOfTexts) {
  for (const char* command :
       {"version", "help", "help launch", "completion bash", "inspect k.ptx", "timeline t.json -o t.svg",
        "graph t.json -o t.dot", "metrics t.json", "sim report a.json", "sim report a.json --html p.html",
        "sim report a.json --svg p.svg", "sim compare a.json b.json", "sim sweep s.toml --list", "knowledge list",
        "knowledge forget --all"})
    expect_an_end(command, 0);
  expect_an_end("knowledge show x", 1);
}

TEST_F(MemoryLimits, CommandsThatCompile) {
  for (const char* command : {"compile a.cu -o o.ptx", "inspect a.cu", "cc -c a.cu -o a.o", "cc a.cu -o p2"})
    expect_an_end(command, 0);
}

TEST_F(MemoryLimits, CommandsThatRunKernels) {
  for (const std::string device : {"cpu", "interp", "sim:tesla-g80", "cpu --check=all --json"})
    expect_an_end(launch + device, 0);
  for (const char* command :
       {"devices", "profile k.ptx --block 64 --arg zeros:f32:64", "sim sweep s.toml", "batch j.toml --policy serial",
        "batch two.toml --policy opt --again", "batch j.toml --device cpu --policy serial"})
    expect_an_end(command, 0);
}

// Of arrays, in the units of people, and with the limit, on every device.
TEST_F(MemoryLimits, LargeArraysAreNamed) {
  const std::pair<const char*, int> devices[] = {{"cpu", 270'000}, {"interp", 70'000}, {"sim:tesla-g80", 70'000}};
  for (const auto& [device, kib] : devices) {
    const Ran ran = limited("launch k.ptx --block 64 --arg zeros:f32:20000000 --device " + std::string(device), kib);
    EXPECT_EQ(ran.code, 3) << device << ": " << ran.output;
    EXPECT_TRUE(has_any(ran.output, {"76.3 MiB"})) << device << ": " << ran.output;
    EXPECT_TRUE(has_any(ran.output, {"the limit of this process (ulimit -v) is "})) << device << ": " << ran.output;
  }
  const Ran profiled = limited("profile k.ptx --block 64 --arg zeros:f32:20000000", 70'000);
  EXPECT_EQ(profiled.code, 3) << profiled.output;
  EXPECT_TRUE(has_any(profiled.output, {"76.3 MiB more were wanted; the limit of this process"})) << profiled.output;
}

// What checks record of a large array is larger than the array.
TEST_F(MemoryLimits, ChecksOfLargeArrays) {
  const std::string command = "launch k.ptx --block 64 --arg zeros:f32:16777216 --device cpu --check=race";
  EXPECT_EQ(in_folder(command).code, 0);
  const Ran ran = limited(command, 700'000);
  EXPECT_EQ(ran.code, 3) << ran.output;
  EXPECT_TRUE(has_any(ran.output, {"no memory for what the checks record"})) << ran.output;
}

TEST_F(MemoryLimits, CommandsThatRunPrograms) {
  for (const char* command :
       {"run --device cpu a.cu", "run --device cpu ./prog", "run --device cpu --check=memory,race,init,sync,api ./prog",
        "run --device interp ./prog", "run --device cpu --trace new.json ./prog", "tenant run --device cpu ./prog",
        "tune true"})
    expect_an_end(command, 0);
}

// Where kernels are not in the cache, there may be memory for all but to compile them. Programs pass over
// cudaErrorMemoryAllocation of a launch, or print only that.
TEST_F(MemoryLimits, ProgramsThatCannotCompileTheirKernels) {
  const std::string prog = "run --device cpu ./prog";
  ASSERT_EQ(in_folder(prog).code, 0);
  unsigned failed = 0;
  for (int kib = 270'000; kib < 370'000; kib += 2'000) {
    std::filesystem::remove_all(folder_.path() / "cache");
    const Ran ran = limited(prog, kib);
    if (ran.code == 0) continue;
    ++failed;
    EXPECT_TRUE(has_any(ran.output, {"the limit of this process (ulimit -v) is "})) << kib << ": " << ran.output;
  }
  EXPECT_GT(failed, 0u);
}

TEST_F(MemoryLimits, CommandsOfTheDaemon) {
  for (const char* command : {"daemon status", "daemon stop", "policy lithos", "tenant list", "explain x",
                              "tenant set x --quota 50%", "top --once"})
    expect_an_end(command, 1);
  for (const int kib : {20'000, 40'000, 70'000, 120'000, 230'000, 300'000, 380'000}) {
    const Ran started = limited("daemon start --units 2", kib);
    EXPECT_TRUE(started.code == 0 || started.code == 1 || started.code == 3 || started.code == 127) << started.output;
    if (started.code != 0) {
      EXPECT_TRUE(has_any(started.output, {"memory", "threads", "annot allocate", "shared libraries"}))
          << started.output;
      continue;
    }
    EXPECT_EQ(in_folder("daemon status").code, 0) << kib;
    EXPECT_EQ(in_folder("daemon stop").code, 0) << kib;
  }
}

TEST_F(MemoryLimits, Doctor) {
  const std::pair<char, int> limits[] = {{'v', 20'000},  {'v', 70'000}, {'v', 120'000},
                                         {'v', 240'000}, {'d', 12'000}, {'d', 20'000}};
  for (const auto& [kind, kib] : limits) {
    const Ran ran = limited("doctor", kib, kind);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_TRUE(has_any(ran.output, {"memory", "no more threads", "annot allocate"})) << ran.output;
    EXPECT_FALSE(has_any(ran.output, {"LLVM ERROR", "terminate", "bad_alloc", "Without headers"})) << ran.output;
  }
}

// Of both limits the one that cannot be what is short is not named: data is a part of the address space.
TEST_F(MemoryLimits, TheLimitOfDataIsNamed) {
  const std::string command = "launch k.ptx --block 64 --arg zeros:f32:20000000 --device interp";
  const auto both = [&](int space, int data) {
    return in_folder(command, "ulimit -v " + std::to_string(space) + " && ulimit -d " + std::to_string(data) + " && ");
  };
  EXPECT_TRUE(has_any(limited(command, 40'960, 'd').output, {"; the limit of this process (ulimit -d) is 40 MiB"}));
  EXPECT_TRUE(has_any(both(2'048'000, 40'960).output,
                      {"; the limits of this process are 40 MiB (ulimit -d) and 2000 MiB (ulimit -v)"}));
  EXPECT_TRUE(has_any(both(71'680, 2'048'000).output, {"; the limit of this process (ulimit -v) is 70 MiB"}));
  EXPECT_TRUE(has_any(limited(command, 4'000, 'd').output, {"; the limit of this process (ulimit -d) is 4000 KiB"}));
}

// A program says no more than that there is no memory, and often not even that; the machine has some.
TEST_F(MemoryLimits, ProgramsThatLackMemoryAreToldOfTheLimitOnce) {
  write("large.cu", R"(#include <cstdio>
int main() {
  void *one = nullptr, *two = nullptr, *three = nullptr;
  const cudaError_t first = cudaMalloc(&one, 600u << 20), second = cudaMalloc(&two, 500u << 20);
  const cudaError_t third = cudaMallocManaged(&three, 400u << 20);
  std::printf("%s %s %s\n", cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(third));
})");
  ASSERT_EQ(in_folder("cc large.cu -o large").code, 0);
  const std::string line = "cudaErrorMemoryAllocation cudaErrorMemoryAllocation cudaErrorMemoryAllocation\n";
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran = limited("run --device " + std::string(device) + " ./large", 420'000);
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_NE(ran.output.find(line), ran.output.npos) << ran.output;
    EXPECT_NE(ran.output.find("cudaMalloc: "), ran.output.npos) << ran.output;
    EXPECT_NE(ran.output.find("600 MiB"), ran.output.npos) << ran.output;
    const std::size_t limit = ran.output.find("the limit of this process (ulimit -v) is 410 MiB");
    ASSERT_NE(limit, ran.output.npos) << ran.output;
    EXPECT_EQ(ran.output.find("(ulimit -v)", limit + line.size()), ran.output.npos) << ran.output;
  }
  const Ran of_data = limited("run --device cpu ./large", 420'000, 'd');
  EXPECT_TRUE(has_any(of_data.output, {"the limit of this process (ulimit -d) is 410 MiB"})) << of_data.output;
  const Ran quiet = limited("run --device cpu ./large", 2'500'000);
  EXPECT_EQ(quiet.output, "cudaSuccess cudaSuccess cudaSuccess\n");
  EXPECT_EQ(in_folder("run --device cpu ./large", "export HEDDLE_MEMORY_LIMIT=64M; ").output, line);
}

}  // namespace
}  // namespace heddle::tests
