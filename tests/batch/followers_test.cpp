// Launches of a kernel that are ordered: on the queues of a device the next one is submitted before the last one has
// ended, and begins behind it all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "batch/run.hpp"
#include "batch/watching.hpp"
#include "device/cpu/cpu.hpp"
#include "device/interp/interp.hpp"
#include "ptx/parser.hpp"
#include "sched/make_policy.hpp"

namespace heddle::batch {
namespace {

constexpr const char* text = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %i, %b, %n, %x, %t; .reg .pred %more;
  ld.param.u64 %p, [a];
  mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %i;
  mul.wide.u32 %q, %i, 4;
  add.u64 %p, %p, %q;
  ld.global.u32 %x, [%p];
  mov.u32 %t, 500;
again:
  sub.u32 %t, %t, 1;
  setp.ne.u32 %more, %t, 0;
  @%more bra again;
  mad.lo.u32 %x, %x, 3, 1;
  st.global.u32 [%p], %x;
  ret;
}
)";

constexpr unsigned blocks = 6, threads = 32, launches = 7;

std::unique_ptr<Kernel> make_step(device::Device& device, std::optional<bool> ordered = {}) {
  const auto module = std::make_shared<ptx::Module>(ptx::parse(text, "the test's kernel"));
  return std::make_unique<Kernel>(device, KernelSpec{"step",
                                                     module,
                                                     "step",
                                                     {.grid = {blocks}, .block = {threads}},
                                                     {{std::vector<std::byte>(blocks * threads * 4), true}},
                                                     false,
                                                     ordered});
}

// `two`: one launch of a kernel is always ahead.
void run_on(device::Device& device, const char* policy, bool two) {
  const auto one = make_step(device), other = make_step(device);
  std::vector<Job> jobs;
  for (unsigned i = 0; i < launches; ++i) jobs.insert(jobs.end(), {{one.get(), 0}, {other.get(), 0}});
  BatchResult result;
  {
    Watching executor(make_queue_executor(device, base::process_watcher()));
    result = run_batch(executor, jobs, sched::make_policy(policy), nullptr);
    EXPECT_LE(executor.most, 2u) << policy;
    EXPECT_GE(executor.most, two ? 2u : 1u) << policy;
  }
  std::uint32_t expected = 0;
  for (unsigned i = 0; i < launches; ++i) expected = expected * 3 + 1;
  for (Kernel* const kernel : {one.get(), other.get()}) {
    std::vector<std::uint32_t> values(blocks * threads);
    std::memcpy(values.data(), kernel->read(0).data(), values.size() * 4);
    EXPECT_EQ(values, std::vector<std::uint32_t>(values.size(), expected)) << policy;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].kernel != kernel) continue;
      EXPECT_GE(result.jobs[i].begin_ns, end) << policy << ", launch " << i;
      end = result.jobs[i].end_ns;
    }
  }
}

TEST(Followers, NeedNoHostBetweenThem) {
  const auto cpu = device::cpu::make_cpu_device({}), interp = device::interp::make_interp_device({});
  for (device::Device* const device : {cpu.get(), interp.get()})
    // More would take the places of other kernels. base:2 begins with one of each kernel.
    for (const auto& [policy, two] : {std::pair("base", true), std::pair("base:2", false), std::pair("slice:1", true),
                                      std::pair("slice:2", true), std::pair("slice:4", true)})
      run_on(*device, policy, two);
}

TEST(Followers, PoliciesDecideAllTheSame) {
  const auto cpu = device::cpu::make_cpu_device({});
  const auto one = make_step(*cpu);
  Watching executor(make_queue_executor(*cpu, base::process_watcher()));
  run_batch(executor, {{one.get(), 0}, {one.get(), 0}, {one.get(), 0}}, sched::make_policy("serial"), nullptr);
  EXPECT_EQ(executor.most, 1u);
}

}  // namespace
}  // namespace heddle::batch
