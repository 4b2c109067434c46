#include "device/sim/machine_file/check.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace heddle::device::sim {
namespace {

using Found = std::optional<Contradiction>;

template <typename... Args>
Found found(std::string path, fmt::format_string<Args...> format, Args&&... args) {
  return Contradiction{std::move(path), fmt::format(format, std::forward<Args>(args)...)};
}

Found power_of_two(std::uint64_t value, const char* path) {
  return std::has_single_bit(value) ? Found() : found(path, "must be a power of two, not {}", value);
}

Found line_and_sector(unsigned line, unsigned sector, const std::string& cache) {
  for (const auto& [bytes, key] : {std::pair(line, ".line"), std::pair(sector, ".sector")}) {
    if (bytes != 32 && bytes != 64 && bytes != 128) return found(cache + key, "must be 32, 64 or 128, not {}", bytes);
  }
  return sector <= line ? Found() : found(cache + ".sector", "must not be larger than the line of {} bytes", line);
}

// `bytes` of one cache or slice.
Found whole_sets(std::uint64_t bytes, unsigned ways, unsigned line, const std::string& cache) {
  const std::uint64_t set = std::uint64_t{ways} * line;
  return bytes % set == 0 ? Found()
                          : found(cache + ".bytes", "must be a multiple of {} bytes, which are {} lines of {} bytes",
                                  set, ways, line);
}

Found in_residency(const Residency& r, unsigned warp) {
  if (r.threads < r.block_threads) {
    return found("residency.block-threads", "must not be larger than residency.threads, {}", r.threads);
  }
  if (r.warps * warp < r.block_threads) {
    return found("residency.warps", "must hold a block of {} threads: at least {}", r.block_threads,
                 (r.block_threads + warp - 1) / warp);
  }
  if (r.block_shared_bytes > r.shared_bytes) {
    return found("residency.block-shared-bytes", "must not be larger than residency.shared-bytes, {}", r.shared_bytes);
  }
  return {};
}

Found in_pipes(const Pipes& pipes) {
  if (pipes.fma.count == 0) return found("pipes.fma.count", "must be at least 1: others may use this pipe");
  if (pipes.lsu.count == 0) return found("pipes.lsu.count", "must be at least 1");
  if (pipes.sfu.count == 0 && pipes.sfu_multiply_interval != 0) {
    return found("pipes.sfu-multiply-interval", "must be 0 where pipes.sfu.count is 0");
  }
  return {};
}

Found in_sm_memory(const MachineDescription& m) {
  if (auto bad = power_of_two(m.shared.banks, "shared.banks")) return bad;
  if (auto bad = power_of_two(m.shared.bank_bytes, "shared.bank-bytes")) return bad;
  if (auto bad = power_of_two(m.shared.lanes, "shared.lanes")) return bad;
  if (m.shared.broadcast == Broadcast::one_word && m.shared.bank_bytes != 4) {
    return found("shared.bank-bytes", "must be 4 where shared.broadcast is \"one-word\"");
  }
  if (auto bad = line_and_sector(m.l1.line, m.l1.sector, "l1")) return bad;
  if (auto bad = whole_sets(m.l1.bytes, m.l1.ways, m.l1.line, "l1")) return bad;
  if (auto bad = power_of_two(m.l1.banks, "l1.banks")) return bad;
  if (auto bad = line_and_sector(m.constant.line, m.constant.line, "constant")) return bad;
  return whole_sets(m.constant.bytes, m.constant.ways, m.constant.line, "constant");
}

Found in_l2(const L2Cache& l2, const Dram& dram) {
  if (auto bad = line_and_sector(l2.line, l2.sector, "l2")) return bad;
  if (l2.slices % dram.channels != 0) {
    return found("l2.slices", "must be a multiple of dram.channels, {}", dram.channels);
  }
  if (l2.bytes % l2.slices != 0) return found("l2.bytes", "must be a multiple of l2.slices, {}", l2.slices);
  return whole_sets(l2.bytes / l2.slices, l2.ways, l2.line, "l2");
}

Found in_dram(const MachineDescription& m) {
  const Dram& dram = m.dram;
  if (auto bad = power_of_two(dram.interleave, "dram.interleave")) return bad;
  // A transaction has a slice: it may not cross from one to the next.
  if (dram.interleave < m.l2.line || dram.interleave < m.l1.line || dram.interleave < 128) {
    return found("dram.interleave", "must be at least 128 and a line of the caches");
  }
  if (auto bad = power_of_two(dram.burst, "dram.burst")) return bad;
  if (auto bad = power_of_two(dram.banks, "dram.banks")) return bad;
  if (auto bad = power_of_two(dram.row_bytes, "dram.row-bytes")) return bad;
  if (dram.t_rc < dram.t_ras) return found("dram.t-rc", "must not be less than dram.t-ras, {}", dram.t_ras);
  if (dram.t_refi != 0 && dram.t_refi <= 2 * dram.t_rfc) {
    return found("dram.t-refi", "must be more than twice dram.t-rfc, {}, or 0", dram.t_rfc);
  }
  if (dram.write_low >= dram.write_high) {
    return found("dram.write-low", "must be less than dram.write-high, {}", dram.write_high);
  }
  if (dram.write_high > dram.queue) return found("dram.write-high", "must not be more than dram.queue, {}", dram.queue);
  return {};
}

// Else an access takes so many cycles that no kernel would come to its end.
Found in_clocks(const Clocks& clocks) {
  constexpr double most = 100;
  if (clocks.dram_mhz * most >= clocks.sm_mhz) return {};
  return found("clocks.dram-mhz", "must be at least {} MHz, a hundredth of clocks.sm-mhz", clocks.sm_mhz / most);
}

}  // namespace

std::optional<Contradiction> find_contradiction(const MachineDescription& machine) {
  if (auto bad = in_clocks(machine.clocks)) return bad;
  if (auto bad = in_residency(machine.residency, machine.warp_size)) return bad;
  if (auto bad = in_pipes(machine.pipes)) return bad;
  if (auto bad = in_sm_memory(machine)) return bad;
  if (auto bad = in_l2(machine.l2, machine.dram)) return bad;
  return in_dram(machine);
}

}  // namespace heddle::device::sim
