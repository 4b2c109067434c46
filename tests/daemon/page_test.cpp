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

#include "daemon/messages.hpp"
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
      Grant grant{.units = i % 2 == 0 ? Units().set() : Units(), .throttle_ns = i % 2 == 0 ? 1u : 2u};
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

TEST(Messages, ThoseThatCannotBeAreRefused) {
  const auto ended = decode(encode(Ended{.ranges = 7, .seconds = 0.25}));
  ASSERT_TRUE(ended && std::holds_alternative<Ended>(*ended));
  EXPECT_EQ(std::get<Ended>(*ended).ranges, 7u);
  EXPECT_DOUBLE_EQ(std::get<Ended>(*ended).seconds, 0.25);
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  for (const Message& message :
       {Message{0, 1, 1}, Message{4, 1, 1}, Message{1, huge, 1}, Message{1, 1, huge}, Message{1, 1, 1, 1},
        Message{2, 0, huge}, Message{2, 0, 0, 5, 4}, Message{2, 0, 0, 0, 1, 1, std::uint64_t{9} << 32},
        Message{2, 0, 0, 0, 1, 1, huge}, Message{2, 0, 0, 0, 1, 1, 0, huge}, Message{3, 256, 0x61}, Message{3, 0}})
    EXPECT_FALSE(decode(message)) << message[0];
}

TEST(Messages, DecisionsAndNamesArriveAsTheyWereSent) {
  const Decided sent{.now_ns = 5'000,
                     .waited_ns = 70,
                     .begin = 3,
                     .end = 9,
                     .of_blocks = 12,
                     .units = 48,
                     .of_units = 66,
                     .name = 255,
                     .why = sched::Submitted::Why::part,
                     .predicted_ns = 0};
  const auto event = decode(encode(sent));
  ASSERT_TRUE(event && std::holds_alternative<Decided>(*event));
  const auto& got = std::get<Decided>(*event);
  EXPECT_EQ(std::tuple(got.now_ns, got.waited_ns, got.begin, got.end, got.of_blocks), std::tuple(5'000, 70, 3, 9, 12));
  EXPECT_EQ(std::tuple(got.units, got.of_units, got.name, got.why), std::tuple(48, 66, 255, sent.why));
  EXPECT_EQ(got.predicted_ns, 0u);
  EXPECT_FALSE(std::get<Decided>(*decode(encode(Decided{.of_blocks = 1}))).predicted_ns);
  const auto name = decode(encode_name(7, "saxpy\n" + std::string(100, 'x')));
  ASSERT_TRUE(name && std::holds_alternative<Name>(*name));
  EXPECT_EQ(std::get<Name>(*name).number, 7u);
  EXPECT_EQ(std::get<Name>(*name).text.substr(0, 9), "saxpy\\nxx") << "no line ends";
}

TEST(Latencies, QuantilesAreWithinABucket) {
  LatencyCounts counts{};
  EXPECT_FALSE(latency_quantile(counts, 0.5));
  for (std::uint64_t us = 1; us <= 1000; ++us) ++counts[latency_bucket(us * 1000)];
  EXPECT_NEAR(*latency_quantile(counts, 0.5), 500e3, 100e3);
  EXPECT_NEAR(*latency_quantile(counts, 0.99), 990e3, 200e3);
  for (std::uint64_t ns = 1; ns < std::uint64_t{1} << 41; ns = ns * 5 / 4 + 1) {
    const std::size_t bucket = latency_bucket(ns);
    EXPECT_GE(latency_of_bucket(bucket) * 1.001, static_cast<double>(ns / 1000 * 1000)) << ns;
    EXPECT_TRUE(bucket == 0 || latency_of_bucket(bucket - 1) <= static_cast<double>(ns) * 1.001) << ns;
  }
  counts[5] = ~std::uint64_t{0};
  EXPECT_LT(*latency_quantile(counts, 0.99), 2e6) << "a count that cannot be does not count";
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
      const auto event = decode(*message);
      if (!event) continue;
      ++valid;
      if (const auto* const ended = std::get_if<Ended>(&*event)) {
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
