// Kernels that do not end, that fail, and that are named as in the source: heddle batch and heddle profile say what
// heddle launch says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int fault = 99, usage = 2;

constexpr const char* head = ".version 7.0\n.target sm_80\n.address_size 64\n";

// Waits until somebody writes to its array, which nobody does.
constexpr const char* waits = R"(
.visible .entry waits(.param .u64 a)
{
  .reg .u64 %p; .reg .u32 %t; .reg .pred %q;
  ld.param.u64 %p, [a];
again:
  ld.volatile.global.u32 %t, [%p];
  setp.eq.u32 %q, %t, 0;
  @%q bra again;
  ret;
}
)";

// Changes memory for ever.
constexpr const char* counts = R"(
.visible .entry counts(.param .u64 a)
{
  .reg .u64 %p; .reg .u32 %t;
  ld.param.u64 %p, [a];
again:
  atom.global.add.u32 %t, [%p], 1;
  bra again;
}
)";

// Beside the kernel of small_kernel.hpp, as a function of C++.
constexpr const char* blurs = R"(
.visible .entry _ZN3img4blurIfEEvPT_(.param .u64 a) { ret; }
.visible .entry _ZN3img4blurIiEEvPT_(.param .u64 a) { ret; }
)";

// Writes far behind its array.
constexpr const char* far = R"(
.visible .entry far(.param .u64 a)
{
  .reg .u64 %p;
  ld.param.u64 %p, [a];
  st.global.u32 [%p+400000000], 1;
  ret;
}
)";

class BatchLaunches : public HeddleCommand {
 protected:
  BatchLaunches() {
    write("waits.ptx", std::string(head) + waits);
    write("counts.ptx", std::string(head) + counts);
    write("far.ptx", std::string(head) + far);
    std::string writes = kernel;
    const std::string_view name = "one";
    writes.replace(writes.find(name), name.size(), "_Z6writesPj");
    write("writes.ptx", writes + blurs);
  }
  Ran here(const std::string& arguments) const {
    const std::string place = folder_.path().string();
    return heddle(arguments, "&1", "HEDDLE_CACHE_DIR='" + place + "/cache' HEDDLE_DEADLOCK_MS=300 timeout 60");
  }
  Ran batch(const std::string& file, const std::string& options, const std::string& lines = "") const {
    write("j.toml",
          "[[job]]\nfile = \"" + file + "\"\nargs = [\"zeros:u32:4\"]\n" + (lines.empty() ? "block = 32\n" : lines));
    return here("batch j.toml " + options);
  }
};

TEST_F(BatchLaunches, KernelsThatWaitForNothingAreDeadlocks) {
  const auto expect_report = [](const Ran& ran, const std::string& command) {
    EXPECT_EQ(ran.code, fault) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("deadlock"), HasSubstr("waits"), HasSubstr("threads 0 to 31"))) << command;
  };
  for (const char* device : {"sim:fermi-c2050", "cpu", "interp"}) {
    const std::string on = " --device " + std::string(device);
    expect_report(here("launch waits.ptx --block 32 --arg zeros:u32:4" + on), "launch" + on);
    for (const char* policy : {"kernelet", "serial", "base:2"})
      expect_report(batch("waits.ptx", on + " --policy " + policy), "batch" + on + " " + policy);
  }
  expect_report(batch("waits.ptx", "--policy opt"), "batch opt");
  expect_report(here("profile waits.ptx --block 32 --arg zeros:u32:4"), "profile");
}

TEST_F(BatchLaunches, KernelsThatNeverEndHaveATimeLimit) {
  const auto expect_report = [](const Ran& ran, const std::string& command) {
    EXPECT_EQ(ran.code, fault) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("'counts'"), HasSubstr("has run for 500 ms, its time limit"),
                                  HasSubstr("block (0, 0, 0): ")))
        << command;
  };
  for (const char* device : {"sim:fermi-c2050", "cpu", "interp"}) {
    const std::string on = " --timeout 0.5 --device " + std::string(device);
    expect_report(here("launch counts.ptx --block 32 --arg zeros:u32:4" + on), "launch" + on);
    for (const char* policy : {"kernelet", "serial"})
      expect_report(batch("counts.ptx", on + " --policy " + policy), "batch" + on + " " + policy);
  }
  expect_report(here("profile counts.ptx --block 32 --arg zeros:u32:4 --timeout 0.5"), "profile");
  // One that ends in time is left alone.
  EXPECT_EQ(batch("writes.ptx", "--timeout 50", "kernel = \"writes\"\nblock = 4\n").code, 0);
}

