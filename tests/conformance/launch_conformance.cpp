// Launches: grids, ranges, parameters, variables, limits.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "conformance/conformance.hpp"
#include "device/footprint.hpp"
#include "ptx/parser.hpp"

namespace heddle::conformance {
namespace {

using testing::HasSubstr;

struct Place {
  std::uint32_t block_xy, block_z, thread_xy, thread_z;
  friend bool operator==(const Place&, const Place&) = default;
};

std::vector<Place> expected_places(const Dim3& grid, const Dim3& block) {
  std::vector<Place> places;
  for (std::uint32_t bz = 0; bz < grid.z; ++bz)
    for (std::uint32_t by = 0; by < grid.y; ++by)
      for (std::uint32_t bx = 0; bx < grid.x; ++bx)
        for (std::uint32_t tz = 0; tz < block.z; ++tz)
          for (std::uint32_t ty = 0; ty < block.y; ++ty)
            for (std::uint32_t tx = 0; tx < block.x; ++tx) places.push_back({bx + 1000 * by, bz, tx + 1000 * ty, tz});
  return places;
}

// CU2
TEST_P(Conformance, GridsOfOneToThreeDimensions) {
  const std::pair<Dim3, Dim3> shapes[] = {{{1}, {1}},
                                          {{3, 2}, {5, 3}},
                                          {{4}, {6}},
                                          {{7, 5, 3}, {4, 3, 2}},
                                          {{2, 3, 4}, {32, 2, 1}},
                                          {{5}, {1024}},
                                          {{1, 1, 9}, {1, 1, 64}},
                                          {{11, 1, 2}, {33, 1, 3}}};
  for (const auto& [grid, block] : shapes) {
    const std::size_t threads = grid.count() * block.count();
    const Buffer<Place> out(*device, threads);
    const Buffer<std::uint32_t> count(*device, threads);
    count.fill(*queue);
    launch(*queue, "indices", {.grid = grid, .block = block}, out.address(), count.address());
    EXPECT_EQ(out.read(*queue), expected_places(grid, block));
    EXPECT_EQ(count.read(*queue), std::vector<std::uint32_t>(threads, 1));
  }
}

TEST_P(Conformance, RangesSeeTheIndicesOfTheWholeGrid) {
  const Dim3 grid{5, 4, 3}, block{8, 2};
  const std::size_t threads = grid.count() * block.count();
  const Buffer<Place> out(*device, threads);
  const Buffer<std::uint32_t> count(*device, threads);
  count.fill(*queue);
  queue->fill(out.span(), 0xFFFFFFFF, 4);
  launch_range(*queue, kernel("indices"), {.grid = grid, .block = block}, {7, 31}, out.address(), count.address());
  launch_range(*queue, kernel("indices"), {.grid = grid, .block = block}, {12, 12}, out.address(), count.address());
  const auto places = out.read(*queue);
  const auto counts = count.read(*queue);
  const auto expected = expected_places(grid, block);
  for (std::size_t i = 0; i < threads; ++i) {
    const bool ran = i / block.count() >= 7 && i / block.count() < 31;
    EXPECT_EQ(counts[i], ran ? 1u : 0u);
    if (ran) {
      EXPECT_EQ(places[i], expected[i]);
    }
  }
  // The rest in two pieces: together they make the whole launch.
  launch_range(*queue, kernel("indices"), {.grid = grid, .block = block}, {31, 60}, out.address(), count.address());
  launch_range(*queue, kernel("indices"), {.grid = grid, .block = block}, {0, 7}, out.address(), count.address());
  EXPECT_EQ(out.read(*queue), expected);
  EXPECT_EQ(count.read(*queue), std::vector<std::uint32_t>(threads, 1));
}

// Grids of one to three dimensions, of odd sizes, in any number of ranges, which go in any order: each block runs once.
TEST_P(Conformance, AnyNumberOfRangesRunsEachBlockOnce) {
  const Dim3 block{3, 2};
  std::mt19937 random(11);
  for (const Dim3& grid : {Dim3{17}, Dim3{5, 3}, Dim3{3, 2, 5}}) {
    const std::uint64_t blocks = grid.count();
    const std::size_t threads = blocks * block.count();
    const Buffer<Place> out(*device, threads);
    const Buffer<std::uint32_t> count(*device, threads);
    for (std::uint64_t ranges = 1; ranges <= blocks; ++ranges) {
      count.fill(*queue);
      queue->fill(out.span(), 0xFFFFFFFF, 4);
      std::vector<BlockRange> cut;
      for (std::uint64_t i = 0; i < ranges; ++i) cut.push_back({blocks * i / ranges, blocks * (i + 1) / ranges});
      std::shuffle(cut.begin(), cut.end(), random);
      for (const BlockRange& range : cut)
        launch_range(*queue, kernel("indices"), {.grid = grid, .block = block}, range, out.address(), count.address());
      ASSERT_EQ(count.read(*queue), std::vector<std::uint32_t>(threads, 1)) << ranges << " ranges of " << blocks;
      ASSERT_EQ(out.read(*queue), expected_places(grid, block)) << ranges << " ranges of " << blocks;
    }
  }
}

TEST_P(Conformance, ParametersOfManySizes) {
  Function& function = kernel("parameters");
  ASSERT_EQ(function.parameters().size(), 6u);
  const std::uint32_t offsets[] = {0, 8, 16, 24, 32, 52}, sizes[] = {1, 8, 2, 8, 20, 4};
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(function.parameters()[i].offset, offsets[i]);
    EXPECT_EQ(function.parameters()[i].size, sizes[i]);
  }
  EXPECT_EQ(function.parameter_bytes(), 56u);
  const Buffer<std::uint32_t> out(*device, 7);
  struct Struct {
    std::uint32_t words[5];
  };
  launch(*queue, function, {}, std::uint8_t{200}, out.address(), std::uint16_t{50'000}, 1.0, Struct{{1, 2, 3, 4, 5}},
         77u);
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{200, 50'000, 0, 0x3FF00000, 1, 5, 77}));
}

TEST_P(Conformance, ArgumentsAreCopied) {
  const Buffer<std::uint32_t> x(*device, 1);
  x.fill(*queue);
  std::vector<std::byte> arguments(12);
  const std::uint64_t address = x.address();
  const std::uint32_t n = 1;
  std::memcpy(arguments.data(), &address, 8);
  std::memcpy(arguments.data() + 8, &n, 4);
  std::atomic<bool> go{false};
  queue->call([&] {
    while (!go) std::this_thread::yield();
  });
  queue->launch(kernel("add_one"), {}, {0, 1}, arguments);
  std::fill(arguments.begin(), arguments.end(), std::byte{0xFF});
  go = true;
  EXPECT_EQ(x.read(*queue), std::vector<std::uint32_t>{1});
}

TEST_P(Conformance, ModuleVariables) {
  const Buffer<std::uint32_t> out(*device, 4);
  launch(*queue, "use_variables", {}, out.address());
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{41, 30, 41, 0}));
  launch(*queue, "use_variables", {}, out.address());
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{42, 30, 42, 0}));

  const Span counter = module().variable("counter"), table = module().variable("table");
  EXPECT_EQ(counter.size, 4u);
  EXPECT_EQ(table.size, 16u);
  std::uint32_t value = 0;
  queue->copy(Span::host(&value, 4), counter);
  queue->synchronize();
  EXPECT_EQ(value, 43u);
  const std::uint32_t entries[] = {1, 2, 3, 4};
  value = 100;
  queue->copy(counter, Span::host(&value, 4));
  queue->copy(table, Span::host(entries, 16));
  launch(*queue, "use_variables", {}, out.address());
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{100, 3, 100, 0}));

  // Another module has variables of its own.
  const auto other = load(kernels);
  launch(*queue, other->function("use_variables"), {}, out.address());
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{41, 30, 41, 0}));
}

