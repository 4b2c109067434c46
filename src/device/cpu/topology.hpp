// The machine that workers run on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::device::cpu {

// Size of the cache of the last level that one core can count on; a guess where the system does not say.
std::uint64_t last_level_cache_bytes();

// Memory that is available now, without paging out other programs.
std::uint64_t available_memory();

// What the process may use of the host. Immutable after construction.
class Topology {
 public:
  Topology();

  // Cores the process may run on; fewer when a control group grants less processor time than they have.
  unsigned usable_cores() const { return usable_cores_; }
  const std::string& cpu_name() const { return cpu_name_; }
  unsigned vector_bits() const { return vector_bits_; }
  // Memory of the machine or, when smaller, of the control group.
  std::uint64_t memory_bytes() const { return memory_bytes_; }

  // Binds the calling thread to core `index` (modulo the cores there are). False when the system refuses.
  bool bind_thread(unsigned index) const;
  // The core index that a processor number of the operating system (sched_getcpu) belongs to, or -1.
  int core_of_processor(int processor) const;

 private:
  unsigned cores_ = 1;
  unsigned usable_cores_ = 1;
  std::string cpu_name_;
  unsigned vector_bits_ = 128;
  std::uint64_t memory_bytes_ = 0;
  std::vector<int> core_of_;
};

}  // namespace heddle::device::cpu
