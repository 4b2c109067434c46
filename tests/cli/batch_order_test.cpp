// Launches of one job of heddle batch: they leave what as many launches one after the other leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

// Each makes x of its element into 3 x + 1, with a long time between load and store; `state` of a variable, which it
// copies to the array. `fills` writes only; `chases` reads and writes through an address that it has put into memory.
constexpr const char* kernels = R"(.version 7.0
.target sm_80
.address_size 64
.global .u32 total[64];
.global .u64 place[64];
.visible .entry step(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %i, %b, %n, %x, %t; .reg .pred %more;
  ld.param.u64 %p, [a];
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %i;
  mul.wide.u32 %q, %i, 4;
  add.u64 %p, %p, %q;
  ld.global.u32 %x, [%p];
  mov.u32 %t, 2000;
again:
  sub.u32 %t, %t, 1;
  setp.ne.u32 %more, %t, 0;
  @%more bra again;
  mad.lo.u32 %x, %x, 3, 1;
  st.global.u32 [%p], %x;
  ret;
}
.visible .entry state(.param .u64 a)
{
  .reg .u64 %p, %q, %v; .reg .u32 %i, %b, %n, %x, %t; .reg .pred %more;
  ld.param.u64 %p, [a];
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %i;
  mul.wide.u32 %q, %i, 4;
  add.u64 %p, %p, %q;
  mov.u64 %v, total;
  add.u64 %v, %v, %q;
  ld.global.u32 %x, [%v];
  mov.u32 %t, 2000;
again:
  sub.u32 %t, %t, 1;
  setp.ne.u32 %more, %t, 0;
  @%more bra again;
  mad.lo.u32 %x, %x, 3, 1;
  st.global.u32 [%v], %x;
  st.global.u32 [%p], %x;
  ret;
}
.visible .entry chases(.param .u64 a)
{
  .reg .u64 %p, %q, %v; .reg .u32 %i, %b, %n, %x, %t; .reg .pred %more;
  ld.param.u64 %p, [a];
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %i;
  mul.wide.u32 %q, %i, 4;
  add.u64 %p, %p, %q;
  mov.u64 %v, place;
  add.u64 %v, %v, %q;
  add.u64 %v, %v, %q;
  st.global.u64 [%v], %p;
  ld.volatile.global.u64 %p, [%v];
  ld.global.u32 %x, [%p];
  mov.u32 %t, 2000;
again:
  sub.u32 %t, %t, 1;
  setp.ne.u32 %more, %t, 0;
  @%more bra again;
  mad.lo.u32 %x, %x, 3, 1;
  st.global.u32 [%p], %x;
  ret;
}
.visible .entry fills(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %i, %b, %n, %t; .reg .pred %more;
  ld.param.u64 %p, [a];
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %i;
  mul.wide.u32 %q, %i, 4;
  add.u64 %p, %p, %q;
  mov.u32 %t, 2000;
again:
  sub.u32 %t, %t, 1;
  setp.ne.u32 %more, %t, 0;
  @%more bra again;
  st.global.u32 [%p], %i;
  ret;
}
)";

constexpr unsigned count = 6;

class BatchOrder : public HeddleCommand {
 protected:
  BatchOrder() { base::write_file_atomic(folder_.path() / "k.ptx", kernels); }
  Ran here(const std::string& arguments, const std::string& errors = "&1") const {
    return heddle(arguments, errors, "HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' timeout 120");
  }
  // A job of two blocks, small enough for all launches to fit on the device at once.
  static std::string job(const std::string& kernel, const std::string& lines = "") {
    return "[[job]]\nfile = \"k.ptx\"\nkernel = \"" + kernel +
           "\"\ngrid = 2\nblock = 32\ncount = " + std::to_string(count) + "\nargs = [\"out:" + kernel +
           ".npy:u32:64\"]\n" + lines;
  }
  nlohmann::json batch(const std::string& jobs, const std::string& options) const {
    base::write_file_atomic(folder_.path() / "j.toml", jobs);
    const Ran ran = here("batch j.toml --json " + options, "/dev/null");
    EXPECT_EQ(ran.code, 0) << options << ": " << ran.output;
    return nlohmann::json::parse(ran.output, nullptr, false);
  }
  std::vector<std::uint32_t> result(const std::string& kernel) const {
    const std::vector<std::byte> data = base::read_npy(folder_.path() / (kernel + ".npy")).data;
    std::vector<std::uint32_t> values(data.size() / 4);
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }
};

