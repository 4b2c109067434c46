// Memory that runs out anywhere in what a device does ends that with an exception. Nobody waits for ever, and the
// process goes on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "device/cpu/native.hpp"
#include "support/scarce_memory.hpp"

namespace heddle::device::cpu::test {
namespace {

using Scarce = tests::ScarceMemory;

// Whether f() finds no memory.
template <class F>
bool finds_none(long allocations, F&& f) {
  const Scarce scarce(allocations);
  try {
    f();
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return true;
  }
  return false;
}

class MemoryRunsOut : public testing::Test {
 protected:
  void SetUp() override {
    if (!tests::has_scarce_memory) GTEST_SKIP() << "sanitizers have their own malloc";
  }
};

TEST_F(MemoryRunsOut, AllocationsAreReleasedAllTheSame) {
  for (const bool keep_freed : {false, true}) {
    Allocator allocator(1 << 30, 1 << 30, keep_freed);
    std::vector<std::uint64_t> all;
    for (unsigned i = 0; i < 2000; ++i)
      all.push_back(allocator.allocate(i % 100 == 0 ? 300'000 : 100 + i, AllocationKind::buffer));
    {
      const Scarce scarce(0);
      for (std::size_t i = 0; i < all.size(); i += 2) EXPECT_TRUE(allocator.release(all[i], AllocationKind::buffer));
      for (std::size_t i = 1; i < all.size(); i += 2) EXPECT_TRUE(allocator.release(all[i], AllocationKind::buffer));
    }
    EXPECT_EQ(allocator.used(), 0u);
    EXPECT_EQ(allocator.whereabouts(all[5]).find("which was freed") != std::string::npos, keep_freed);
    // The ranges have come together again.
    const std::uint64_t large = allocator.allocate(200'000, AllocationKind::buffer);
    EXPECT_EQ(large == all[1], !keep_freed);
  }
}

TEST_F(MemoryRunsOut, AllocationsThatFailLeaveNothing) {
  Checks checks;
  checks.race = checks.init = true;
  for (const std::size_t bytes : {1000, 1'000'000}) {
    Allocator allocator(1 << 30, 1 << 30, true, checks);
    const auto allocate = [&] { allocator.allocate(bytes, AllocationKind::buffer, "a name that needs memory itself"); };
    long allocations = 0;
    while (finds_none(allocations, allocate)) {
      ASSERT_EQ(allocator.used(), 0u) << allocations;
      ++allocations;
    }
    EXPECT_GE(allocations, 3);
    EXPECT_EQ(allocator.used(), bytes);
    EXPECT_TRUE(finds_none(0, allocate));
  }
}

void work(WarpContext* warp) {
  const RuntimeTable& runtime = *warp->block->launch->runtime;
  sync(warp);
  const std::uint64_t own = runtime.malloc(warp, 100);
  runtime.check_run(warp, argument<std::uint64_t>(warp, 0)[0], nullptr, ~0u, 4,
                    static_cast<std::uint32_t>(ptx::Space::global), CheckedAccess::reads, 4,
                    packed_site(KnownRanges::no_site, 0));
  runtime.free(warp, own);
  sync(warp);
}
void plain(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t block = begin; block < end; ++block)
    for_each_thread(launch, warp, block, [&](std::uint32_t) { argument<std::atomic<int>>(launch, 0)->fetch_add(1); });
}

// Launches, copies, fills and host functions in two queues that wait for each other.
void use(NativeDevice& native) {
  std::vector<std::uint32_t> host(100'000);
  std::atomic<int> count{0};
  const auto memory = native.device.allocate(400'000), other = native.device.allocate(1000);
  const std::uint64_t address = memory->span().address;
  const auto a = native.device.queue({}), b = native.device.queue({});
  const auto event = native.device.event();
  for (int i = 0; i < 3; ++i) {
    a->copy(memory->span(), Span::host(host.data(), 400'000));
    a->fill(other->span(), 1, 4);
    native.launch(*a, "work", {.grid = {8}, .block = {64}}, const_cast<std::uint64_t*>(&address));
    a->record(*event);
    b->wait(*event);
    native.launch(*b, "plain", {.grid = {8}, .block = {64}}, &count);
    b->call([&] { ++count; });
    b->copy(Span::host(host.data(), 1000), other->span());
  }
  b->synchronize();
  event->wait();
  a->synchronize();
}

enum class Outcome { done = 0, refused = 10 };

// Uses a device in a child process: one that ends with a signal, or never, does not end the test.
int outcome(long allocations) {
  constexpr unsigned patience_s = 20;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience_s);
    CpuOptions options;
    options.workers = 2;
    options.check.memory = options.check.race = options.check.init = options.check.sync = true;
    NativeDevice native({fiber("work", &work), direct("plain", &plain)}, options);
    const bool refused = finds_none(allocations, [&] { use(native); });
    use(native);  // with memory again, it works
    ::_exit(static_cast<int>(refused ? Outcome::refused : Outcome::done));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(MemoryRunsOut, AnywhereInTheUseOfADevice) {
  ASSERT_EQ(outcome(Scarce::all), 0);
  long refusals = 0;
  for (long allocations = 0;; allocations += 1 + allocations / 100) {
    const int code = outcome(allocations);
    if (code == 0) break;
    ++refusals;
    EXPECT_EQ(code, static_cast<int>(Outcome::refused)) << "after " << allocations << " allocations";
  }
  EXPECT_GT(refusals, 50);
}

}  // namespace
}  // namespace heddle::device::cpu::test
