// The cycles of a launch with caches and DRAM depend neither on where the host has put the arrays, nor on the process,
// nor on the host threads.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sim/sim.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::size_t words = 1 << 14;  // of each array
constexpr unsigned blocks = 40;

// Each thread adds words of two arrays that lie far apart, and of a variable of the module, and calls malloc(): so
// caches, MSHRs and DRAM rows matter, and so do addresses.
const char* const text = R"(
.version 6.0
.target sm_30
.address_size 64
.global .align 4 .b8 table[65536];
.extern .func (.param .b64 r) malloc (.param .b64 n);
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .u64 %a, %b, %c, %q, %m;
  .reg .u32 %t, %n, %i, %x, %y, %s;
  .reg .pred %p;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %c, [c];
  mov.u32 %t, %tid.x;
  mov.u32 %n, %ctaid.x;
  mad.lo.u32 %t, %n, 128, %t;
  mov.u32 %i, 0;
  mov.u32 %s, 0;
again:
  mad.lo.u32 %x, %i, 1097, %t;
  mul.lo.u32 %x, %x, 37;
  and.b32 %x, %x, 16383;
  mul.wide.u32 %q, %x, 4;
  add.u64 %m, %a, %q;
  ld.global.u32 %y, [%m];
  add.u32 %s, %s, %y;
  add.u64 %m, %b, %q;
  ld.global.u32 %y, [%m];
  add.u32 %s, %s, %y;
  mov.u64 %m, table;
  add.u64 %m, %m, %q;
  ld.global.u32 %y, [%m];
  add.u32 %s, %s, %y;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 12;
  @%p bra again;
  mul.wide.u32 %q, %t, 4;
  add.u64 %m, %c, %q;
  st.global.u32 [%m], %s;
  and.b32 %x, %t, 127;
  setp.ne.u32 %p, %x, 0;
  @%p bra done;
  {
    .param .b64 size;
    .param .b64 made;
    st.param.b64 [size], 64;
    call (made), malloc, (size);
    ld.param.b64 %m, [made];
  }
  st.u32 [%m+4], %s;
done:
  ret;
}
)";

KernelStatistics launch(Device& device, std::vector<KernelStatistics>& launches,
                        const std::array<std::uint64_t, 3>& arrays) {
  const auto module = device.load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  const auto queue = device.queue({});
  std::vector<std::byte> arguments(sizeof arrays);
  std::memcpy(arguments.data(), arrays.data(), sizeof arrays);
  queue->launch(module->function("k"), {.grid = {blocks}, .block = {128}}, {0, blocks}, arguments);
  queue->synchronize();
  return launches.at(0);
}

struct Simulated {
  explicit Simulated(const std::string& machine) {
    SimOptions options = parse_sim_options(machine);
    options.on_launch = [this](const std::string&, const KernelStatistics& figures) { launches.push_back(figures); };
    device = make_sim_device(std::move(options));
  }
  std::vector<KernelStatistics> launches;
  std::unique_ptr<Device> device;
};

KernelStatistics with_device_memory(const std::string& machine) {
  Simulated simulated(machine);
  std::vector<std::unique_ptr<Memory>> memory;
  std::array<std::uint64_t, 3> arrays{};
  for (std::uint64_t& array : arrays) {
    memory.push_back(simulated.device->allocate(words * 4));
    std::memset(memory.back()->host(), 0, words * 4);
    array = memory.back()->span().address;
  }
  return launch(*simulated.device, simulated.launches, arrays);
}

// Memory of the host in pieces of one block, registered in this order.
KernelStatistics with_host_memory(const std::string& machine, const std::array<std::size_t, 3>& places) {
  std::vector<std::uint32_t> block(words * 8);
  Simulated simulated(machine);
  std::vector<std::unique_ptr<Memory>> memory;
  std::array<std::uint64_t, 3> arrays{};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    std::uint32_t* const begin = block.data() + places[i];
    memory.push_back(simulated.device->register_host(begin, words * 4));
    arrays[i] = reinterpret_cast<std::uint64_t>(begin);
  }
  return launch(*simulated.device, simulated.launches, arrays);
}

const std::vector<std::string> machines = {"sim:fermi-gtx480", "sim:hopper-h100", "sim:tesla-g80"};

// What the test below runs in other processes.
TEST(Determinism, DISABLED_PrintsItsCycles) {
  for (const std::string& machine : machines)
    std::printf("CYCLES %s %llu\n", machine.c_str(),
                static_cast<unsigned long long>(with_device_memory(machine).cycles()));
}

// With other addresses: those of processes are chosen at random.
std::string cycles_of_a_process() {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "'" + program + "' --gtest_also_run_disabled_tests --gtest_filter=Determinism.DISABLED_PrintsItsCycles";
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string lines;
  std::array<char, 256> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe))
    if (std::strncmp(line.data(), "CYCLES", 6) == 0) lines += line.data();
  if (pipe) ::pclose(pipe);
  return lines;
}

TEST(Determinism, ProcessesReportTheSameCycles) {
  const std::string one = cycles_of_a_process(), other = cycles_of_a_process();
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one, other);
  std::string here;
  for (const std::string& machine : machines)
    here += "CYCLES " + machine + " " + std::to_string(with_device_memory(machine).cycles()) + "\n";
  EXPECT_EQ(one, here);
}

TEST(Determinism, WhereTheHostHasTheArraysDoesNotMatter) {
  for (const std::string& machine : machines) {
    const KernelStatistics one = with_host_memory(machine, {0, 2 * words, 5 * words}),
                           other = with_host_memory(machine, {4 * words + 32, words + 64, 3 * words});
    EXPECT_EQ(one.cycles(), other.cycles()) << machine;
    EXPECT_EQ(one.sm, other.sm) << machine;
    EXPECT_EQ(one.memory, other.memory) << machine;
  }
}

TEST(Determinism, HostThreadsDoNotMatter) {
  for (const std::string& machine : machines) {
    const KernelStatistics one = with_device_memory(machine), two = with_device_memory(machine + ",threads=2");
    EXPECT_EQ(one.cycles(), two.cycles()) << machine;
    EXPECT_EQ(one.sm, two.sm) << machine;
    EXPECT_EQ(one.memory, two.memory) << machine;
  }
}

}  // namespace
}  // namespace heddle::device::sim