TEST_F(BatchLaunches, FaultsOfKernelsHaveTheirExitCode) {
  for (const char* device : {"cpu", "cpu --check", "cpu --check=memory,race", "interp", "sim:fermi-c2050"}) {
    const Ran ran = batch("far.ptx", "--policy serial --device " + std::string(device));
    EXPECT_EQ(ran.code, fault) << device << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("'far'"), HasSubstr("the allocation of 16 bytes"))) << device;
  }
  const Ran past = batch("writes.ptx", "--policy serial --device cpu --check", "kernel = \"writes\"\nblock = 8\n");
  EXPECT_EQ(past.code, fault) << past.output;
  EXPECT_THAT(past.output, HasSubstr("writes(unsigned int*)"));
  const Ran kinds = batch("writes.ptx", "--device cpu --check=", "kernel = \"writes\"\nblock = 4\n");
  EXPECT_EQ(kinds.code, usage) << kinds.output;
  const Ran good = batch("writes.ptx", "--device cpu --policy serial --check=all", "kernel = \"writes\"\nblock = 4\n");
  EXPECT_EQ(good.code, 0) << good.output;
}

TEST_F(BatchLaunches, ManyThreadsThatWriteToOnePlaceAreFound) {
  write("races.ptx", std::string(head) + R"(
.visible .entry races(.param .u64 a)
{
  .reg .u64 %p; .reg .u32 %t;
  ld.param.u64 %p, [a];
  mov.u32 %t, %tid.x;
  st.global.u32 [%p], %t;
  ret;
}
)");
  const Ran ran = batch("races.ptx", "--device cpu --policy serial --check=race");
  EXPECT_EQ(ran.code, fault) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("race"), HasSubstr("--check has found 1 mistake")));
}

TEST_F(BatchLaunches, PtxIsVerified) {
  write("wrong.ptx",
        std::string(head) +
            ".visible .entry wrong(.param .u64 a)\n{\n  .reg .u32 %t;\n  add.f32 %t, %t, %t;\n  ret;\n}\n");
  for (const Ran& ran : {batch("wrong.ptx", "--policy serial"), here("profile wrong.ptx --arg zeros:u32:4"),
                         here("launch wrong.ptx --device interp --arg zeros:u32:4")}) {
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("Operand d of add.f32 is %t, a .u32 register"));
  }
}

// Policies that measure kernels run them on the arrays of the jobs.
TEST_F(BatchLaunches, MeasurementsLeaveNoTraceInResults) {
  write("count.ptx", std::string(head) + R"(
.visible .entry count(.param .u64 a)
{
  .reg .u64 %p;
  ld.param.u64 %p, [a];
  red.global.add.u32 [%p], 1;
  ret;
}
.visible .entry twice(.param .u64 a)
{
  .reg .u64 %p;
  ld.param.u64 %p, [a];
  red.global.add.u32 [%p], 2;
  ret;
}
)");
  std::string jobs;
  for (const char* kernel : {"count", "twice"})
    jobs += "[[job]]\nfile = \"count.ptx\"\nkernel = \"" + std::string(kernel) +
            "\"\ngrid = 64\nblock = 64\nargs = [\"out:" + kernel + ".npy:u32:1\"]\n";
  write("count.toml", jobs);
  for (const char* policy : {"serial", "kernelet --again", "opt --ratios 1", "opt", "mc:1"}) {
    const Ran ran = here("batch count.toml --policy " + std::string(policy));
    EXPECT_EQ(ran.code, 0) << ran.output;
    for (const auto& [kernel, each] : {std::pair("count", 1u), std::pair("twice", 2u)}) {
      const std::vector<std::byte> data = base::read_npy(folder_.path() / (std::string(kernel) + ".npy")).data;
      std::uint32_t sum = 0;
      ASSERT_EQ(data.size(), sizeof sum);
      std::memcpy(&sum, data.data(), sizeof sum);
      EXPECT_EQ(sum, 64 * 64 * each) << policy << " " << kernel;
    }
  }
}

