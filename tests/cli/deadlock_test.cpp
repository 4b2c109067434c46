// How long kernels may wait for nothing: the same on all devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int fault = 99;

// `spins` waits for a write of somebody; the warps of `meets` wait at two barriers for each other, which no write ends.
constexpr const char* kernels = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry spins(.param .u64 a)
{
  .reg .u64 %p; .reg .u32 %t; .reg .pred %q;
  ld.param.u64 %p, [a];
again:
  ld.volatile.global.u32 %t, [%p];
  setp.eq.u32 %q, %t, 0;
  @%q bra again;
  ret;
}
.visible .entry meets(.param .u64 a)
{
  .reg .u32 %t; .reg .pred %q;
  mov.u32 %t, %tid.x;
  setp.lt.u32 %q, %t, 32;
  @%q bra other;
  bar.sync 1, 64;
  ret;
other:
  bar.sync 2, 64;
  ret;
}
.visible .entry ends(.param .u64 a)
{
  ret;
}
)";

class Deadlock : public HeddleCommand {
 protected:
  struct Timed {
    Ran ran;
    std::chrono::milliseconds took;
  };
  Timed launch(const std::string& kernel, const std::string& device, const std::string& patience_ms) const {
    base::write_file_atomic(folder_.path() / "k.ptx", kernels);
    const auto begin = std::chrono::steady_clock::now();
    Ran ran = heddle(
        "launch k.ptx --entry " + kernel + " --block 64 --arg zeros:u32:1 --device " + device, "&1",
        "HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' HEDDLE_DEADLOCK_MS=" + patience_ms + " timeout 60");
    const auto end = std::chrono::steady_clock::now();
    return {std::move(ran), std::chrono::duration_cast<std::chrono::milliseconds>(end - begin)};
  }
};

TEST_F(Deadlock, LoopsWaitAsLongOnEachDevice) {
  for (const char* device : {"cpu", "interp", "sim:fermi-c2050"}) {
    const Timed timed = launch("spins", device, "1500");
    EXPECT_EQ(timed.ran.code, fault) << device << ": " << timed.ran.output;
    EXPECT_THAT(timed.ran.output, AllOf(HasSubstr("deadlock"), HasSubstr("spins"))) << device;
    EXPECT_GE(timed.took.count(), 1500) << device;
  }
}

TEST_F(Deadlock, BarriersThatNoWriteEndsAreReportedAtOnce) {
  for (const char* device : {"cpu", "interp", "sim:fermi-c2050"}) {
    const Timed timed = launch("meets", device, "600000");
    EXPECT_EQ(timed.ran.code, fault) << device << ": " << timed.ran.output;
    EXPECT_THAT(timed.ran.output, AllOf(HasSubstr("deadlock"), HasSubstr("meets"))) << device;
  }
}

// Blocks that end soon, and more of them than can be run.
TEST_F(Deadlock, GridsOfShortBlocksHaveATimeLimit) {
  for (const std::string device : {"cpu", "interp", "sim:tesla-g80"}) {
    const Timed timed = launch("ends", device + " --grid 2000000000 --timeout 0.3", "10000");
    EXPECT_EQ(timed.ran.code, fault) << device << ": " << timed.ran.output;
    EXPECT_THAT(timed.ran.output, HasSubstr("its time limit")) << device;
  }
}

}  // namespace
}  // namespace heddle::tests
