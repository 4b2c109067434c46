// Files about launches: figures as lines of JSON, and traces of warps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "device/device.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "device/sim/record/line_counts.hpp"
#include "device/sim/record/time_series.hpp"
#include "device/sim/sim.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::device::sim {
namespace {

using nlohmann::json;

constexpr const char* head =
    ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"SOURCE\"\n.visible .entry k(.param .u64 a)\n{\n"
    ".reg .u64 %p, %q; .reg .u32 %t; .reg .f32 %f; .reg .pred %c;\n";
// Half of each warp does more, all meet at a barrier, and every thread stores.
constexpr const char* body =
    ".loc 1 2 1\nld.param.u64 %p, [a];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %q, %t, 4;\nadd.u64 %p, %p, %q;\n"
    ".loc 1 3 1\nld.global.f32 %f, [%p];\nsetp.ge.u32 %c, %t, 16;\n@%c bra L;\nfma.rn.f32 %f, %f, %f, %f;\nL:\n"
    "bar.sync 0;\n.loc 1 4 1\nst.global.f32 [%p], %f;\nret;\n}\n";

// Runs the kernel `launches` times on a machine with options.
void run_on(const std::string& machine, const std::string& text, unsigned launches, unsigned blocks, unsigned threads) {
  const auto device = make_sim_device(parse_sim_options("sim:" + machine));
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  const auto memory = device->allocate(1 << 16);
  const auto queue = device->queue({});
  queue->fill(memory->span(), 0, 4);
  const std::uint64_t address = memory->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  for (unsigned i = 0; i < launches; ++i)
    queue->launch(module->function("k"), {.grid = {blocks}, .block = {threads}}, {0, blocks}, arguments);
  queue->synchronize();
}
void run(const std::string& options, const std::string& text, unsigned launches = 1, unsigned blocks = 4) {
  run_on("fermi-gtx480" + options, text, launches, blocks, 64);
}

std::vector<json> lines_of(const std::string& file) {
  std::istringstream text(base::read_file(file));
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}
std::vector<json> of_kind(const std::vector<json>& lines, const std::string& kind) {
  std::vector<json> found;
  for (const json& line : lines)
    if (line.at("kind") == kind) found.push_back(line);
  return found;
}
std::uint64_t sum(const json& list) {
  std::uint64_t all = 0;
  for (const json& one : list) all += one.is_array() ? sum(one) : one.get<std::uint64_t>();
  return all;
}
std::string kernel_text(const std::string& source = "none.cu") {
  std::string text = std::string(head) + body;
  return text.replace(text.find("SOURCE"), 6, source);
}

class Record : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  tests::TemporaryFolder folder_;
};

