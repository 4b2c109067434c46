// Tenants that launch much more than they are let go.
#include <cstring>
#include <optional>

#include "daemon/client.hpp"
#include "node_tenant_fixture.hpp"
#include "sched/dispatcher.hpp"

namespace heddle::tests {
namespace {

// How far a program is that launches very often without waiting for anything.
struct Flood {
  std::atomic<std::uint64_t> launched, wrong;
  std::atomic<bool> done;
};

std::uint32_t appended(std::uint32_t launches) {
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < launches; ++i) expected = expected * 31 + i;
  return expected;
}

void flood_with_arrays(Flood& told, std::uint32_t launches) {
  Runtime runtime({.devices = "cpu"});
  const Kernel append = runtime.load_ptx(source, "source.ptx").kernel("append");
  auto x = runtime.array<std::uint32_t>(blocks * threads);
  for (std::uint32_t i = 0; i < launches; ++i) {
    runtime.launch(append, {.grid = {blocks}, .block = {threads}}, x, i);
    ++told.launched;
  }
  for (const std::uint32_t value : x.read()) told.wrong += value == appended(launches) ? 0 : 1;
  told.done = true;
}

void flood_a_queue(Flood& told, std::uint32_t launches) {
  Runtime runtime({.devices = "cpu"});
  const Device device = runtime.device(0);
  const LoadedKernel append = device.load(runtime.load_ptx(source, "source.ptx").kernel("append"));
  const Memory memory = device.allocate(blocks * threads * 4);
  const Queue queue = device.queue();
  queue.fill(memory.span(), 0, 4);
  std::vector<std::byte> arguments(append.parameter_bytes());
  const std::uint64_t address = memory.address();
  std::memcpy(arguments.data() + append.parameters()[0].offset, &address, sizeof address);
  for (std::uint32_t i = 0; i < launches; ++i) {
    std::memcpy(arguments.data() + append.parameters()[1].offset, &i, sizeof i);
    queue.launch(append, {.grid = {blocks}, .block = {threads}}, arguments);
    ++told.launched;
  }
  std::vector<std::uint32_t> got(blocks * threads);
  queue.copy(MemorySpan::of_host(got.data(), got.size() * 4), memory.span());
  queue.synchronize();
  for (const std::uint32_t value : got) told.wrong += value == appended(launches) ? 0 : 1;
  told.done = true;
}

struct Level {
  const char* name;
  void (*flood)(Flood& told, std::uint32_t launches);
};

class NodeTenantFloods : public NodeTenants, public testing::WithParamInterface<Level> {
 protected:
  // A latency tenant has work, so that a batch tenant gets nothing.
  void begin() {
    start("reef");
    search.emplace(socket, sched::TenantSettings{.name = "search", .kind = TenantClass::latency, .quota = 0.75}, clock);
    search->set_awake(true);
    ASSERT_TRUE(until_so([&] { return search->grant().has_value(); }));
  }
  Flood& flood(std::uint32_t launches) {
    Flood& told = shared<Flood>();
    fork_tenant({.name = "train", .quota = 0.25}, [&] { GetParam().flood(told, launches); });
    return told;
  }
  bool until_so(const std::function<bool()>& so) {
    return until([&] {
      search->maintain();
      return so();
    });
  }
  daemon::Status train() const {
    for (const daemon::Status& tenant : server->status().tenants)
      if (tenant.settings.name == "train") return tenant;
    return {};
  }

  std::optional<daemon::Client> search;
};

// All launches return while none can run. Then they run in their order.
TEST_P(NodeTenantFloods, LaunchesReturnBeforeTheyAreSubmitted) {
  constexpr std::uint32_t launches = 1000;
  begin();
  Flood& told = flood(launches);
  ASSERT_TRUE(until_so([&] { return told.launched == launches && train().held >= launches; })) << told.launched;
  EXPECT_EQ(train().in_flight, 0u);
  EXPECT_EQ(train().ranges, 0u);
  EXPECT_FALSE(told.done);
  search->set_awake(false);
  ASSERT_TRUE(until_so([&] { return told.done.load(); }));
  EXPECT_EQ(told.wrong, 0u);
}

// A program that launches without end waits for room, and does not fill the memory.
TEST_P(NodeTenantFloods, AQueueHoldsSoMuchAndNoMore) {
  constexpr std::uint32_t launches = sched::Dispatcher::most_held + 2000;
  begin();
  Flood& told = flood(launches);
  constexpr std::uint64_t launched = sched::Dispatcher::most_held;
  ASSERT_TRUE(until_so([&] { return told.launched == launched && train().held == sched::Dispatcher::most_held; }))
      << told.launched << " launched, " << train().held << " held";
  const std::uint64_t end = clock.now_ns() + 100'000'000;
  ASSERT_TRUE(until_so([&] { return clock.now_ns() >= end; }));
  EXPECT_EQ(told.launched, launched) << "it waits";
  EXPECT_EQ(train().ranges, 0u);
  search->set_awake(false);
  ASSERT_TRUE(until_so([&] { return told.done.load(); }));
  EXPECT_EQ(told.wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Levels, NodeTenantFloods,
                         testing::Values(Level{"arrays", flood_with_arrays}, Level{"queue", flood_a_queue}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::tests
