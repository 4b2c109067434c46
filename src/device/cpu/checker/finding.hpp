// What the checks of races, of uninitialised memory and of synchronisation have found in a launch. Filled while the
// kernel runs; finding_text.hpp makes sentences of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace heddle::device::cpu {

struct Finding {
  enum class Kind : std::uint8_t {
    race,
    uninitialised,
    absent_lanes,       // of a warp operation whose member mask names them
    divergent_lanes,    // lanes of a warp came to different operations that they execute together
    divergent_barrier,  // threads came to different barriers
    exited_barrier,     // threads had left the kernel
    divergent_numbers,  // lanes of a warp gave one aligned barrier different numbers
    partial_barrier,    // some lanes of a warp did not come to an aligned barrier with a number of threads
  };
  enum class Hazard : std::uint8_t { read_after_write, write_after_read, write_after_write };

  struct Place {
    std::uint64_t block = 0;   // linear, in the grid
    std::uint32_t thread = 0;  // linear, in the block
    std::uint32_t line = 0;    // number of the instruction
  };

  Kind kind = Kind::race;
  Hazard hazard = Hazard::read_after_write;  // of a race
  bool shared = false;                       // the address is an offset in shared memory
  bool atomic = false, before_atomic = false;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint32_t members = 0, absent = 0;      // lanes; of exited_barrier `absent` is the number of threads
  std::uint32_t named = 0, before_named = 0;  // of divergent_numbers: as OrderKind::aligned_barrier has them
  Place place, before;                        // `before`: the earlier access, or the thread that waits elsewhere
};

// Each pair of places is reported once, with how often it was found. Any thread.
class Findings {
 public:
  struct Counted {
    Finding finding;  // the first
    std::uint64_t count = 1;
  };

  // Without memory, what was found is no longer complete.
  void add(const Finding& finding) noexcept;
  void lose() { incomplete_.store(true, std::memory_order_relaxed); }
  bool incomplete() const { return incomplete_.load(std::memory_order_relaxed); }
  bool empty() const;
  std::vector<Counted> all() const;

 private:
  std::atomic<bool> incomplete_{false};
  mutable std::mutex mutex_;
  std::vector<Counted> found_;
  std::unordered_map<std::uint64_t, std::size_t> known_;  // by kind and places: index in found_
};

}  // namespace heddle::device::cpu
