// Random kernels whose blocks are independent give the same in any cut of their grid (Kernelet, section 4.1), on all
// devices without a GPU, bit for bit. Ranges go in any order into two queues. The suite runs some; HEDDLE_CUT_KERNELS=N
// (200: all of the issue's) and HEDDLE_CUT_PLANS=M choose more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "device/interp/interp.hpp"
#include "device/sim/sim.hpp"
#include "ptx/analysis/block_independence.hpp"
#include "ptx/analysis/waiting/waiting.hpp"
#include "ptx/parser.hpp"
#include "random/comparison.hpp"
#include "support/cpu_factory.hpp"
#include "support/short_patience.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr std::uint64_t usual_kernels = 12, usual_plans = 1;
constexpr int most_failures = 3;

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::unique_ptr<device::Device> make_interp(const TestDeviceOptions&) {
  return device::interp::make_interp_device({.deadlock_timeout = short_patience});
}
std::unique_ptr<device::Device> make_sim(const TestDeviceOptions&) {
  device::sim::SimOptions options = device::sim::parse_sim_options("sim:fermi-c2050");
  options.machine.sms = 2;
  options.deadlock_timeout = short_patience;
  return device::sim::make_sim_device(options);
}

// Contiguous ranges that make up the whole, in the order in which they are launched.
std::vector<BlockRange> random_cut(BlockRange all, std::mt19937_64& random) {
  std::vector<BlockRange> cut;
  for (std::uint64_t begin = all.begin; begin < all.end;) {
    const std::uint64_t most = std::max<std::uint64_t>(1, (all.end - begin + 1) / 2);
    const std::uint64_t end = begin + 1 + random() % most;
    cut.push_back({begin, end});
    begin = end;
  }
  for (std::size_t i = cut.size(); i > 1; --i) std::swap(cut[i - 1], cut[random() % i]);
  return cut;
}

bool blocks_independent(const PtxCase& c) {
  const ptx::Module module = ptx::parse(c.source, "random.ptx");
  const auto all = ptx::analysis::find_block_independence(module, ptx::analysis::find_waiting(module, {}));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (module.functions[i].name == c.kernel) return all[i].independent();
  return false;
}

std::string text_of(const std::vector<BlockRange>& cut) {
  std::string text;
  for (const BlockRange& range : cut)
    text += "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ") ";
  return text;
}

TEST(BlockCuts, AnyCutGivesTheSame) {
  const std::uint64_t kernels = number("HEDDLE_CUT_KERNELS", usual_kernels);
  const std::uint64_t plans = number("HEDDLE_CUT_PLANS", usual_plans);
  struct Named {
    const char* name;
    DeviceFactory factory;
  };
  const std::vector<Named> devices = {{"interp", make_interp}, {"cpu", CpuFactory()}, {"sim", make_sim}};
  std::uint64_t done = 0, ranges = 0;
  int failures = 0;
  for (std::uint64_t seed = 0; done < kernels && failures < most_failures; ++seed) {
    ASSERT_LT(seed, 20 * kernels + 100) << "hardly any kernel has independent blocks";
    const std::string text = generate(seed).text();
    const PtxCase c = parse_cases(text, "random.ptx").at(0);
    const BlockRange all = c.blocks.value_or(BlockRange{0, c.grid.count()});
    if (all.size() < 2 || c.cooperative || !blocks_independent(c)) continue;
    ++done;
    const CaseResult whole = run_on_interp(c);
    std::mt19937_64 random(seed);
    for (const Named& device : devices)
      for (std::uint64_t plan = 0; plan < plans; ++plan) {
        const std::vector<BlockRange> cut = random_cut(all, random);
        ranges += cut.size();
        const Comparison comparison = compare_results(c, whole, run_case_in_ranges(c, cut, 2, device.factory));
        if (comparison.verdict == Verdict::equal) continue;
        ++failures;
        ADD_FAILURE() << "seed " << seed << " on " << device.name << " in " << text_of(cut) << ": "
                      << name(comparison.verdict) << ": " << comparison.text;
      }
  }
  EXPECT_EQ(done, kernels);
  EXPECT_GT(ranges, 2 * kernels * plans) << "kernels were hardly cut";
}

}  // namespace
}  // namespace heddle::test::random_kernel
