#include "device/cpu/topology.hpp"

#include <cpuid.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <type_traits>

namespace heddle::device::cpu {
namespace {

std::string brand_string() {
  std::array<unsigned, 4> r{};
  if (!__get_cpuid(0x80000000u, &r[0], &r[1], &r[2], &r[3]) || r[0] < 0x80000004u) return "unknown CPU";
  std::string brand;
  for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
    __get_cpuid(leaf, &r[0], &r[1], &r[2], &r[3]);
    brand.append(reinterpret_cast<const char*>(r.data()), sizeof r);
  }
  brand = brand.c_str();  // up to the first zero
  const auto first = brand.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown CPU";
  return brand.substr(first, brand.find_last_not_of(' ') - first + 1);
}

// What the compiler's run-time checks say the CPU and the operating system offer together.
unsigned widest_vectors() {
  if (__builtin_cpu_supports("avx512f")) return 512;
  if (__builtin_cpu_supports("avx")) return 256;
  return 128;
}

// Cores' worth of processor time granted by the control group (version 2), or a large number.
double granted_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 1e9;
  return std::strtod(quota.c_str(), nullptr) / period;
}

std::uint64_t machine_memory() {
  struct sysinfo info{};
  std::uint64_t bytes = ::sysinfo(&info) == 0 ? std::uint64_t{info.totalram} * info.mem_unit : std::uint64_t{1} << 32;
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::uint64_t limit = 0;
  if (file >> limit && limit > 0) bytes = std::min(bytes, limit);
  return bytes;
}

}  // namespace

std::uint64_t last_level_cache_bytes() {
  // Virtual machines report the sum over all of a socket's caches, so what is said is not believed beyond a usual size.
  constexpr std::uint64_t usual = 32 << 20;
  const long third = ::sysconf(_SC_LEVEL3_CACHE_SIZE), second = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  const auto said = static_cast<std::uint64_t>(std::max({third, second, 0L}));
  return said == 0 ? usual : std::min(said, usual);
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  struct sysinfo info{};
  return ::sysinfo(&info) == 0 ? std::uint64_t{info.freeram} * info.mem_unit : 0;
}

namespace {

// Of hwloc, with the cores that the process may use; null where hwloc knows nothing.
using HwlocTopology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

HwlocTopology load_cores() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return {nullptr, &hwloc_topology_destroy};
  HwlocTopology topology(made, &hwloc_topology_destroy);
  hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  // Only cores matter here; skipping the rest makes loading quick.
  hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(made, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(made) != 0) topology.reset();
  return topology;
}

}  // namespace

Topology::Topology() {
  cpu_name_ = brand_string();
  vector_bits_ = widest_vectors();
  memory_bytes_ = machine_memory();
  if (const HwlocTopology topology = load_cores()) {
    const int count = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE);
    cores_ = count > 0 ? static_cast<unsigned>(count) : 1;
    for (unsigned i = 0; count > 0 && i < cores_; ++i) {
      const hwloc_obj_t core = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_CORE, i);
      unsigned processor = 0;
      hwloc_bitmap_foreach_begin(processor, core->cpuset) {
        if (core_of_.size() <= processor) core_of_.resize(processor + 1, -1);
        core_of_[processor] = static_cast<int>(i);
      }
      hwloc_bitmap_foreach_end();
    }
  }
  usable_cores_ = std::clamp(static_cast<unsigned>(std::ceil(std::min(granted_cores(), 1e6))), 1u, cores_);
}

// Without hwloc, which ends the process here where there is no memory.
bool Topology::bind_thread(unsigned index) const {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  const auto core = static_cast<int>(index % cores_);
  for (std::size_t processor = 0; processor < std::min<std::size_t>(core_of_.size(), CPU_SETSIZE); ++processor)
    if (core_of_[processor] == core) CPU_SET(processor, &processors);
  return CPU_COUNT(&processors) > 0 && ::sched_setaffinity(0, sizeof processors, &processors) == 0;
}

int Topology::core_of_processor(int processor) const {
  if (processor < 0 || static_cast<std::size_t>(processor) >= core_of_.size()) return -1;
  return core_of_[static_cast<std::size_t>(processor)];
}

}  // namespace heddle::device::cpu
