// Atomic operations, and that no interleaving of threads changes a cycle.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "driver.hpp"

namespace heddle::device::sim {
namespace {

WarpAccess atomic_at(std::uint64_t address, std::uint64_t stride) {
  return strided(MemoryOperation::atomic, address, stride);
}

TEST(Atomic, OperationsAtOneAddressFollowOneAnother) {
  for (const unsigned interval : {1u, 4u, 9u}) {
    MachineDescription m = preset("fermi-c2050");
    m.l2.atomic_interval = interval;
    m.l2.atomics_per_cycle = 64;
    Driver driver(m);
    driver.latency(atomic_at(0, 4));  // the line is in the L2 from here on
    const Cycle together = driver.latency(atomic_at(0, 0));
    const Cycle apart = driver.latency(atomic_at(0, 4));
    EXPECT_EQ(together - apart, 31 * interval) << interval;
    EXPECT_EQ(driver.memory.counters().l2.atomics, 3u * 32);
  }
}

// Without an interval those of a warp at one address are one, and those at others take their turns.
TEST(Atomic, OperationsOfAWarpAtOneAddressMayBeCombined) {
  MachineDescription m = preset("fermi-c2050");
  m.l2.atomic_interval = 0;
  m.l2.atomics_per_cycle = 0.5;
  Driver driver(m);
  driver.latency(atomic_at(0, 4));
  const Cycle together = driver.latency(atomic_at(0, 0));
  const Cycle apart = driver.latency(atomic_at(0, 4));
  EXPECT_EQ(apart - together, 31 * 2);
}

// All SMs at one address: the whole takes the sum of all operations.
TEST(Atomic, OperationsOfAllSmsAtOneAddressTakeTheirSum) {
  const MachineDescription m = preset("fermi-c2050");
  Driver driver(m);
  std::vector<unsigned> issued(m.sms, 0);
  const unsigned accesses = 20;
  driver.run(
      [&](unsigned sm, Cycle now) {
        if (issued[sm] < accesses && driver.memory.sm(sm).access(now, atomic_at(0, 0), issued[sm]).accepted())
          ++issued[sm];
      },
      [&] { return issued == std::vector<unsigned>(m.sms, accesses) && driver.memory.idle(); });
  Cycle last = 0;
  for (const auto& [tag, cycle] : driver.done) last = std::max(last, cycle);
  const double sum = 32.0 * m.l2.atomic_interval * accesses * m.sms;
  EXPECT_GE(last, sum);
  EXPECT_LE(last, sum + 1000);
}

TEST(Atomic, DropsTheCopyInTheL1) {
  const MachineDescription m = preset("fermi-c2050");
  Driver driver(m);
  driver.latency(load(0));
  driver.latency(atomic_at(0, 4));
  driver.latency(load(0));
  EXPECT_EQ(driver.memory.counters().sm.l1.hits, 0u);
  EXPECT_EQ(driver.memory.counters().l2.cache.hits, 2u);
}

// A mix of everything, made anew for each SM from its number.
struct Mix {
  explicit Mix(unsigned sm) : random(sm + 1) {}
  WarpAccess next() {
    const std::uint64_t address = random() % 4096 * 128;
    const std::uint64_t stride = std::uint64_t{1} << (2 + random() % 7);
    switch (random() % 8) {
      case 0: return strided(MemoryOperation::store, address, stride);
      case 1: return strided(MemoryOperation::atomic, address, stride % 64);
      case 2: return strided(MemoryOperation::reduction, address, 0);
      case 3: return strided(MemoryOperation::load, address, stride, 4, MemorySpace::shared);
      case 4: return strided(MemoryOperation::load, address, stride, 4, MemorySpace::constant);
      default: return strided(MemoryOperation::load, address, stride);
    }
  }
  std::mt19937_64 random;
  unsigned issued = 0;
  bool waiting = false;
  WarpAccess access;
};

struct Outcome {
  std::map<std::pair<unsigned, AccessTag>, Cycle> done;
  MemoryCounters counters;
};

// `order` of the SMs and partitions, each with `threads` at a time.
Outcome run_mix(const MachineDescription& machine, unsigned threads, bool backwards) {
  Driver driver(machine);
  std::vector<Mix> mixes;
  for (unsigned sm = 0; sm < machine.sms; ++sm) mixes.emplace_back(sm);
  std::vector<std::map<std::pair<unsigned, AccessTag>, Cycle>> done(machine.sms);
  const auto in_parallel = [&](unsigned count, const std::function<void(unsigned)>& work) {
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([=] {
        for (unsigned i = t; i < count; i += threads) work(backwards ? count - 1 - i : i);
      });
    }
    for (std::thread& worker : workers) worker.join();
  };
  Cycle begin = 0;
  const Cycle epoch = driver.memory.longest_epoch();
  for (bool all = false; !all || !driver.memory.idle();) {
    in_parallel(machine.sms, [&](unsigned sm) {
      SmMemory& memory = driver.memory.sm(sm);
      Mix& mix = mixes[sm];
      for (Cycle now = begin; now < begin + epoch; ++now) {
        if (memory.next_event() <= now) memory.advance(now);
        for (const Completion& of : memory.completions()) done[sm][{sm, of.tag}] = of.ready;
        memory.clear_completions();
        if (mix.issued == 300) continue;
        if (!mix.waiting) mix.access = mix.next();
        const Admission answer = memory.access(now, mix.access, mix.issued);
        mix.waiting = !answer.accepted();
        if (answer.accepted() && answer.ready != never) done[sm][{sm, mix.issued}] = answer.ready;
        if (answer.accepted()) ++mix.issued;
      }
    });
    begin += epoch;
    driver.memory.collect(begin);
    in_parallel(driver.memory.partitions(), [&](unsigned p) { driver.memory.advance_partition(p); });
    driver.memory.deliver();
    all = std::all_of(mixes.begin(), mixes.end(), [](const Mix& mix) { return mix.issued == 300; });
  }
  Outcome outcome{{}, driver.memory.counters()};
  for (auto& of : done) outcome.done.merge(of);
  return outcome;
}

class Determinism : public testing::TestWithParam<std::string> {};

TEST_P(Determinism, NoOrderOfSmsAndThreadsChangesACycle) {
  MachineDescription machine = preset(GetParam());
  machine.sms = std::min(machine.sms, 16u);
  const Outcome expected = run_mix(machine, 1, false);
  EXPECT_EQ(expected.done.size(), machine.sms * 300u);
  for (const unsigned threads : {1u, 2u, 5u}) {
    const Outcome outcome = run_mix(machine, threads, true);
    EXPECT_EQ(outcome.done, expected.done) << threads;
    EXPECT_EQ(outcome.counters, expected.counters) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Determinism, testing::ValuesIn(preset_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(AddressMap, EveryAddressHasItsOwnPlace) {
  for (const char* name : {"tesla-g80", "kepler-gtx680", "hopper-h100"}) {
    const MachineDescription m = preset(name);
    const AddressMap map(m);
    std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> places;
    std::vector<unsigned> of_slice(m.l2.slices);
    for (std::uint64_t address = 0; address < (1u << 21); address += 128) {
      const AddressMap::Place place = map.place(address);
      ASSERT_LT(place.slice, m.l2.slices);
      EXPECT_TRUE(places.emplace(std::pair(place.slice, place.address), address).second) << name << " " << address;
      ++of_slice[place.slice];
    }
    const auto [least, most] = std::minmax_element(of_slice.begin(), of_slice.end());
    EXPECT_LE(*most - *least, 8u) << name;
  }
}

}  // namespace
}  // namespace heddle::device::sim