TEST(TimeSeries, KeepsSumsInBoundedMemory) {
  TimeSeries series, other;
  series.begin(100);
  other.begin(100);
  for (Cycle cycle = 0; cycle < 100'000; cycle += 10)
    series.add(cycle, cycle + 10, cycle % 20 == 0 ? SlotUse::issue : SlotUse::memory, cycle % 20 == 0 ? 10 : 1);
  other.add(100, 1'124, SlotUse::idle, 0);
  EXPECT_LE(series.samples().size(), TimeSeries::most);
  EXPECT_EQ(series.interval(), 512u);
  other.merge(series);
  EXPECT_EQ(other.interval(), 512u);
  std::uint64_t issue = 0, memory = 0, idle = 0;
  for (const SlotSample& sample : other.samples()) {
    issue += sample.uses[static_cast<unsigned>(SlotUse::issue)];
    memory += sample.uses[static_cast<unsigned>(SlotUse::memory)];
    idle += sample.uses[static_cast<unsigned>(SlotUse::idle)];
    EXPECT_EQ(sum(json(sample.uses)), sum(json(sample.lanes)));
  }
  EXPECT_EQ(issue + memory, 99'900u);  // the first 100 cycles were before the beginning
  EXPECT_EQ(idle, 1'024u);
  EXPECT_EQ(other.samples()[0].uses[static_cast<unsigned>(SlotUse::idle)], 512u);
}

TEST_F(Record, EveryFigureIsThereOnceAndSumsAgree) {
  base::write_file_atomic(file("k.cu"), std::string_view("// first\nsecond line\nthird line\nfourth line\n"));
  run(",report=" + file("r.json"), kernel_text(file("k.cu")), 2);
  const std::vector<json> lines = lines_of(file("r.json"));
  const MachineDescription machine = preset("fermi-gtx480");
  ASSERT_EQ(lines.size(), 4u);  // the machine, the function once, two launches
  EXPECT_EQ(lines[0].at("name"), "fermi-gtx480");
  EXPECT_EQ(lines[1].at("sources").at(file("k.cu")).at("3"), "third line");
  for (const json& launch : of_kind(lines, "launch")) {
    const json& sm = launch.at("sm");
    EXPECT_EQ(sum(launch.at("series").at("uses")), sm.at("slots").get<std::uint64_t>());
    EXPECT_EQ(sum(launch.at("series").at("lanes")), sm.at("slots").get<std::uint64_t>());
    EXPECT_EQ(launch.at("by_sm").size(), 15u);
    std::uint64_t slots = 0, issues = 0, lanes = 0, cycles = 0;
    for (const json& one : launch.at("by_sm")) slots += one.at("slots").get<std::uint64_t>();
    EXPECT_EQ(slots, sm.at("slots").get<std::uint64_t>());
    for (const json& count : launch.at("lines").at(0).at("counts")) {
      issues += count.at(1).get<std::uint64_t>();
      lanes += count.at(2).get<std::uint64_t>();
      cycles += sum(count.at(3));
    }
    EXPECT_EQ(issues, sm.at("warp_instructions").get<std::uint64_t>());
    EXPECT_EQ(lanes, sm.at("thread_instructions").get<std::uint64_t>());
    EXPECT_LE(cycles, sm.at("resident_warp_cycles").get<std::uint64_t>());
    // What is not there: the launch itself, before the 8 warps issue, and the time from their return to the last store.
    const std::uint64_t launching = 8 * (machine.launching.kernel_cycles + machine.launching.block_cycles);
    EXPECT_GT(cycles, (sm.at("resident_warp_cycles").get<std::uint64_t>() - launching) / 2);
    // 4 blocks of 64 threads, of which each first warp's lower half computes: 4 warps, one fma of two operations.
    EXPECT_EQ(launch.at("f32_operations"), 4 * 16 * 2);
    EXPECT_EQ(launch.at("memory").at("global_accesses"), 16);
  }
}

// The time before the store is that of the load; the time after the barrier that of the barrier.
TEST_F(Record, CyclesAreCountedWhereWarpsWait) {
  run(",report=" + file("r.json"), kernel_text());
  const std::vector<json> lines = lines_of(file("r.json"));
  const json function = of_kind(lines, "function").at(0), launch = of_kind(lines, "launch").at(0);
  std::map<std::string, json> cycles;
  for (const json& count : launch.at("lines").at(0).at("counts"))
    cycles[function.at("instructions").at(count.at(0).get<std::size_t>()).at("text").get<std::string>().substr(0, 6)] =
        count.at(3);
  const auto use = [](WarpUse of) { return static_cast<std::size_t>(of); };
  EXPECT_GT(cycles.at("fma.rn").at(use(WarpUse::memory)), 4 * 300);
  EXPECT_GE(cycles.at("st.glo").at(use(WarpUse::barrier)), 8 * 18);
  EXPECT_EQ(cycles.at("st.glo").at(use(WarpUse::control)), 0);
}

TEST_F(Record, TracesAreBoundedAndWhole) {
  run(",trace=" + file("t.json") + ",trace-cycles=1000,trace-launches=1", kernel_text(), 3);
  const json events = json::parse(base::read_file(file("t.json")));
  const MachineDescription machine = parse_sim_options("sim:fermi-gtx480").machine;
  std::map<std::string, unsigned> kinds;
  std::set<std::string> names;
  for (const json& event : events) {
    if (event.at("ph") == "M") continue;
    ++kinds[event.at("cat")];
    names.insert(event.at("name"));
    EXPECT_LT(event.at("ts").get<std::uint64_t>(), machine.launching.kernel_cycles + 1000);
    EXPECT_EQ(event.at("pid").get<std::uint64_t>() / 10'000, 1u);
  }
  EXPECT_GT(kinds["issue"], 30u);
  EXPECT_GT(kinds["wait"], 10u);
  EXPECT_THAT(names, testing::Contains("memory"));
  EXPECT_THAT(names, testing::Contains("ld.global.f32 %f, [%p];"));
  EXPECT_THAT(names, testing::Not(testing::Contains("st.global.f32 [%p], %f;")));  // later
}

// With virtual threads an SM has more warps than the machine's, and each has its events.
TEST_F(Record, WarpsOfBlocksThatGiveWayAreTraced) {
  run(",residency=virtual-thread,trace=" + file("t.json") + ",trace-launches=1", kernel_text(), 1, 1200);
  std::set<std::uint64_t> warps;
  for (const json& event : json::parse(base::read_file(file("t.json"))))
    if (event.at("ph") != "M") warps.insert(event.at("tid").get<std::uint64_t>());
  EXPECT_GT(warps.size(), parse_sim_options("sim:fermi-gtx480").machine.residency.warps);
}

TEST_F(Record, AKernelThatFailsLeavesItsFiles) {
  const std::string text =
      std::string(head) + "ld.param.u64 %p, [a];\nld.global.f32 %f, [%p];\nadd.f32 %f, %f, %f;\ntrap;\n}\n";
  EXPECT_THROW(run(",report=" + file("r.json") + ",trace=" + file("t.json"), text), Error);
  const json launch = of_kind(lines_of(file("r.json")), "launch").at(0);
  EXPECT_THAT(launch.at("failure").get<std::string>(), testing::HasSubstr("trap"));
  const json events = json::parse(base::read_file(file("t.json")));
  bool traps = false;
  for (const json& event : events) traps = traps || event.at("name") == "trap;";
  EXPECT_TRUE(traps);
}

TEST_F(Record, OptionsAreRefusedWithThoseThatThereAre) {
  const auto message = [](const std::string& text) {
    try {
      run(text, kernel_text());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(",report=html"),
              testing::HasSubstr("none, text or the name of a file that ends with .json, as report=run.json"));
  EXPECT_THAT(message(",trace=x.svg"), testing::HasSubstr("trace=warps.json"));
  EXPECT_THAT(message(",trace-cycles=0"), testing::HasSubstr("from 1 to 1000000000"));
  EXPECT_THAT(message(",report=/no/such/folder/r.json"), testing::HasSubstr("/no/such/folder"));
  for (const char* option : {"memory-queue", "memory,", "threads", "report", "trace-cycles", "trace-launches"})
    EXPECT_THAT(message(",colour=red"), testing::HasSubstr(option));
}

// One thread of each warp takes a short branch in the first turn of a loop. Under majority these stand still until the
// others have ended (Dynamic Warp Formation, section 6.2); by the joins that they have passed they keep up.
TEST_F(Record, ProgressShowsThreadsThatAreLeftBehind) {
  std::string text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .u64 %p, %q;\n"
      ".reg .u32 %t, %i, %x, %l; .reg .pred %c, %d;\nld.param.u64 %p, [a];\nmov.u32 %t, %tid.x;\nmov.u32 %i, 0;\n"
      "mov.u32 %x, 0;\nand.b32 %l, %t, 31;\nL:\nadd.u32 %x, %x, 1;\nadd.u32 %x, %x, 1;\nadd.u32 %x, %x, 1;\n"
      "add.u32 %x, %x, %i;\nsetp.eq.u32 %c, %l, 5;\n@%c bra S;\nJ:\nadd.u32 %i, %i, 1;\n"
      "setp.lt.u32 %d, %i, 60;\n@%d bra L;\nmul.wide.u32 %q, %t, 4;\nadd.u64 %p, %p, %q;\nst.global.u32 [%p], %x;\n"
      "ret;\nS:\nadd.u32 %x, %x, 7;\nadd.u32 %l, %l, 64;\nbra.uni J;\n}\n";
  const auto longest_stand = [&](const std::string& formation) {
    const std::string name = file(formation + ".json");
    run_on("dwf-g80,divergence=dwf,lanes=swizzle,formation=" + formation + ",report=" + name, text, 1, 1, 768);
    const json progress = of_kind(lines_of(name), "launch").at(0).at("progress");
    const json &cycles = progress.at("cycles"), &counts = progress.at("instructions");
    EXPECT_EQ(progress.at("threads"), 768);
    EXPECT_EQ(progress.at("unfinished").front(), 768);
    EXPECT_EQ(progress.at("unfinished").back(), 0);
    EXPECT_GT(cycles.size(), 20u);
    double longest = 0;
    for (std::size_t i = 0, from = 0; i < cycles.size(); ++i) {
      if (counts[i][0] != counts[from][0]) from = i;
      longest = std::max(longest, cycles[i].get<double>() - cycles[from].get<double>());
    }
    return longest / cycles.back().get<double>();
  };
  EXPECT_GT(longest_stand("majority"), 0.5);
  EXPECT_LT(longest_stand("pdom-priority"), 0.2);
}

}  // namespace
}  // namespace heddle::device::sim
