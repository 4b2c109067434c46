// What generated code asks of the runtime besides waiting: output, heap, checks, clocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>

#include "device/cpu/native.hpp"

namespace heddle::device::cpu::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Word = std::atomic<std::uint32_t>;

void hello(WarpContext* warp) {
  struct {
    std::uint32_t block;
    double value;
  } arguments = {warp->block->block_id[0], 0.5};
  warp->block->launch->runtime->vprintf(warp, 0, reinterpret_cast<std::uint64_t>("block %u of %g!\n"),
                                        reinterpret_cast<std::uint64_t>(&arguments));
}

void allocate(WarpContext* warp) {
  const RuntimeTable& runtime = *warp->block->launch->runtime;
  auto* a = reinterpret_cast<std::uint32_t*>(runtime.malloc(warp, 400));
  for (unsigned i = 0; i < 100; ++i) a[i] = i + warp->block->block_id[0];
  sync(warp);
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < 100; ++i) sum += a[i];
  argument<Word>(warp, 0)->fetch_add(sum == 4950 + 100 * warp->block->block_id[0] ? 1 : 0);
  runtime.free(warp, reinterpret_cast<std::uint64_t>(a));
  runtime.free(warp, 0);
  if (runtime.malloc(warp, 1ull << 40) == 0) argument<Word>(warp, 0)->fetch_add(1);
}

// Checks 32 addresses, stride bytes apart from the first argument on, as an access of 4 bytes.
void check(WarpContext* warp) {
  const auto* request = argument<std::uint64_t>(warp, 1);  // stride, space, is_write, window
  std::uint64_t addresses[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses[lane] = reinterpret_cast<std::uint64_t>(argument<char>(warp, 0)) + lane * request[0];
  warp->block->launch->runtime->check(warp, addresses, nullptr, 0xFFFFFFFE, 4, static_cast<std::uint32_t>(request[1]),
                                      request[2] != 0 ? CheckedAccess::writes : CheckedAccess::reads, request[3],
                                      KnownRanges::no_site, 4);
}
// Its own shared memory, stack and parameters through generic addresses.
void check_own(WarpContext* warp) {
  int local = 0;
  const void* own[] = {warp->block->shared, &local, warp->block->launch->parameters};
  for (const void* place : own) {
    const std::uint64_t addresses[32] = {reinterpret_cast<std::uint64_t>(place)};
    warp->block->launch->runtime->check(warp, addresses, nullptr, 1, 4, static_cast<std::uint32_t>(ptx::Space::generic),
                                        CheckedAccess::reads, 0, KnownRanges::no_site, 4);
  }
  argument<Word>(warp, 0)->fetch_add(1);
}

void clocks(WarpContext* warp) {
  const RuntimeTable& runtime = *warp->block->launch->runtime;
  const std::uint64_t c = runtime.clock(), t = runtime.global_timer();
  for (int i = 0; i < 1000; ++i) asm volatile("pause");
  if (runtime.clock() > c && runtime.global_timer() > t) argument<Word>(warp, 0)->fetch_add(1);
}

void read_shared(WarpContext* warp) {
  for (unsigned i = 0; i < 16; ++i) {
    if (warp->block->shared[i] != 0xA5) argument<Word>(warp, 0)->fetch_add(1);
    warp->block->shared[i] = 1;
  }
}
void read_shared_direct(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t block = begin; block < end; ++block) read_shared(warp);
  static_cast<void>(launch);
}

std::vector<NativeKernel> kernels() {
  std::vector<NativeKernel> all = {fiber("hello", &hello, 0),
                                   fiber("allocate", &allocate),
                                   fiber("check", &check, 2),
                                   fiber("check_own", &check_own),
                                   fiber("clocks", &clocks),
                                   fiber("read_shared", &read_shared),
                                   direct("read_shared_direct", &read_shared_direct)};
  for (NativeKernel& kernel : all) kernel.shared_bytes = 16;
  return all;
}

TEST(RuntimeCalls, Printf) {
  std::FILE* file = std::tmpfile();
  CpuOptions options;
  options.printf_output = file;
  NativeDevice native(kernels(), options);
  const auto queue = native.device.queue({});
  native.launch(*queue, "hello", {.grid = {50}});
  queue->synchronize();
  std::rewind(file);
  std::vector<int> seen(50);
  unsigned block = 0;
  double value = 0;
  while (std::fscanf(file, "block %u of %lf!\n", &block, &value) == 2) {
    ASSERT_LT(block, 50u);
    ++seen[block];
    EXPECT_EQ(value, 0.5);
  }
  EXPECT_EQ(seen, std::vector<int>(50, 1));
  std::fclose(file);
}

