// Launch graphs: fixed sets of launches, put into queues all at once.

#include "base/clock.hpp"
#include "conformance/conformance.hpp"
#include "device/launch_graph.hpp"

namespace heddle::conformance {
namespace {

using device::GraphLaunch;
using device::LaunchGraph;

constexpr std::uint32_t n = 3000;

std::vector<std::byte> packed(std::uint64_t address, std::uint32_t count) {
  std::vector<std::byte> bytes(12);
  std::memcpy(bytes.data(), &address, 8);
  std::memcpy(bytes.data() + 8, &count, 4);
  return bytes;
}

// Launches of add_one.
class Adding {
 public:
  explicit Adding(Function& function) : function_(function) { function_.prepare({128}); }
  GraphLaunch operator()(const Buffer<std::uint32_t>& x, std::vector<unsigned> parents = {}) const {
    return {&function_, {.grid = {(n + 127) / 128}, .block = {128}}, packed(x.address(), n), std::move(parents)};
  }

 private:
  Function& function_;
};

TEST_P(Conformance, GraphsOfChainsRunInOrderEachTime) {
  const Adding add_one(kernel("add_one"));
  const Buffer<std::uint32_t> x(*device, n);
  std::vector<GraphLaunch> launches{add_one(x)};
  for (unsigned i = 1; i < 20; ++i) launches.push_back(add_one(x, {i - 1}));
  const auto graph = device->launch_graph(launches);
  x.fill(*queue);
  for (std::uint32_t i = 1; i <= 5; ++i) graph->launch(*queue);
  EXPECT_EQ(x.read(*queue), std::vector<std::uint32_t>(n, 100));
}

// Each launch reads what other blocks of the one before have written, and writes what they have read; small enough for
// the device to make the next one ready while one ends, and launched often enough for it to do so.
TEST_P(Conformance, GraphsOfSmallChainsSeeAllThatIsBeforeThem) {
  constexpr std::uint32_t blocks = 20, threads = 64, all = blocks * threads;
  Function& turn = kernel("turn");
  turn.prepare({threads});
  const Buffer<std::uint32_t> x(*device, all), y(*device, all);
  const auto step = [&](const Buffer<std::uint32_t>& from, const Buffer<std::uint32_t>& to, unsigned place) {
    std::vector<std::byte> arguments(20);
    const std::uint64_t addresses[] = {from.address(), to.address()};
    std::memcpy(arguments.data(), addresses, sizeof addresses);
    std::memcpy(arguments.data() + sizeof addresses, &all, sizeof all);
    return GraphLaunch{&turn,
                       {.grid = {blocks}, .block = {threads}},
                       arguments,
                       place == 0 ? std::vector<unsigned>{} : std::vector<unsigned>{place - 1}};
  };
  std::vector<GraphLaunch> launches;
  for (unsigned i = 0; i < 32; i += 2) {
    launches.push_back(step(x, y, i));
    launches.push_back(step(y, x, i + 1));
  }
  const auto graph = device->launch_graph(launches);
  std::vector<std::uint32_t> expected(all);
  for (std::uint32_t i = 0; i < all; ++i) expected[i] = i;
  x.write(*queue, expected);
  // What is compiled in the background is ready after a while, and used from then on.
  const base::Stopwatch watch(device->clock());
  const std::uint32_t most = device->info().simulated ? 8 : 2000;
  std::uint32_t rounds = 0;
  while (rounds < 3 || (rounds < most && watch.seconds() < 0.3)) {
    for (int i = 0; i < 4; ++i, ++rounds) graph->launch(*queue);
    queue->synchronize();
  }
  const std::uint32_t steps = rounds * 32;
  for (std::uint32_t i = 0; i < all; ++i) expected[i] = (i + steps * (threads + 1)) % all + steps;
  EXPECT_EQ(x.read(*queue), expected);
}

// 1 -> 2, 3, 4 -> 5: all of 2, 3 and 4 see what 1 left, 5 what they left.
TEST_P(Conformance, GraphsOfFansOpenAndClose) {
  const Adding add_one(kernel("add_one"));
  const Buffer<std::uint32_t> a(*device, n), b(*device, n), c(*device, n);
  const std::vector<GraphLaunch> launches{add_one(a),      add_one(a, {0}), add_one(b, {0}),
                                          add_one(c, {0}), add_one(b, {2}), add_one(c, {1, 3, 4})};
  const auto graph = device->launch_graph(launches);
  a.fill(*queue);
  b.fill(*queue);
  c.fill(*queue);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    const auto tails = graph->launch(*queue);
    queue->synchronize();
    for (const LaunchGraph::Tail& tail : tails) tail.end->wait();
    ASSERT_EQ(a.read(*queue)[n - 1], 2 * i);
    ASSERT_EQ(b.read(*queue)[0], 2 * i);
    ASSERT_EQ(c.read(*queue)[n / 2], 2 * i);
  }
}

TEST_P(Conformance, GraphsOfTwelveAtOnce) {
  const Adding add_one(kernel("add_one"));
  std::vector<std::unique_ptr<Buffer<std::uint32_t>>> all;
  std::vector<GraphLaunch> launches;
  for (unsigned i = 0; i < 12; ++i) {
    all.push_back(std::make_unique<Buffer<std::uint32_t>>(*device, n));
    all.back()->fill(*queue, i);
    launches.push_back(add_one(*all.back()));
    launches.push_back(add_one(*all.back(), {2 * i}));
  }
  const auto graph = device->launch_graph(launches);
  graph->launch(*queue);
  graph->launch(*queue);
  for (unsigned i = 0; i < 12; ++i) EXPECT_EQ(all[i]->read(*queue), std::vector<std::uint32_t>(n, i + 4)) << i;
}

TEST_P(Conformance, GraphsHaveOtherArgumentsFromTheNextLaunchOn) {
  const Adding add_one(kernel("add_one"));
  const Buffer<std::uint32_t> x(*device, n), y(*device, n);
  x.fill(*queue);
  y.fill(*queue);
  const auto graph = device->launch_graph(std::vector<GraphLaunch>{add_one(x), add_one(x, {0})});
  graph->launch(*queue);
  graph->set_arguments(1, packed(y.address(), 1));
  graph->launch(*queue);
  graph->set_arguments(0, packed(y.address(), 2));
  graph->launch(*queue);
  EXPECT_EQ(x.read(*queue)[n - 1], 3u);
  std::vector<std::uint32_t> expected(n, 0);
  expected[0] = 3;
  expected[1] = 1;
  EXPECT_EQ(y.read(*queue), expected);
}

TEST_P(Conformance, GraphsComeBeforeWhatIsBehind) {
  const Adding add_one(kernel("add_one"));
  const Buffer<std::uint32_t> a(*device, n), b(*device, n);
  const auto graph = device->launch_graph(std::vector<GraphLaunch>{add_one(a), add_one(b)});
  const auto other = device->queue({});
  const auto event = device->event();
  a.fill(*queue, 7);
  b.fill(*queue, 8);
  graph->launch(*queue);
  launch(*queue, "add_one", {.grid = {(n + 63) / 64}, .block = {64}}, b.address(), n);
  queue->record(*event);
  other->wait(*event);
  EXPECT_EQ(a.read(*other), std::vector<std::uint32_t>(n, 8));
  EXPECT_EQ(b.read(*other), std::vector<std::uint32_t>(n, 10));
}

TEST_P(Conformance, GraphsMayEndOnceTheirLaunchesAreDone) {
  const Adding add_one(kernel("add_one"));
  const Buffer<std::uint32_t> a(*device, n), b(*device, n);
  a.fill(*queue);
  b.fill(*queue);
  for (int i = 0; i < 20; ++i) {
    const auto graph = device->launch_graph(std::vector<GraphLaunch>{add_one(a), add_one(b), add_one(b, {1})});
    graph->launch(*queue);
    queue->synchronize();
  }
  EXPECT_EQ(b.read(*queue), std::vector<std::uint32_t>(n, 40));
}

}  // namespace
}  // namespace heddle::conformance