constexpr std::string_view placed_ptx = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 shared_count = 7;
.visible .global .align 4 .u32 own = 30;
.visible .global .align 8 .u64 known = generic(shared_count), open = generic(own), changed = generic(own);
.visible .entry use(.param .u64 p) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.global.u32 %r1, [shared_count];
  add.u32 %r1, %r1, 1;
  st.global.u32 [shared_count], %r1;
  ld.global.u64 %rd1, [open];
  ld.u32 %r2, [%rd1];
  ld.param.u64 %rd2, [p];
  st.global.u32 [%rd2], %r2;
  ld.global.u64 %rd3, [changed];
  st.global.u64 [%rd2+8], %rd3;
  ret;
}
)";

// Variables that lie where the host has them: nothing is written there but the addresses that were left open.
TEST_P(Conformance, VariablesInTheHostsMemory) {
  struct {
    std::uint32_t count = 100;
    std::uint64_t known = 1, open = address_of_device, changed = 2;
  } host;
  const std::vector<PlacedVariable> placed = {{"shared_count", &host.count, 4},
                                              {"known", &host.known, 8},
                                              {"open", &host.open, 8},
                                              {"changed", &host.changed, 8},
                                              {"nobodys", &host.changed, 8}};
  const auto load_placed = [&](std::span<const PlacedVariable> variables) {
    auto parsed = std::make_shared<const ptx::Module>(ptx::parse(placed_ptx, "placed.ptx"));
    return device->load(std::move(parsed), {.placed = variables});
  };
  if (!device->info().managed_memory) {
    const std::string message = expect_error(ErrorCode::unsupported, [&] { load_placed(placed); });
    EXPECT_THAT(message, HasSubstr("'shared_count' cannot lie in the host's memory"));
    return;
  }
  const auto registered = device->register_host(&host, sizeof host);
  const auto loaded = load_placed(placed);
  EXPECT_EQ(loaded->variable("shared_count").address, reinterpret_cast<std::uint64_t>(&host.count));
  const Buffer<std::uint32_t> out(*device, 4);
  out.fill(*queue);
  launch(*queue, loaded->function("use"), {}, out.address());
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{30, 0, 2, 0}));
  EXPECT_EQ(host.count, 101u);
  EXPECT_EQ(host.known, 1u);
  EXPECT_EQ(host.open, loaded->variable("own").address);
  EXPECT_EQ(host.changed, 2u);

  const PlacedVariable small[] = {{"shared_count", &host.count, 3}};
  EXPECT_THAT(expect_error(ErrorCode::invalid_argument, [&] { load_placed(small); }), HasSubstr("shared_count"));
  const PlacedVariable crooked[] = {{"known", reinterpret_cast<std::byte*>(&host.known) + 4, 8}};
  EXPECT_THAT(expect_error(ErrorCode::invalid_argument, [&] { load_placed(crooked); }), HasSubstr("aligned to 8"));
}