// How many launches of a kernel began before the one before them had ended.
unsigned overlaps(const nlohmann::json& result, const std::string& kernel) {
  unsigned overlapping = 0;
  double end = 0;
  for (const nlohmann::json& job : result["jobs"]) {
    if (job["name"] != kernel) continue;
    overlapping += job["begin"] < end;
    end = job["end"];
  }
  return overlapping;
}

TEST_F(BatchOrder, LaunchesLeaveWhatLaunchesOneAfterTheOtherLeave) {
  std::uint32_t expected = 0;
  for (unsigned i = 0; i < count; ++i) expected = expected * 3 + 1;
  const std::string jobs = job("step") + job("state") + job("chases");
  std::vector<std::string> runs;
  for (const char* policy : {"serial", "base:2", "base", "kernelet", "kernelet:balanced", "kernelet:on-finish",
                             "kernelet:constant", "mc:1", "slice:1"})
    runs.push_back("--policy " + std::string(policy));
  for (const char* device : {"cpu", "interp"})
    for (const char* policy : {"serial", "base", "kernelet", "slice:1"})
      runs.push_back("--device " + std::string(device) + " --policy " + policy);
  runs.push_back("--policy opt");
  for (const std::string& options : runs) {
    const nlohmann::json ran = batch(jobs, options);
    for (const char* kernel : {"step", "state", "chases"}) {
      EXPECT_THAT(result(kernel), Each(expected)) << options << " " << kernel;
      EXPECT_EQ(overlaps(ran, kernel), 0u) << options << " " << kernel;
    }
  }
}

TEST_F(BatchOrder, LaunchesThatWriteOnlyRunAtTheSameTime) {
  const nlohmann::json ran = batch(job("fills") + job("step"), "--policy base");
  EXPECT_EQ(overlaps(ran, "fills"), count - 1);
  EXPECT_EQ(overlaps(ran, "step"), 0u);
  EXPECT_THAT(ran["orders"], SizeIs(1));
}

TEST_F(BatchOrder, JobFilesSayWhatIsMeant) {
  EXPECT_EQ(overlaps(batch(job("step", "ordered = false\n"), "--policy base"), "step"), count - 1);
  EXPECT_EQ(overlaps(batch(job("fills", "ordered = true\n"), "--policy base"), "fills"), 0u);
  base::write_file_atomic(folder_.path() / "j.toml", job("step", "ordered = 1\n"));
  const Ran odd = here("batch j.toml");
  EXPECT_EQ(odd.code, 1) << odd.output;
  EXPECT_THAT(odd.output, HasSubstr("j.toml:8: 'ordered' must be true or false"));
}

TEST_F(BatchOrder, TheReasonIsExplained) {
  base::write_file_atomic(folder_.path() / "j.toml", job("step") + job("state") + job("chases") + job("fills"));
  const Ran ran = here("batch j.toml --policy base --explain");
  EXPECT_EQ(ran.code, 0) << ran.output;
  for (const char* line : {"launches of step run one after the other: it reads and writes the array of parameter 1",
                           "launches of state run one after the other: it reads and writes the variable total",
                           "launches of chases run one after the other: it "})
    EXPECT_THAT(ran.output, HasSubstr(line));
  EXPECT_THAT(ran.output, testing::Not(HasSubstr("launches of fills run")));
}

}  // namespace
}  // namespace heddle::tests
