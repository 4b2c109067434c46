#include "device/sim/machine_file/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.hpp"
#include "heddle/error.hpp"

namespace heddle::device::sim {
namespace {

std::string refusal(std::string_view text, ErrorCode code = ErrorCode::parse_error) {
  try {
    parse_machine(text, "my.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "accepted";
}

TEST(MachineReader, AnEmptyFileIsTheDefaults) {
  MachineDescription expected;
  expected.name = "my";
  EXPECT_EQ(parse_machine("", "folder/my.toml"), expected);
}

TEST(MachineReader, ReadsEveryKindOfValue) {
  const MachineDescription m = parse_machine(
      "sms = 3\ntitle = \"a \\\"b\\\"\\n\"\n[clocks]\nsm-mhz = 1.5e3\n[l1]\nbytes = 65_536\nglobal-loads = false\n"
      "[coalescing]\nrule = \"cc1.2\"\n[crossbar]\nrequest-bytes = 16\n",
      "my.toml");
  EXPECT_EQ(m.sms, 3u);
  EXPECT_EQ(m.title, "a \"b\"\n");
  EXPECT_EQ(m.clocks.sm_mhz, 1500);
  EXPECT_EQ(m.l1.bytes, 65536u);
  EXPECT_FALSE(m.l1.global_loads);
  EXPECT_EQ(m.coalescing, CoalescingRule::half_warp_segments);
  EXPECT_EQ(m.crossbar.request_bytes, 16);
}

TEST(MachineReader, TakesTheRestFromAPreset) {
  MachineDescription expected = preset("fermi-c2050");
  expected.name = "my";
  expected.sms = 1;
  expected.l1.mshrs = 7;
  EXPECT_EQ(parse_machine("based-on = \"fermi-c2050\"\nsms = 1\n[l1]\nmshrs = 7\n", "my.toml"), expected);
}

TEST(MachineReader, ReadsWhatTheWriterWrites) {
  for (const std::string& name : preset_names()) {
    const MachineDescription machine = preset(name);
    EXPECT_EQ(parse_machine(to_toml(machine), "other.toml"), machine) << name;
  }
  MachineDescription odd;
  odd.name = "a\"b\\c\t\x01";
  odd.title = "é";
  odd.clocks.sm_mhz = 1.0 / 3 + 1000;
  EXPECT_EQ(parse_machine(to_toml(odd), "other.toml"), odd);
}

// Line and message of each mistake.
struct Mistake {
  std::string_view text, message;
};
const Mistake mistakes[] = {
    {"\nsms = \n", "my.toml:2: this is no TOML: "},
    {"sms = 1\nsms = 2\n", "my.toml:2: this is no TOML: "},
    {"sms = 1\n[+]\n", "my.toml:2: this is no TOML: "},
    {"\n\nsmz = 1\n", "my.toml:3: unknown key 'smz'; did you mean 'sms'?; docs/machines.md lists the keys"},
    {"[l1]\nway = 4\n", "my.toml:2: unknown key 'l1.way'; did you mean 'l1.ways'?"},
    {"[level1]\nways = 4\n", "my.toml:2: unknown key 'level1.ways'"},
    {"[[l1]]\nways = 4\n", "my.toml:1: unknown key 'l1'"},
    {"sms = 0\n", "my.toml:1: sms is 0, but must be a whole number from 1 to 1024"},
    {"sms = -1\n", "my.toml:1: sms is -1, but must be a whole number from 1 to 1024"},
    {"sms = 4294967297\n", "my.toml:1: sms is 4294967297, but must be a whole number from 1 to 1024"},
    {"sms = 1.5\n", "my.toml:1: sms is 1.5, but must be a whole number from 1 to 1024"},
    {"sms = \"4\"\n", "my.toml:1: sms is '4', but must be a whole number"},
    {"warp-size = 16\n", "my.toml:1: warp-size is 16, but must be 32"},
    {"[clocks]\nsm-mhz = nan\n", "my.toml:2: clocks.sm-mhz is nan, but must be a number from 1 to 100000"},
    {"[clocks]\nsm-mhz = inf\n", "my.toml:2: clocks.sm-mhz is inf, but must be a number from 1 to 100000"},
    {"[l1]\nlocal = 1\n", "my.toml:2: l1.local is 1, but must be true or false"},
    {"title = 1\n", "my.toml:1: title is 1, but must be a text"},
    {"[dram]\norder = \"lifo\"\n", "my.toml:2: dram.order is 'lifo', but must be \"fr-fcfs\" or \"fcfs\""},
    {"based-on = \"fermi\"\n", "my.toml:1: based-on is 'fermi', but must be the name of a preset: tesla-g80, dwf-g80"},
    {"based-on = 1\n", "my.toml:1: based-on is 1, but must be the name of a preset"},
    {"[l1]\nways = 5\n", "my.toml:1: l1.bytes, which this file does not give, must be a multiple of 640 bytes"},
    {"[l1]\n\nbytes = 100\n", "my.toml:3: l1.bytes must be a multiple of 512 bytes, which are 4 lines of 128 bytes"},
    {"[l1]\nline = 96\n", "my.toml:2: l1.line must be 32, 64 or 128, not 96"},
    {"[l1]\nline = 64\n",
     "my.toml:1: l1.sector, which this file does not give, must not be larger than the line of 64"},
    {"[l2]\nslices = 7\n", "my.toml:2: l2.slices must be a multiple of dram.channels, 6"},
    {"[l2]\nslices = 18\nbytes = 100\n", "my.toml:3: l2.bytes must be a multiple of l2.slices, 18"},
    {"[l1]\nbanks = 3\n", "my.toml:2: l1.banks must be a power of two, not 3"},
    {"[shared]\nbanks = 24\n", "my.toml:2: shared.banks must be a power of two, not 24"},
    {"[shared]\nbroadcast = \"one-word\"\nbank-bytes = 8\n", "my.toml:3: shared.bank-bytes must be 4 where"},
    {"[dram]\ninterleave = 64\n", "my.toml:2: dram.interleave must be at least 128"},
    {"[dram]\nrow-bytes = 3000\n", "my.toml:2: dram.row-bytes must be a power of two, not 3000"},
    {"[dram]\nt-rc = 10\n", "my.toml:2: dram.t-rc must not be less than dram.t-ras, 28"},
    {"[dram]\nt-rfc = 100\nt-refi = 200\n", "my.toml:3: dram.t-refi must be more than twice dram.t-rfc, 100, or 0"},
    {"[dram]\nwrite-low = 16\n", "my.toml:2: dram.write-low must be less than dram.write-high, 16"},
    {"[dram]\nwrite-high = 33\n", "my.toml:2: dram.write-high must not be more than dram.queue, 32"},
    {"[pipes.fma]\ncount = 0\n", "my.toml:2: pipes.fma.count must be at least 1"},
    {"[pipes.lsu]\ncount = 0\n", "my.toml:2: pipes.lsu.count must be at least 1"},
    {"[pipes.sfu]\ncount = 0\n[pipes]\nsfu-multiply-interval = 4\n",
     "my.toml:4: pipes.sfu-multiply-interval must be 0 where pipes.sfu.count is 0"},
    {"[residency]\nblock-threads = 512\nthreads = 256\n", "my.toml:2: residency.block-threads must not be larger than"},
    {"[residency]\nwarps = 8\n", "my.toml:2: residency.warps must hold a block of 1024 threads: at least 32"},
    {"[residency]\nblock-shared-bytes = 65536\n", "my.toml:2: residency.block-shared-bytes must not be larger than"},
};

TEST(MachineReader, RefusesWithFileLineKeyAndWhatIsAllowed) {
  for (const Mistake& mistake : mistakes) {
    EXPECT_THAT(refusal(mistake.text), testing::StartsWith(std::string(mistake.message))) << mistake.text;
  }
}

TEST(MachineReader, FindsPresetsAndFiles) {
  EXPECT_EQ(find_machine("sbi-fermi").name, "sbi-fermi");
  base::TemporaryFolder folder;
  folder.create("machine");
  const auto file = folder.path() / "mine.toml";
  std::ofstream(file) << "based-on = \"sbi-fermi\"\nsms = 2\n";
  EXPECT_EQ(find_machine(file.string()).sms, 2u);
  EXPECT_EQ(find_machine(file.string()).name, "mine");
  try {
    find_machine("fermi-c2051");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'fermi-c2050'?"));
  }
  EXPECT_THROW(find_machine((folder.path() / "none.toml").string()), Error);
}

}  // namespace
}  // namespace heddle::device::sim
