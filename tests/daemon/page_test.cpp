#include "daemon/page.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <thread>

#include "tenancy/random.hpp"

namespace heddle::daemon {
namespace {

TEST(Ring, KeepsOrderAcrossItsEnd) {
  const auto memory = std::make_unique<RingMemory>();
  RingReader reader(*memory);
  RingWriter writer(*memory);
  std::uint64_t written = 0, read = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < round % 7; ++i) ASSERT_TRUE(writer.push({++written}));
    for (int i = 0; i < round % 5; ++i)
      if (const auto message = reader.pop()) {
        EXPECT_EQ((*message)[0], ++read);
      }
    while (written - read > 200) EXPECT_EQ((*reader.pop())[0], ++read);
  }
}

TEST(Ring, IsFullAfterItsCapacity) {
  const auto memory = std::make_unique<RingMemory>();
  RingReader reader(*memory);
  RingWriter writer(*memory);
  for (std::uint64_t i = 0; i < ring_capacity; ++i) EXPECT_TRUE(writer.push({i}));
  EXPECT_FALSE(writer.push({9}));
  EXPECT_TRUE(reader.pop());
  EXPECT_TRUE(writer.push({9}));
}

// A writer that lies about how much it has written, and a reader that lies about how much it has read.
TEST(Ring, LiesHarmNobody) {
  const auto memory = std::make_unique<RingMemory>();
  RingReader reader(*memory);
  RingWriter writer(*memory);
  memory->written.store(ring_capacity + 1);
  EXPECT_FALSE(reader.pop());
  EXPECT_TRUE(reader.broken());
  memory->written.store(1);
  EXPECT_FALSE(reader.pop()) << "once broken, broken";
  memory->read.store(~std::uint64_t{0} / 2);
  EXPECT_FALSE(writer.push({1}));
}

TEST(Page, GrantsAreReadAsTheyWereWritten) {
  const auto page = std::make_unique<Page>();
  EXPECT_FALSE(read_grant(*page)) << "there is none";
  Grant grant;
  for (const std::size_t unit : {0, 63, 64, 200, 511}) grant.units.set(unit);
  grant.throttle_ns = 50'000;
  write_grant(*page, grant);
  EXPECT_EQ(read_grant(*page), grant);
  page->sequence.fetch_add(1);
  EXPECT_FALSE(read_grant(*page)) << "the daemon ended while it wrote";
  write_grant(*page, grant);
  EXPECT_EQ(read_grant(*page), grant) << "the next daemon goes on";
}

// No grant is ever seen that is a mixture of two.
TEST(Page, GrantsAreNeverMixed) {
  const auto page = std::make_unique<Page>();
  std::atomic<bool> over = false;
  std::thread daemon([&] {
    for (std::uint64_t i = 1; i <= 200'000; ++i) {
      Grant grant{i % 2 == 0 ? Units().set() : Units(), i % 2 == 0 ? 1u : 2u};
      write_grant(*page, grant);
    }
    over = true;
  });
  std::uint64_t seen = 0;
  while (!over) {
    const auto grant = read_grant(*page);
    if (!grant) continue;
    ++seen;
    ASSERT_EQ(grant->units.all(), grant->throttle_ns == 1);
    ASSERT_TRUE(grant->units.all() || grant->units.none());
  }
  daemon.join();
  EXPECT_EQ(read_grant(*page)->throttle_ns, 1u);
}

TEST(Page, MessagesThatCannotBeAreRefused) {
  const auto ended = decode(encode({.ranges = 7, .seconds = 0.25}));
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ranges, 7u);
  EXPECT_DOUBLE_EQ(ended->seconds, 0.25);
  for (const Message& message : {Message{0, 1, 1, 0}, Message{2, 1, 1, 0}, Message{1, ~std::uint64_t{0}, 1, 0},
                                 Message{1, 1, ~std::uint64_t{0}, 0}, Message{1, 1, 1, 1}})
    EXPECT_FALSE(decode(message));
}

// Two processes: one that writes garbage all over the page, as fast as it can, and the one that reads it.
TEST(Page, AHostileProcessHarmsNobody) {
  void* const memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& page = *static_cast<Page*>(memory);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive a test that ends early
    tenancy::Random random(7);
    auto* const words = static_cast<std::atomic<std::uint64_t>*>(memory);
    for (;;) {
      const std::uint64_t at = random.next() % (sizeof(Page) / 8);
      words[at].store(random.next() % 4 == 0 ? random.next() % 600 : random.next(), std::memory_order_relaxed);
    }
  }
  while (page.beat_ns.load(std::memory_order_relaxed) == 0) std::this_thread::yield();  // it has begun
  std::uint64_t popped = 0, valid = 0, pages = 0;
  for (int round = 0; round < 5'000; ++round, ++pages) {
    RingReader reader(page.events);
    std::uint64_t of_this = 0;
    for (; of_this <= 2 * ring_capacity; ++of_this) {
      const auto message = reader.pop();
      if (!message) break;
      if (const auto ended = decode(*message)) {
        ++valid;
        ASSERT_LE(ended->seconds, 86'400);
      }
    }
    popped += of_this;
    if (const auto grant = read_grant(page)) {
      ASSERT_LE(grant->units.count(), most_units);
    }
  }
  EXPECT_EQ(pages, 5'000u);
  ::kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ::munmap(memory, sizeof(Page));
}

}  // namespace
}  // namespace heddle::daemon
