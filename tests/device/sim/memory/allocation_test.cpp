// In a steady state the memory system allocates nothing, and it is small.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "driver.hpp"

namespace {
std::atomic<std::uint64_t> allocations = 0, allocated = 0;
}

// Not inlined: GCC would take the pairs of malloc() and delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  allocated += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace heddle::device::sim {
namespace {

// The same accesses in every round, with a burst of uncoalesced loads of all SMs.
void round(MemorySystem& memory, const MachineDescription& machine, Cycle& now) {
  const Cycle last = now + 20 * memory.longest_epoch();
  for (; now < last; now += memory.longest_epoch()) {
    for (unsigned sm = 0; sm < machine.sms; ++sm) {
      for (Cycle cycle = now; cycle < now + memory.longest_epoch(); ++cycle) {
        const std::uint64_t address = (cycle * machine.sms + sm) * 4096;
        const auto operation = cycle % 4 == 0 ? MemoryOperation::store : MemoryOperation::load;
        WarpAccess access;
        access.operation = operation;
        access.mask = ~0u;
        for (unsigned lane = 0; lane < 32; ++lane) access.address[lane] = address + lane * (cycle % 3 == 0 ? 128 : 4);
        memory.sm(sm).access(cycle, access, 0);
        memory.sm(sm).clear_completions();
      }
    }
    memory.exchange(now + memory.longest_epoch());
  }
}

TEST(Allocation, NoneInASteadyState) {
  for (const char* name : {"fermi-c2050", "kepler-gtx680"}) {
    const MachineDescription machine = preset(name);
    MemorySystem memory(machine);
    Cycle now = 0;
    for (unsigned i = 0; i < 12; ++i) round(memory, machine, now);
    const std::uint64_t before = allocations;
    round(memory, machine, now);
    // Of thousands of accesses: a queue that is longer than ever before may grow.
    EXPECT_LE(allocations - before, 4u) << name;
  }
}

// Of the 200 bytes of a resident thread that the simulator may take, memory takes less than half, but with DWF's L1.
TEST(Allocation, TakesFewBytesOfAThread) {
  for (const std::string& name : preset_names()) {
    const MachineDescription machine = preset(name);
    const std::uint64_t before = allocated;
    const MemorySystem memory(machine);
    const std::uint64_t threads = std::uint64_t{machine.sms} * machine.residency.threads;
    EXPECT_LE((allocated - before) / threads, name == "dwf-g80" ? 160u : 100u) << name;
  }
}

}  // namespace
}  // namespace heddle::device::sim
