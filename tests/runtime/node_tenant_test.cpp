// Processes that are tenants of a daemon, on the CPU device: units, changes, daemons that end, and tenants that die,
// hang or lie beside one whose results must stay right.
#include <bit>

#include "daemon/client.hpp"
#include "node_tenant_fixture.hpp"
#include "tenancy/random.hpp"

namespace heddle::tests {
namespace {

using testing::HasSubstr;

// Two processes that launch without a pause: each runs on its own processors only, also when these change.
TEST_F(NodeTenants, RunWhereTheyAreGranted) {
  start("static");
  Told& search = start_worker({.name = "search", .kind = TenantClass::latency, .quota = 0.75});
  ASSERT_TRUE(until([&] { return server->status().tenants.size() == 1; }));
  Told& train = start_worker({.name = "train", .quota = 0.25});
  ASSERT_TRUE(until([&] { return search.rounds > 3 && train.rounds > 3 && units_of(0) == 3 && units_of(1) == 1; }));
  EXPECT_EQ(processors_of(search) & ~std::uint64_t{0b0111}, 0u);
  EXPECT_EQ(processors_of(train), 0b1000u);
  EXPECT_EQ(ask({.kind = Request::Kind::set, .settings = {.name = "search", .quota = 0.25}}), "set");
  ASSERT_TRUE(until([&] { return units_of(0) == 1; }));
  EXPECT_EQ(processors_of(search), 0b0001u);
  EXPECT_EQ(search.wrong + train.wrong, 0u);
  const auto status = server->status();
  EXPECT_GT(status.tenants[0].ranges, 20u);
  EXPECT_GT(status.tenants[0].seconds, 0);
  EXPECT_TRUE(status.tenants[0].p99_ns);
  EXPECT_THAT(ask({.kind = Request::Kind::explain, .settings = {.name = "search"}, .window_ns = 600'000'000'000}),
              testing::AllOf(HasSubstr("work: blocks 0 to 63 of 64 on 3 of 4 units"), HasSubstr("on 1 of 4 units"),
                             HasSubstr("granted: 1 of 4 units")));
}

// Under lithos a tenant that rests lends its processors, and has them again when it works.
TEST_F(NodeTenants, LendWhatTheyDoNotUse) {
  start("lithos");
  Told& search = start_worker({.name = "search", .kind = TenantClass::latency, .quota = 0.75});
  ASSERT_TRUE(until([&] { return server->status().tenants.size() == 1; }));
  Told& train = start_worker({.name = "train", .quota = 0.25});
  ASSERT_TRUE(until([&] { return search.rounds > 3 && train.rounds > 3; }));
  search.rests = true;
  ASSERT_TRUE(until([&] { return !server->status().tenants[0].awake && units_of(1) == workers; }));
  std::uint64_t used = 0;
  EXPECT_TRUE(until([&] { return (used |= processors_of(train)) == 0b1111u; })) << used;
  search.rests = false;
  const std::uint64_t rounds = search.rounds;
  EXPECT_TRUE(until([&] { return search.rounds > rounds + 20; }));
  EXPECT_TRUE(until([&] { return server->status().tenants[0].awake && units_of(1) == 1; }));
  // Not at once: on a busy machine the other one loses its thread between two launches, and rests.
  EXPECT_TRUE(until([&] { return (processors_of(search) & ~std::uint64_t{0b0111}) == 0; }));
  EXPECT_EQ(search.wrong + train.wrong, 0u);
}

// A policy may give a tenant nothing while another has work; it goes on when that rests.
TEST_F(NodeTenants, WaitForOthersWithoutUnits) {
  start("reef");
  Told& train = start_worker({.name = "train", .quota = 0.25});
  ASSERT_TRUE(until([&] { return train.rounds > 3; }));
  // A latency tenant that has work and never ends it.
  daemon::Client search(socket, {.name = "search", .kind = TenantClass::latency, .quota = 0.75}, clock);
  search.set_awake(true);
  ASSERT_TRUE(until([&] {
    search.maintain();
    return search.grant() && units_of(0) == 0;
  }));
  std::uint64_t rounds = 0;
  // What was in flight ends; from then on there is nothing.
  EXPECT_TRUE(until([&] {
    const std::uint64_t before = std::exchange(rounds, train.rounds.load());
    const std::uint64_t end = clock.now_ns() + 50'000'000;
    while (clock.now_ns() < end) server->step(5);
    return before == rounds && train.rounds == rounds;
  }));
  EXPECT_THAT(ask({}), HasSubstr("waits: 'search' has 4"));
  search.set_awake(false);
  EXPECT_TRUE(until([&] { return train.rounds > rounds + 3; }));
  EXPECT_EQ(train.wrong, 0u);
}

TEST_F(NodeTenants, GoOnWithoutADaemonAndComeBack) {
  Told& search = start_worker({.name = "search", .quota = 0.5});
  ASSERT_TRUE(until([&] { return search.rounds > 5; })) << "no daemon has ever been there";
  for (int i = 0; i < 3; ++i) {
    start("static");
    ASSERT_TRUE(until([&] { return server->status().tenants.size() == 1 && units_of(0) == 2; }));
    // The tenant looks at its new page when it looks for a daemon the next time.
    EXPECT_TRUE(until([&] { return (processors_of(search) & ~std::uint64_t{0b0011}) == 0; }));
    server.reset();
    const std::uint64_t rounds = search.rounds;
    ASSERT_TRUE(until([&] { return search.rounds > rounds + 5; }));
  }
  EXPECT_EQ(search.wrong, 0u);
}

// What goes wrong with a tenant's process.
enum class Fault : std::uint8_t { killed, hangs, garbles, faults, fills_memory, most };

void go_wrong(Fault fault, const std::filesystem::path& socket, std::uint64_t seed) {
  tenancy::Random random(seed);
  if (fault == Fault::garbles) {
    for (;;) {
      const auto connection = daemon::connect_to(socket);
      if (!connection) continue;
      daemon::send_packet(*connection, daemon::encode(Request{Request::Kind::hello, {.name = "victim", .quota = 1}}));
      daemon::Packet packet;
      while (daemon::receive_packet(*connection, packet) == daemon::Received::nothing) continue;
      if (packet.descriptors.empty()) continue;
      auto page = daemon::SharedPage::map(std::move(packet.descriptors[0]));
      if (!page) continue;
      auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(&**page);
      for (int i = 0; i < 5000; ++i) words[random.next() % (sizeof(daemon::Page) / 8)].store(random.next());
      std::array<std::byte, daemon::request_bytes> garbage;
      for (std::byte& byte : garbage) byte = static_cast<std::byte>(random.next());
      daemon::send_packet(*connection, garbage);
    }
  }
  if (fault == Fault::faults || fault == Fault::fills_memory) {
    Runtime runtime({.devices = "cpu", .memory_budget = 1 << 20});
    const Module module = runtime.load_ptx(source, "source.ptx");
    const Kernel kernel = module.kernel("work");
    if (fault == Fault::fills_memory) {
      std::vector<Array<std::uint32_t>> all;
      for (;;) all.push_back(runtime.array<std::uint32_t>(std::size_t{1} << 40));
    }
    auto x = runtime.array<std::uint32_t>(blocks * threads), y = runtime.array<std::uint32_t>(1);
    for (;;) {
      runtime.launch(kernel, {.grid = {1u << 20}, .block = {threads}}, x, y, 10u);
      runtime.synchronize();
    }
  }
  Told& told = *new Told{};
  work_for_ever(told);
}

// Tenants that are killed, hang, write garbage, run into faults of kernels and ask for memory that there is not, at
// random moments, beside one that launches all the time. 10 of them, or HEDDLE_ROUNDS.
TEST_F(NodeTenants, FaultsOfOthersHarmNobody) {
  const char* const asked = std::getenv("HEDDLE_ROUNDS");
  const int rounds = asked != nullptr ? std::atoi(asked) : 10;
  start("lithos");
  Told& search = start_worker({.name = "search", .kind = TenantClass::latency, .quota = 0.5});
  ASSERT_TRUE(until([&] { return search.rounds > 5; }));
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(std::filesystem::begin(files), std::filesystem::end(files));
  };
  const auto before = open_files();
  tenancy::Random random(9);
  for (int round = 0; round < rounds; ++round) {
    const auto fault = static_cast<Fault>(static_cast<std::uint64_t>(round) % static_cast<std::uint64_t>(Fault::most));
    const std::uint64_t seed = random.next();
    const pid_t victim = fork_tenant({.name = "victim", .quota = 0.5}, [&] { go_wrong(fault, socket, seed); });
    const std::uint64_t moment = clock.now_ns() + random.next() % 300'000'000;
    ASSERT_TRUE(until([&] { return clock.now_ns() >= moment; }));
    if (fault == Fault::hangs) ::kill(victim, SIGSTOP);
    // The other one goes on beside it.
    const std::uint64_t at = search.rounds;
    ASSERT_TRUE(until([&] { return search.rounds > at + 5; })) << "round " << round;
    end(victim);
    children.pop_back();
    ASSERT_TRUE(until([&] { return server->status().tenants.size() == 1; })) << "round " << round;
    ASSERT_EQ(search.wrong, 0u) << "round " << round;
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_FALSE(server->status().tenants[0].broken);
}

TEST(NodeTenantVariable, IsRefusedWithASentence) {
  ::setenv("HEDDLE_TENANT", "latency:7:search", 1);
  const auto message = [](const RuntimeOptions& options) -> std::string {
    try {
      const Runtime runtime(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message({.devices = "cpu"}), HasSubstr("HEDDLE_TENANT=latency:7:search: the quota '7' is no part"));
  ::setenv("HEDDLE_TENANT", "latency:0.5:search", 1);
  ::setenv("HEDDLE_DAEMON", "/nowhere/socket", 1);
  EXPECT_THAT(message({.devices = "cpu", .slice = 4}), HasSubstr("so its launches cannot be cut by slice = 4"));
  ::unsetenv("HEDDLE_TENANT");
  ::unsetenv("HEDDLE_DAEMON");
}

}  // namespace
}  // namespace heddle::tests