TEST_P(Conformance, NamesThatAreNotThere) {
  const std::string function = expect_error(ErrorCode::not_found, [&] { module().function("nosuch"); });
  EXPECT_THAT(function, HasSubstr("nosuch"));
  EXPECT_THAT(function, HasSubstr("use_variables"));
  const std::string variable = expect_error(ErrorCode::not_found, [&] { module().variable("nosuch"); });
  EXPECT_THAT(variable, HasSubstr("nosuch"));
  EXPECT_THAT(variable, HasSubstr("counter"));
}

TEST_P(Conformance, LocalVariablesAreAlignedInEveryThread) {
  constexpr std::uint32_t threads = 70;
  const Buffer<std::uint64_t> out(*device, 2 * threads);
  launch(*queue, "aligned_locals", {.grid = {1}, .block = {threads}}, out.address());
  const std::vector<std::uint64_t> places = out.read(*queue);
  for (std::uint32_t t = 0; t < threads; ++t) {
    EXPECT_EQ(places[2 * t] % 256, 0u) << "thread " << t;
    EXPECT_EQ(places[2 * t + 1] % 128, 0u) << "thread " << t << ", in the function";
  }
}

TEST_P(Conformance, DynamicSharedMemoryAndBarriers) {
  constexpr std::uint32_t blocks = 9;
  for (const std::uint32_t threads : {1u, 32u, 100u, 1024u}) {
    const Buffer<std::uint32_t> in(*device, blocks * threads), out(*device, blocks * threads);
    std::vector<std::uint32_t> data(blocks * threads);
    std::iota(data.begin(), data.end(), 0);
    in.write(*queue, data);
    launch(*queue, "reverse", {.grid = {blocks}, .block = {threads}, .dynamic_shared_bytes = threads * 4}, in.address(),
           out.address());
    for (std::uint32_t b = 0; b < blocks; ++b)
      std::reverse(data.begin() + b * threads, data.begin() + (b + 1) * threads);
    EXPECT_EQ(out.read(*queue), data);
  }
}

