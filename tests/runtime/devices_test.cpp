// The public interface over the devices there are: several at once, many threads, ends that come early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// add(n, value, x): x[i] += value, many times over `turns`; sum(n, x, y): y[i] += x[i]; fault(x): writes past
// everything.
constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry add(.param .u32 p_n, .param .u32 p_value, .param .u32 p_turns, .param .u64 p_x) {
  .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  ld.param.u32 %r1, [p_n];
  ld.param.u32 %r2, [p_value];
  ld.param.u32 %r3, [p_turns];
  ld.param.u64 %rd1, [p_x];
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mov.u32 %r6, %tid.x;
  mad.lo.u32 %r7, %r4, %r5, %r6;
  setp.ge.u32 %p1, %r7, %r1;
  @%p1 ret;
  mad.wide.u32 %rd2, %r7, 4, %rd1;
  mov.u32 %r8, 0;
again:
  ld.global.u32 %r9, [%rd2];
  add.u32 %r9, %r9, %r2;
  st.global.u32 [%rd2], %r9;
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p2, %r8, %r3;
  @%p2 bra again;
  ret;
}
.visible .entry sum(.param .u32 p_n, .param .u64 p_x, .param .u64 p_y) {
  .reg .pred %p<2>; .reg .b32 %r<10>; .reg .b64 %rd<5>;
  ld.param.u32 %r1, [p_n];
  ld.param.u64 %rd1, [p_x];
  ld.param.u64 %rd2, [p_y];
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mov.u32 %r6, %tid.x;
  mad.lo.u32 %r7, %r4, %r5, %r6;
  setp.ge.u32 %p1, %r7, %r1;
  @%p1 ret;
  mad.wide.u32 %rd3, %r7, 4, %rd1;
  mad.wide.u32 %rd4, %r7, 4, %rd2;
  ld.global.u32 %r8, [%rd3];
  ld.global.u32 %r9, [%rd4];
  add.u32 %r9, %r9, %r8;
  st.global.u32 [%rd4], %r9;
  ret;
}
.visible .entry trap_all() { trap; }
)";

constexpr std::uint32_t n = 3000;
const LaunchOptions shape{.grid = {(n + 127) / 128}, .block = {128}};

LaunchOptions on(const char* device) {
  LaunchOptions options = shape;
  options.device = device;
  return options;
}

bool all_are(std::span<const std::uint32_t> values, std::uint32_t wanted) {
  for (const std::uint32_t value : values)
    if (value != wanted) return false;
  return true;
}

std::string error_of(ErrorCode code, const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(Devices, TakeTurnsOnOneArray) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2});
  Module module = runtime.load_ptx(source);
  auto x = runtime.array<std::uint32_t>(n), y = runtime.array<std::uint32_t>(n);
  const Kernel add = module.kernel("add"), sum = module.kernel("sum");
  std::uint32_t expected = 0, total = 0;
  for (std::uint32_t round = 0; round < 6; ++round) {
    runtime.launch(add, on(round % 2 == 0 ? "cpu" : "interp"), n, round + 1, 1u, x);
    runtime.launch(sum, on(round % 3 == 0 ? "interp" : "cpu"), n, x, y);
    expected += round + 1;
    total += expected;
  }
  EXPECT_TRUE(all_are(y.read(), total));
  EXPECT_TRUE(all_are(x.read(), expected));
}

// Where the kernel does not look at the row, all rows read, add and write back the same: on GPUs in step, so that it is
// added once. Programs (mvt of PolyBench) are written so.
TEST(Devices, ThreadsThatAreAlikeAreInStep) {
  Runtime runtime({.devices = "cpu"});
  const Kernel add = runtime.load_ptx(source).kernel("add");
  auto x = runtime.array<std::uint32_t>(100);
  runtime.launch(add, {.grid = {4}, .block = {32, 4, 2}}, 100u, 3u, 5u, x);
  EXPECT_THAT(x.read(), testing::Each(15u));
}

