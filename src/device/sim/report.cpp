#include <fmt/format.h>

#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/sim/sim.hpp"

namespace heddle::device::sim {
namespace {

std::string share(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{:.1f} %", all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

template <class Names, class Counts>
std::string shares(const Counts& counts, std::uint64_t all, Names&& names) {
  std::string text;
  for (unsigned i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", names(i), share(counts[i], all));
  return text;
}

std::string cache_text(const char* name, const CacheCounters& cache) {
  const std::uint64_t all = cache.hits + cache.misses + cache.pending_hits;
  return fmt::format("{:<11}{} look-ups: {} hits, {} hits of data under way, {} misses\n", name, all,
                     share(cache.hits, all), share(cache.pending_hits, all), share(cache.misses, all));
}

std::string memory_text(const MemoryCounters& memory) {
  if (memory.cycles == 0) return {};  // ideal
  const SmMemoryCounters& sm = memory.sm;
  std::string text = fmt::format("accesses   {} global, {} local, {} shared, {} constant; {:.2f} transactions each\n",
                                 sm.global_accesses, sm.local_accesses, sm.shared_accesses, sm.constant_accesses,
                                 sm.transactions_per_access());
  if (sm.shared_accesses != 0)
    text += fmt::format("banks      {} passes, {} without conflicts\n", sm.shared_passes, sm.shared_least_passes);
  text += cache_text("L1", sm.l1) + cache_text("L2", memory.l2.cache);
  const DramCounters& dram = memory.dram;
  return text + fmt::format("DRAM       {}; {:.1f} % of the bandwidth; {:.1f} % row hits\n",
                            base::format_bytes(dram.bytes), 100 * memory.dram_utilisation(), 100 * dram.row_hit_rate());
}

std::string operand_text(const OperandCounts& operands) {
  if (operands.reads == 0) return {};
  return fmt::format("operands   {} reads of banks, {} of the reuse cache; instructions waited {} cycles for them\n",
                     operands.reads, operands.reused, operands.late_cycles);
}

std::string policy_text(const PolicyCounts& counts) {
  std::string text;
  for (unsigned i = 0; i < policy_events; ++i)
    if (counts.counts[i] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts.counts[i], name(static_cast<PolicyEvent>(i)));
  return text.empty() ? text : "policies   " + text + "\n";
}

std::string cycles_text(const KernelStatistics& statistics) {
  const SampleFigures& sample = statistics.sample;
  if (sample.estimated())
    return fmt::format(
        "cycles     about {}, by estimate; 95 % interval {} to {}\n"
        "sampled    {} waves, {} of {} blocks, in {} cycles; what follows is of these blocks\n",
        sample.cycles, sample.low, sample.high, sample.waves, sample.blocks, sample.of_blocks, statistics.cycles());
  std::string text = fmt::format("cycles     {}\n", statistics.cycles());
  if (!sample.refusal.empty()) text += fmt::format("sampled    no: {}\n", sample.refusal);
  return text;
}

}  // namespace

std::string report_text(const std::string& kernel, const KernelStatistics& statistics) {
  const SmStatistics& sm = statistics.sm;
  std::string text = fmt::format("kernel     {}\n", base::demangled(kernel)) + cycles_text(statistics);
  text += fmt::format("issued     {} warp instructions, {} thread instructions; IPC {:.2f}\n", sm.warp_instructions,
                      sm.thread_instructions, statistics.ipc());
  text += fmt::format("occupancy  {:.1f} %; SIMD efficiency {:.1f} %\n", 100 * statistics.occupancy(),
                      100 * statistics.simd_efficiency());
  text += "slots      " + shares(sm.uses, sm.slots, [](unsigned i) { return name(static_cast<SlotUse>(i)); }) + "\n";
  text += "lanes      " + shares(sm.lanes, sm.slots, lane_bucket_name) + "\n";
  text += "pipes      ";
  for (unsigned i = 0; i < pipe_classes; ++i) {
    if (static_cast<PipeClass>(i) == PipeClass::tensor && sm.pipe_cycles[i] == 0) continue;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name(static_cast<PipeClass>(i)),
                        share(sm.pipe_cycles[i], sm.pipe_counts[i] * sm.cycles / std::max(statistics.sms, 1u)));
  }
  return text + "\n" + operand_text(sm.operands) + policy_text(sm.policy) + memory_text(statistics.memory);
}

}  // namespace heddle::device::sim