TEST(RuntimeCalls, Heap) {
  NativeDevice native(kernels());
  const auto queue = native.device.queue({});
  Word good{0};
  native.launch(*queue, "allocate", {.grid = {100}}, &good);
  queue->synchronize();
  EXPECT_EQ(good.load(), 200u);
}

class Check : public testing::Test {
 protected:
  std::string message(std::uint64_t address, std::uint64_t stride, ptx::Space space, bool is_write,
                      std::uint64_t window = 0) {
    const std::uint64_t request[] = {stride, static_cast<std::uint64_t>(space), is_write, window};
    native.launch(*queue, "check", {.grid = {1}, .block = {32}}, reinterpret_cast<void*>(address),
                  const_cast<std::uint64_t*>(request));
    return error_of(ErrorCode::kernel_fault, [&] { queue->synchronize(); });
  }
  NativeDevice native{kernels()};
  std::unique_ptr<Queue> queue = native.device.queue({});
};

TEST_F(Check, Global) {
  const auto memory = native.device.allocate(128);
  const std::uint64_t a = memory->span().address;
  EXPECT_EQ(message(a, 4, ptx::Space::global, true), "no error");
  EXPECT_EQ(message(a - 4, 4, ptx::Space::global, false), "no error");  // lane 0 does not take part
  EXPECT_THAT(message(a + 4, 4, ptx::Space::global, true),
              AllOf(HasSubstr("thread (31, 0, 0)"), HasSubstr("write of 4 bytes"), HasSubstr("right behind the end"),
                    HasSubstr("128 bytes")));
  EXPECT_THAT(message(a, 8, ptx::Space::global, false),
              AllOf(HasSubstr("thread (16, 0, 0)"), HasSubstr("read of 4 bytes")));
}

TEST_F(Check, Alignment) {
  const auto memory = native.device.allocate(256);
  const std::uint64_t a = memory->span().address;
  EXPECT_THAT(message(a + 2, 4, ptx::Space::global, true),
              AllOf(HasSubstr("thread (1, 0, 0)"), HasSubstr("misaligned write of 4 bytes: address"),
                    HasSubstr("no multiple of 4")));
  EXPECT_THAT(message(1, 4, ptx::Space::local, false, 200),
              HasSubstr("misaligned read of 4 bytes: offset in local memory 0x5"));
}

TEST_F(Check, Windows) {
  EXPECT_EQ(message(0, 4, ptx::Space::local, true, 128), "no error");
  EXPECT_THAT(message(0, 4, ptx::Space::local, true, 124),
              AllOf(HasSubstr("thread (31, 0, 0)"), HasSubstr("offset 124 of local")));
  // The launch knows how much shared memory there is: 16 bytes.
  EXPECT_EQ(message(0, 0, ptx::Space::shared, true, 0), "no error");
  EXPECT_THAT(message(0, 4, ptx::Space::shared, true, 0),
              AllOf(HasSubstr("thread (4, 0, 0)"), HasSubstr("offset 16 of shared")));
  EXPECT_THAT(message(-200ull, 4, ptx::Space::local, false, 4096), HasSubstr("offset -196 of local memory"));
}

TEST_F(Check, OwnMemoryThroughGenericAddresses) {
  Word good{0};
  native.launch(*queue, "check_own", {.grid = {2}, .block = {64}}, &good);
  queue->synchronize();
  EXPECT_EQ(good.load(), 4u);
}

TEST(RuntimeCalls, Clocks) {
  NativeDevice native(kernels());
  const auto queue = native.device.queue({});
  Word good{0};
  native.launch(*queue, "clocks", {.grid = {4}}, &good);
  queue->synchronize();
  EXPECT_EQ(good.load(), 4u);
}

TEST(RuntimeCalls, PoisonedSharedMemory) {
  CpuOptions options;
  options.poison_shared = true;
  NativeDevice native(kernels(), options);
  const auto queue = native.device.queue({});
  for (const char* kernel : {"read_shared", "read_shared_direct"}) {
    Word stale{0};
    native.launch(*queue, kernel, {.grid = {200}}, &stale);
    queue->synchronize();
    EXPECT_EQ(stale.load(), 0u) << kernel;
  }
}

}  // namespace
}  // namespace heddle::device::cpu::test