// Annotated in all ways, launches and calls give what they give without.
TEST(Devices, RunFunctionsAsTasks) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2});
  Module module = runtime.load_ptx(source);
  auto x = runtime.array<std::uint32_t>(n), y = runtime.array<std::uint32_t>(n);
  const Kernel add = module.kernel("add", "add(n: sint32, value: uint32, turns: uint32, x: inout pointer uint32)");
  for (std::uint32_t round = 0; round < 20; ++round) {
    const char* const device = round % 2 == 0 ? "cpu" : "interp";
    runtime.launch(add, on(device), n, 1u, 1u, x);
    runtime.call(
        {.device = device},
        [device](const Call& call) {
          EXPECT_EQ(call.device(), device);
          for (std::size_t i = 0; i < n; ++i) call.data<std::uint32_t>(1)[i] = 2 * call.data<std::uint32_t>(0)[i];
        },
        in(x), out(y));
    runtime.launch(module.kernel("sum"), on("cpu"), n, in(y), x);
    runtime.call_host([](const Call& call) { call.data<std::uint32_t>(0)[0] -= 2; }, x.slice(0, 1));
  }
  std::uint32_t first = 0, others = 0;
  for (int round = 0; round < 20; ++round) first = 3 * (first + 1) - 2, others = 3 * (others + 1);
  EXPECT_EQ(x.read()[0], first);
  EXPECT_TRUE(all_are(x.read(1, n - 1), others));
  runtime.call({}, [](const Call&) { throw std::runtime_error("no more"); }, x);
  runtime.launch(add, on("interp"), n, 1u, 1u, x);
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { x.read(); }),
            "a function given to Runtime::call threw: no more");
}

// What failed in another queue stays until somebody asks for what depends on it, also when all that is done.
TEST(Devices, AFailureStaysBehindLaunchesThatAreDone) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2});
  const Kernel add = runtime.load_ptx(source).kernel("add");
  auto x = runtime.array<std::uint32_t>(n);
  runtime.call({.device = "cpu"}, [](const Call&) { throw std::runtime_error("no more"); }, x);
  for (int round = 0; round < 3; ++round) {  // enough for queues to be polled, and something to be found
    for (int i = 0; i < 40; ++i) runtime.launch(add, on("interp"), n, 1u, 1u, x);
    std::atomic<bool> done = false;
    runtime.call({.device = "interp"}, [&](const Call&) { done = true; }, in(x));
    ASSERT_TRUE(wait_until([&] { return done.load(); }));
  }
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { x.read(); }),
            "a function given to Runtime::call threw: no more");
}

// A part of the device's memory that belongs to no array.
TEST(Devices, OpaquePointersAreUsedInOrder) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2});
  Module module = runtime.load_ptx(source);
  const Memory memory = runtime.device("cpu").allocate(n * sizeof(std::uint32_t));
  auto x = runtime.array<std::uint32_t>(n);
  const Kernel add = module.kernel("add"), sum = module.kernel("sum");
  std::memset(memory.host(), 0, memory.span().size);
  for (int round = 0; round < 10; ++round) {
    runtime.launch(add, on("cpu"), n, 1u, 1000u, opaque(memory.address()));
    runtime.launch(sum, on("cpu"), n, opaque(memory.address()), x);
  }
  EXPECT_TRUE(all_are(x.read(), 55'000));
}

TEST(Devices, LaunchesKeepToTheirProcessors) {
  Runtime runtime({.devices = "cpu", .workers = 2});
  Module module = runtime.load_ptx(source);
  auto x = runtime.array<std::uint32_t>(n);
  const Kernel add = module.kernel("add");
  for (std::uint32_t i = 0; i < 9; ++i) {
    LaunchOptions options = shape;
    if (i % 3 != 0) options.processors = {i % 3 - 1};
    runtime.launch(add, options, n, 1u, 1u, x);
  }
  EXPECT_TRUE(all_are(x.read(), 9));
  LaunchOptions wrong = shape;
  wrong.processors = {0, 2};
  EXPECT_THAT(error_of(ErrorCode::invalid_argument, [&] { runtime.launch(add, wrong, n, 1u, 1u, x); }),
              testing::HasSubstr("2"));
  EXPECT_TRUE(all_are(x.read(), 9));
}

TEST(Devices, LinksLeadToMemoryOfItsOwn) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2});
  EXPECT_THAT(error_of(ErrorCode::invalid_argument, [&] { runtime.measured_link("cpu", "host"); }),
              testing::HasSubstr("the same memory"));
  error_of(ErrorCode::not_found, [&] { runtime.measured_link("host", "cuda:77"); });
}