TEST_F(BatchLaunches, OptionsOfMeasurementsAreRefusedWhereNothingIsMeasured) {
  write("j.toml", "[[job]]\nfile = \"writes.ptx\"\nkernel = \"writes\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
  for (const auto& [options, why] :
       {std::pair("--policy serial --again", "--policy serial measures none"),
        std::pair("--policy base:2 --again", "--policy base:2 measures none"),
        std::pair("--device cpu --again", "on cpu none is measured"), std::pair("--ratios 2", "kernelet measures none"),
        std::pair("--policy serial --ratios 2", "serial measures none")}) {
    const Ran ran = here("batch j.toml " + std::string(options));
    EXPECT_EQ(ran.code, usage) << options << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(why)) << options;
  }
}

// The kernel would compute with wrong numbers.
TEST_F(BatchLaunches, ArgumentsAreThoseThatTheKernelTakes) {
  const auto batch_of = [&](const std::string& arguments, const std::string& lines = "") {
    write("a.toml",
          "[[job]]\nfile = \"writes.ptx\"\nkernel = \"writes\"\nblock = 4\nargs = [" + arguments + "]\n" + lines);
    return here("batch a.toml --device interp --policy serial");
  };
  const auto launch_of = [&](const std::string& command, const std::string& arguments) {
    const std::string device = command == "launch" ? " --device interp" : "";
    return here(command + " writes.ptx --entry writes --block 4 " + arguments + device);
  };
  const auto expect_refused = [](const Ran& ran, const char* why) {
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("kernel writes(unsigned int*)"), HasSubstr(why)));
  };
  for (const auto& [argument, why] : {std::pair("zeros:f32:4", "was given an array of "),
                                      std::pair("f64:2", "was given a floating-point number of 8 bytes")}) {
    for (const char* command : {"launch", "profile"})
      expect_refused(launch_of(command, std::string("--arg ") + argument), why);
    expect_refused(batch_of('"' + std::string(argument) + '"'), why);
  }
  expect_refused(batch_of(R"("zeros:u32:4", "i32:1")"), "takes 1 argument and was given 2");
  EXPECT_EQ(batch_of(R"("zeros:f32:4")", "any-type = true\n").code, 0);
  EXPECT_EQ(launch_of("profile", "--arg zeros:f32:4 --any-type").code, 0);
  const Ran odd = batch_of(R"("zeros:u32:4")", "any-type = 1\n");
  EXPECT_THAT(odd.output, HasSubstr("a.toml:6: 'any-type' must be true or false"));
}

TEST_F(BatchLaunches, KernelsHaveTheNamesOfTheSource) {
  const auto ran_of = [&](const std::string& command, const std::string& name) {
    if (command == "batch")
      return batch("writes.ptx", "--device interp --policy serial", "block = 4\nkernel = \"" + name + "\"\n");
    return here(command + " writes.ptx --block 4 --arg zeros:u32:4 --entry '" + name + "'");
  };
  for (const std::string command : {"launch", "profile", "batch"}) {
    for (const char* name : {"writes", "writes(unsigned int*)", "_Z6writesPj", "blur<int>", "img::blur<int>"}) {
      const Ran ran = ran_of(command, name);
      EXPECT_EQ(ran.code, 0) << command << " " << name << ": " << ran.output;
    }
    const Ran unknown = ran_of(command, "write");
    EXPECT_EQ(unknown.code, 1) << command;
    EXPECT_THAT(unknown.output, HasSubstr("writes.ptx has no kernel 'write'; did you mean 'writes'? It has _Z6writesPj "
                                          "(writes(unsigned int*)), "))
        << command;
    const Ran several = ran_of(command, "blur");
    EXPECT_EQ(several.code, 1) << command;
    EXPECT_THAT(several.output, HasSubstr("'blur' fits 2 kernels of ")) << command;
    const Ran none = ran_of(command, "");
    EXPECT_EQ(none.code, command == "batch" ? 1 : usage) << command;
    EXPECT_THAT(none.output, HasSubstr(command == "batch" ? "j.toml:5: 'kernel' must not be an empty text" : "--entry"))
        << command;
  }
  // Of several, each must be there.
  const Ran ran = here("inspect writes.ptx --entry writes --entry read");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("writes.ptx has no kernel 'read'"));
}

}  // namespace
}  // namespace heddle::tests
