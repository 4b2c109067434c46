// The machines that come with Heddle: what their papers state, and that each value says where it comes from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "device/sim/machine_file/reader.hpp"

namespace heddle::device::sim {
namespace {

double dram_gbs(const MachineDescription& m) {
  return m.dram.channels * m.dram.bytes_per_clock * m.clocks.dram_mhz / 1e3;
}

TEST(Preset, AllAreThere) {
  EXPECT_THAT(preset_names(), testing::ElementsAre("tesla-g80", "dwf-g80", "fermi-gtx480", "sbi-fermi", "fermi-c2050",
                                                   "kepler-gtx680", "hopper-h100", "hopper-h200"));
  for (const std::string& name : preset_names()) EXPECT_EQ(preset(name).name, name);
}

TEST(Preset, EveryValueCarriesItsSource) {
  for (const std::string& name : preset_names()) {
    std::istringstream text{std::string(preset_text(name))};
    std::string line;
    for (unsigned number = 1; std::getline(text, line); ++number) {
      const bool value = line.find(" = ") != std::string::npos && line[0] != '#' && !line.starts_with("based-on") &&
                         !line.starts_with("title");
      const auto comment = line.find("# ");
      EXPECT_TRUE(!value || (comment != std::string::npos && line.size() > comment + 3))
          << name << ":" << number << ": " << line;
    }
  }
}

// tesla.md, section 2.2: 36 Gflop/s of an SM, 103.7 GB/s, 12,288 threads.
TEST(Preset, TeslaHasThePapersPeaks) {
  const MachineDescription m = preset("tesla-g80");
  const double warps_a_cycle = 1.0 / m.pipes.fma.interval, multiplies = 1.0 / m.pipes.sfu_multiply_interval;
  EXPECT_EQ((warps_a_cycle * 2 + multiplies) * m.warp_size * m.clocks.sm_mhz / 1e3, 36);
  EXPECT_NEAR(dram_gbs(m), 103.7, 0.05);
  EXPECT_EQ(m.sms * m.residency.threads, 12288u);
  EXPECT_EQ(m.pipes.sfu.interval, 32u / 2);
}

TEST(Preset, DynamicWarpFormationsTableOne) {
  const MachineDescription m = preset("dwf-g80");
  EXPECT_NEAR(dram_gbs(m), 41.6, 0.01);
  EXPECT_EQ(m.sms, 16u);
  EXPECT_EQ(m.l1.bytes, 512u * 1024);
  EXPECT_EQ(m.l1.latency, 10u);
  EXPECT_EQ(m.l1.banks, 16u);
  EXPECT_EQ((std::array{m.dram.t_cl, m.dram.t_rp, m.dram.t_rc, m.dram.t_ras, m.dram.t_rcd, m.dram.t_rrd}),
            (std::array{9u, 13u, 34u, 21u, 12u, 8u}));
  EXPECT_TRUE(m.front.one_in_flight);
}

TEST(Preset, VirtualThreadsTableOne) {
  const MachineDescription m = preset("fermi-gtx480");
  EXPECT_EQ(m.sms, 15u);
  EXPECT_EQ(m.clocks.sm_mhz, 1400);
  EXPECT_EQ(m.simd_width, 16u);
  EXPECT_EQ((std::array{m.residency.blocks, m.residency.threads, m.residency.warps}), (std::array{8u, 1536u, 48u}));
  EXPECT_EQ(m.residency.registers, 32768u);
  EXPECT_EQ(m.l1.bytes, 16u * 1024);
  EXPECT_EQ(m.l1.mshrs, 64u);
  EXPECT_EQ(m.residency.shared_bytes, 48u * 1024);
  // 512 bit a cycle.
  EXPECT_EQ(m.shared.banks * m.shared.bank_bytes * 8 / m.shared.interval, 512u);
}

TEST(Preset, InterweavingsTableTwo) {
  const MachineDescription m = preset("sbi-fermi");
  EXPECT_EQ(dram_gbs(m), 10);
  EXPECT_EQ(m.l1.bytes, 48u * 1024);
  EXPECT_EQ((std::array{m.l1.ways, m.l1.line, m.l1.latency}), (std::array{6u, 128u, 3u}));
  EXPECT_EQ(m.front.scoreboard_entries, 6u);
  EXPECT_EQ(m.pipes.fma.latency, 8u);
}

TEST(Preset, KerneletsTableTwo) {
  const MachineDescription fermi = preset("fermi-c2050"), kepler = preset("kepler-gtx680");
  EXPECT_EQ(fermi.sms, 14u);
  EXPECT_NEAR(dram_gbs(fermi), 144, 0.01);
  EXPECT_EQ(double(fermi.front.schedulers) / fermi.front.issue_interval, 1);  // instructions a cycle
  EXPECT_EQ(kepler.sms, 8u);
  EXPECT_NEAR(dram_gbs(kepler), 192, 0.5);
  EXPECT_EQ(kepler.front.schedulers * kepler.front.issue_width / kepler.front.issue_interval, 8u);
}

TEST(Preset, HopperHasTheCardsBandwidth) {
  EXPECT_NEAR(dram_gbs(preset("hopper-h100")), 3352, 1);
  EXPECT_NEAR(dram_gbs(preset("hopper-h200")), 4917, 1);
  EXPECT_EQ(preset("hopper-h200").l2.bytes, 60u * 1024 * 1024);
}

}  // namespace
}  // namespace heddle::device::sim