// CU10
TEST_P(Conformance, LimitsOfALaunch) {
  Function& nothing = kernel("nothing");
  const auto refused = [&](const LaunchConfig& config) {
    return expect_error(ErrorCode::invalid_argument,
                        [&] { queue->launch(nothing, config, {0, config.grid.count()}, {}); });
  };
  refused({.grid = {1}, .block = {1025}});
  refused({.grid = {1}, .block = {32, 33}});
  refused({.grid = {1}, .block = {1, 1, 65}});
  refused({.grid = {1}, .block = {0}});
  refused({.grid = {0}, .block = {1}});
  refused({.grid = {1, 65'536}, .block = {1}});
  refused({.grid = {1, 1, 65'536}, .block = {1}});
  refused({.grid = {0x80000000u}, .block = {1}});
  EXPECT_THAT(refused({.dynamic_shared_bytes = 1 << 20}), HasSubstr("shared"));
  expect_error(ErrorCode::invalid_argument, [&] { queue->launch(nothing, {.grid = {4}}, {2, 5}, {}); });
  expect_error(ErrorCode::invalid_argument, [&] { queue->launch(nothing, {.grid = {4}}, {3, 2}, {}); });
  const std::byte extra[4] = {};
  expect_error(ErrorCode::invalid_argument, [&] { queue->launch(nothing, {}, {0, 1}, extra); });
  expect_error(ErrorCode::invalid_argument, [&] { queue->launch(kernel("add_one"), {}, {0, 1}, extra); });
  // Nothing of this has failed the queue.
  EXPECT_NO_THROW(launch(*queue, "nothing", {.grid = {65'535, 3}, .block = {1}}));
  EXPECT_NO_THROW(queue->synchronize());
}

// Refused at once, be it when the module is loaded or when the kernel is launched.
TEST_P(Conformance, TooMuchStaticSharedMemory) {
  try {
    const auto loaded = load(much_shared);
    launch(*queue, loaded->function("much_shared"), {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::compile_error);
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("much_shared"), HasSubstr("shared")));
  }
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(Conformance, DirectivesOfAKernel) {
  expect_error(ErrorCode::invalid_argument, [&] { launch(*queue, "only_64", {.block = {32}}); });
  expect_error(ErrorCode::invalid_argument, [&] { launch(*queue, "only_64", {.block = {8, 8}}); });
  expect_error(ErrorCode::invalid_argument, [&] { launch(*queue, "at_most_128", {.block = {129}}); });
  launch(*queue, "only_64", {.block = {64}});
  launch(*queue, "at_most_128", {.block = {128}});
  launch(*queue, "at_most_128", {.block = {16, 4}});
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(Conformance, EventsOfNobodyAreRefused) {
  class Alien final : public Event {
    bool done() const override { return true; }
    void wait() override {}
    unsigned long long completed_ns() const override { return 0; }
    std::shared_ptr<const device::EventPoint> point() const override { return nullptr; }
  } alien;
  expect_error(ErrorCode::invalid_argument, [&] { queue->record(alien); });
  EXPECT_NO_THROW(queue->synchronize());
}

// CU-H1
TEST_P(Conformance, OrderOfBlocksDoesNotMatter) {
  constexpr std::uint32_t blocks = 24, threads = 40;
  std::mt19937 random(3);
  // Runs a launch as ranges of `size` blocks in random order.
  const auto shuffled = [&](Function& function, std::uint32_t size, auto... arguments) {
    std::vector<BlockRange> ranges;
    for (std::uint32_t b = 0; b < blocks; b += size) ranges.push_back({b, std::min(b + size, blocks)});
    std::shuffle(ranges.begin(), ranges.end(), random);
    for (const BlockRange& range : ranges)
      launch_range(*queue, function, {.grid = {blocks}, .block = {threads}, .dynamic_shared_bytes = threads * 4}, range,
                   arguments...);
  };
  const Buffer<std::uint32_t> in(*device, blocks * threads), out(*device, blocks * threads), sum(*device, 1);
  std::vector<std::uint32_t> data(blocks * threads);
  std::iota(data.begin(), data.end(), 0);
  std::vector<std::uint32_t> reversed = data;
  for (std::uint32_t b = 0; b < blocks; ++b)
    std::reverse(reversed.begin() + b * threads, reversed.begin() + (b + 1) * threads);
  std::uint32_t total = 0;
  for (std::uint32_t b = 0; b < blocks; ++b) total += b * b + 1;
  total *= threads;
  std::vector<std::uint32_t> folds;
  for (int permutation = 0; permutation < 20; ++permutation) {
    const std::uint32_t sizes[] = {1, 2, blocks};
    const std::uint32_t size = sizes[permutation % 3];
    in.write(*queue, data);
    shuffled(kernel("add_one"), size, in.address(), std::uint32_t{blocks * threads});
    shuffled(kernel("reverse"), size, in.address(), out.address());
    sum.fill(*queue);
    shuffled(kernel("accumulate"), size, sum.address());
    std::vector<std::uint32_t> expected = reversed;
    for (std::uint32_t& value : expected) ++value;
    ASSERT_EQ(out.read(*queue), expected);
    ASSERT_EQ(sum.read(*queue)[0], total);
    // One thread a block, blocks one after the other: the result tells the order.
    sum.fill(*queue);
    std::vector<std::uint32_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t b : order)
      launch_range(*queue, kernel("fold"), {.grid = {blocks}}, {b, b + 1}, sum.address());
    folds.push_back(sum.read(*queue)[0]);
  }
  // The shuffling is real: a kernel that depends on the order gives different results.
  EXPECT_NE(std::count(folds.begin(), folds.end(), folds[0]), static_cast<std::ptrdiff_t>(folds.size()));
}

// Ranges that go on one after the other may run at the same time, but not before what is before them or after what is
// behind them in the queue.
TEST_P(Conformance, RangesInARowStayBetweenTheirNeighbours) {
  constexpr std::uint32_t blocks = 300, threads = 64, n = blocks * threads;
  const Buffer<std::uint32_t> data(*device, n), copy(*device, n);
  const auto in_ranges = [&](std::uint32_t size) {
    for (std::uint32_t b = 0; b < blocks; b += size)
      launch_range(*queue, kernel("add_one"), {.grid = {blocks}, .block = {threads}}, {b, std::min(b + size, blocks)},
                   data.address(), n);
  };
  const auto other = device->queue({});
  const auto event = device->event();
  for (const std::uint32_t size : {1u, 7u, 150u, 299u}) {
    data.fill(*queue);
    in_ranges(size);
    in_ranges(size);  // does not go on: it begins anew
    queue->copy(copy.span(), data.span());
    in_ranges(size);
    launch(*queue, kernel("add_one"), {.grid = {blocks}, .block = {threads}}, data.address(), n);
    in_ranges(size);
    queue->record(*event);
    other->wait(*event);
    EXPECT_EQ(data.read(*other), std::vector<std::uint32_t>(n, 5));
    EXPECT_EQ(copy.read(*queue), std::vector<std::uint32_t>(n, 2));
    in_ranges(size);
    queue->synchronize();
    EXPECT_EQ(data.read(*other), std::vector<std::uint32_t>(n, 6));
  }
}

// Where accesses are verified; elsewhere nothing is said, and nothing else is lost.
TEST_P(Conformance, LaunchesKeepToTheirFootprints) {
  const auto ptx = std::make_shared<ptx::Module>(ptx::parse(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry put(.param .u64 p) {
  .reg .b64 %p;
  ld.param.u64 %p, [p];
  st.global.u32 [%p], 7;
  ret;
}
)",
                                                            "put.ptx"));
  std::shared_ptr<device::Module> module;
  bool verifies = true;
  try {
    module = device->load(ptx, {.check = true});
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), ErrorCode::unsupported) << error.what();
    module = device->load(ptx, {});
    verifies = false;
  }
  Function& put = module->function("put");
  const std::unique_ptr<Memory> guarded = device->allocate(64), free = device->allocate(64);
  guarded->guard();
  const auto run = [&](const std::unique_ptr<Memory>& memory, std::uint64_t offset) {
    launch(*queue, put, {}, memory->span().address + offset);
    queue->synchronize();
  };
  const auto value = [&](const std::unique_ptr<Memory>& memory, std::uint64_t offset) {
    std::uint32_t word = 0;
    queue->copy(Span::host(&word, sizeof word), memory->span().sub(offset, sizeof word));
    queue->synchronize();
    return word;
  };
  queue->fill(guarded->span(), 0, 4);
  run(guarded, 60);  // without a footprint
  EXPECT_EQ(value(guarded, 60), 7u);
  const std::uint64_t begin = guarded->span().address;
  auto footprint = std::make_shared<const device::Footprint>(
      std::vector<device::Footprint::Part>{{begin, begin + 8, true, false, "the head"},
                                           {begin + 8, begin + 16, false, true, "the body"},
                                           {begin + 16, begin + 24, true, true, "the tail"}});
  queue->set_footprint(footprint);
  footprint.reset();
  for (std::uint64_t offset : {8, 12, 16, 20}) run(guarded, offset);
  run(free, 0);
  EXPECT_EQ(value(guarded, 8), 7u);
  EXPECT_EQ(value(guarded, 20), 7u);
  EXPECT_EQ(value(free, 0), 7u);
  if (verifies) {
    EXPECT_THAT(expect_error(ErrorCode::kernel_fault, [&] { run(guarded, 0); }),
                HasSubstr("bytes 8 to 16 of it to write (the body)"));
    EXPECT_THAT(expect_error(ErrorCode::kernel_fault, [&] { run(guarded, 24); }), HasSubstr("the tail"));
    EXPECT_EQ(value(guarded, 0), 0u);
    EXPECT_EQ(value(guarded, 24), 0u);
  }
  queue->set_footprint(nullptr);
  run(guarded, 24);
  EXPECT_EQ(value(guarded, 24), 7u);
}

TEST_P(Conformance, PrepareIsAllowedAtAnyTime) {
  Function& function = kernel("add_one");
  function.prepare({64});
  function.prepare({64});
  const Buffer<std::uint32_t> x(*device, 64);
  x.fill(*queue, 5);
  launch(*queue, function, {.block = {64}}, x.address(), 60u);
  std::vector<std::uint32_t> expected(64, 6);
  std::fill(expected.begin() + 60, expected.end(), 5);
  EXPECT_EQ(x.read(*queue), expected);
  EXPECT_EQ(function.ptx().name, "add_one");
}

}  // namespace
}  // namespace heddle::conformance