TEST(Devices, ManyThreadsLaunchAndRead) {
  Runtime runtime({.devices = "cpu", .workers = 2});
  Module module = runtime.load_ptx(source);
  const Kernel add = module.kernel("add"), sum = module.kernel("sum");
  auto common = runtime.array<std::uint32_t>(n);
  for (std::uint32_t& value : common.write()) value = 5;
  std::vector<std::thread> hosts;
  std::atomic<int> good{0};
  for (std::uint32_t h = 0; h < 6; ++h) {
    hosts.emplace_back([&, h] {
      for (int round = 0; round < 10; ++round) {
        auto mine = runtime.array<std::uint32_t>(n);
        for (int i = 0; i < 5; ++i) runtime.launch(add, shape, n, h, 3u, mine);
        const Launch last = runtime.launch(sum, shape, n, common, mine);
        if (round % 2 == 0) last.wait();
        if (all_are(mine.read(), 15 * h + 5) && all_are(common.read(), 5)) ++good;
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(good, 60);
}

TEST(Devices, TheRuntimeMayEndWithWorkQueued) {
  for (const char* device : {"cpu", "interp"}) {
    std::optional<Array<std::uint32_t>> kept;
    std::optional<Launch> last;
    {
      Runtime runtime({.devices = device, .workers = 2});
      Module module = runtime.load_ptx(source);
      kept.emplace(runtime.array<std::uint32_t>(n));
      {
        const auto gone = runtime.array<std::uint32_t>(n);
        for (int i = 0; i < 20; ++i) runtime.launch(module.kernel("add"), shape, n, 1u, 5u, gone);
      }
      for (int i = 0; i < 20; ++i) last.emplace(runtime.launch(module.kernel("add"), shape, n, 2u, 5u, *kept));
    }
    EXPECT_TRUE(last->done());
    EXPECT_TRUE(all_are(kept->read(), 200)) << device;
  }
}

TEST(Devices, AFailureNobodyAsksForEndsQuietly) {
  std::optional<Array<std::uint32_t>> kept;
  {
    Runtime runtime({.devices = "cpu", .workers = 2});
    Module module = runtime.load_ptx(source);
    kept.emplace(runtime.array<std::uint32_t>(n));
    runtime.launch(module.kernel("trap_all"), shape);
    runtime.launch(module.kernel("add"), shape, n, 2u, 5u, *kept);
  }
  EXPECT_TRUE(all_are(kept->read(), 10));  // does not depend on what failed
}

TEST(Devices, ArraysThatAreTooLargeAreRefusedWithASentence) {
  Runtime runtime({.devices = "cpu", .workers = 2});
  Module module = runtime.load_ptx(source);
  const Kernel add = module.kernel("add");
  EXPECT_THAT(
      error_of(ErrorCode::out_of_memory, [&] { runtime.array<double>(std::numeric_limits<std::size_t>::max() / 4); }),
      HasSubstr("larger than any memory"));
  auto large = runtime.array<std::uint32_t>(std::size_t{1} << 50);
  EXPECT_THAT(error_of(ErrorCode::out_of_memory, [&] { runtime.launch(add, shape, n, 1u, 1u, large); }),
              AllOf(HasSubstr("cannot allocate"), HasSubstr("of memory")));
  EXPECT_THAT(error_of(ErrorCode::out_of_memory, [&] { large.read(); }), HasSubstr("cannot allocate"));
  auto x = runtime.array<std::uint32_t>(n);
  runtime.launch(add, shape, n, 1u, 1u, x);
  EXPECT_TRUE(all_are(x.read(), 1));
}

TEST(Devices, ShapesThatCannotBeAreRefusedAtOnce) {
  Runtime runtime({.devices = "cpu,interp", .workers = 2});
  Module module = runtime.load_ptx(source);
  auto x = runtime.array<std::uint32_t>(n);
  for (const char* device : {"cpu", "interp"}) {
    const auto refused = [&](const LaunchOptions& options) {
      LaunchOptions there = options;
      there.device = device;
      return error_of(ErrorCode::invalid_argument, [&] { runtime.launch(module.kernel("add"), there, n, 1u, 1u, x); });
    };
    EXPECT_THAT(refused({.grid = {1}, .block = {2000}}), HasSubstr("1024"));
    EXPECT_THAT(refused({.grid = {0}, .block = {32}}), HasSubstr("(0, 1, 1)"));
    EXPECT_THAT(refused({.grid = {1, 70'000}, .block = {32}}), HasSubstr("65535"));
    EXPECT_THAT(refused({.grid = {1}, .block = {32}, .shared = 1 << 20}), HasSubstr("shared memory"));
    EXPECT_THAT(refused({.grid = {4}, .block = {32}, .blocks = BlockRange{2, 9}}), HasSubstr("grid of 4"));
  }
  EXPECT_TRUE(all_are(x.read(), 0));
}

}  // namespace
}  // namespace heddle::tests
