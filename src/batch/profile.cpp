#include "batch/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "device/sim/stepped.hpp"
#include "ptx/analysis/memory_waits.hpp"

namespace heddle::batch {
namespace {

using device::sim::Cycle;
using device::sim::SteppedMachine;

constexpr unsigned warp = 32;
constexpr double worth_a_state = .1;  // accesses that make several requests: fewer are not told apart

// The launches of one kernel that follow each other. Slices that end at once are counted as one step of time: rates are
// taken between two of them.
struct Stream {
  Share share;
  std::uint64_t round = 0, next = 0;                // blocks; the first one that is not launched, of the grid
  std::map<std::uint64_t, std::uint64_t> launches;  // blocks of those under way, by number
  std::uint64_t ended = 0;                          // blocks of those that are done
  // When blocks were seen to end: after the first round, and last.
  Cycle first_at = 0, last_at = 0;
  std::uint64_t first = 0, last = 0;

  std::uint64_t in_flight() const {
    return std::accumulate(launches.begin(), launches.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& launch) { return sum + launch.second; });
  }
  void launch(SteppedMachine& machine) {
    const std::uint64_t all = share.kernel->blocks();
    const std::uint64_t blocks = std::min(share.plan.blocks, all);
    if (next + blocks > all) next = 0;
    const BlockRange range{next, next + blocks};
    launches[machine.launch(share.kernel->function(), share.kernel->config(), range, share.kernel->arguments())] =
        blocks;
    next += blocks;
  }
  // `warm`: of each kernel, all that began together have ended.
  void see(Cycle now, std::uint64_t count, bool warm) {
    if (count == last) return;
    last = count;
    last_at = now;
    if (first == 0 && warm) {
      first = count;
      first_at = now;
    }
  }
  bool enough(unsigned rounds) const { return first != 0 && last >= first + rounds * round; }
  double rate() const { return static_cast<double>(last - first) / static_cast<double>(last_at - first_at); }
};

// The stream that is to launch next; null: each has enough in flight.
Stream* emptiest(std::vector<Stream>& streams) {
  Stream* least = nullptr;
  const auto filled = [](const Stream& stream) { return stream.share.plan.filled(stream.in_flight()); };
  for (Stream& stream : streams)
    if (stream.share.plan.takes(stream.in_flight()) && (!least || filled(stream) < filled(*least))) least = &stream;
  return least;
}

unsigned warps_of(const Kernel& kernel) {
  return static_cast<unsigned>((kernel.config().block.count() + warp - 1) / warp);
}

model::BlockNeeds needs_of(SteppedMachine& machine, const Kernel& kernel) {
  return {static_cast<unsigned>(kernel.config().block.count()), machine.registers(kernel.function()),
          kernel.function().static_shared_bytes() + kernel.config().dynamic_shared_bytes};
}

// One launch alone, from its start to its end.
device::sim::KernelStatistics count_alone(SteppedMachine& machine, Kernel& kernel, std::uint64_t blocks) {
  machine.launch(kernel.function(), kernel.config(), {0, blocks}, kernel.arguments());
  while (!machine.idle()) machine.advance();
  return machine.take_ended().front().statistics;
}

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

// Of the look-ups of both caches, those that neither answers.
struct Misses {
  double l1 = 1, l2 = 1;
};
Misses misses_of(const device::sim::MemoryCounters& memory) {
  const auto rate = [](const device::sim::CacheCounters& cache) {
    const std::uint64_t all = cache.hits + cache.misses + cache.pending_hits;
    return all == 0 ? 1.0 : 1 - part(cache.hits, all);
  };
  return {rate(memory.sm.l1), rate(memory.l2.cache)};
}

double part_of_misses(const device::sim::MemoryCounters& memory) {
  const Misses misses = misses_of(memory);
  return misses.l1 * misses.l2;
}

// The L2 lies so far between the L1 and DRAM, by the machine's latencies.
double far_of(const device::sim::MemoryCounters& memory, const device::sim::MachineDescription& machine) {
  const Misses misses = misses_of(memory);
  const double l1 = machine.l1.latency;
  const double l2 =
      machine.l1.miss_latency + 2.0 * machine.crossbar.latency + machine.l2.latency + machine.l1.fill_latency;
  const double open = machine.dram.t_cl * machine.clocks.sm_mhz / machine.clocks.dram_mhz;
  const double dram = l2 + machine.dram.latency + open;
  const double near = machine.l1.global_loads ? l1 : l2;
  const double mean = machine.l1.global_loads
                          ? (1 - misses.l1) * l1 + misses.l1 * ((1 - misses.l2) * l2 + misses.l2 * dram)
                          : (1 - misses.l2) * l2 + misses.l2 * dram;
  return std::clamp((mean - near) / (dram - near), 0.0, 1.0);
}

void find_pipe(const device::sim::KernelStatistics& counted, const device::sim::MachineDescription& machine,
               model::KernelProfile& profile) {
  for (unsigned pipe = 0; pipe < device::sim::pipe_classes; ++pipe) {
    if (counted.sm.pipe_counts[pipe] == 0) continue;
    const double pipes = part(counted.sm.pipe_counts[pipe], machine.sms);
    const double cycles = part(counted.sm.pipe_cycles[pipe], counted.sm.warp_instructions) / pipes;
    if (cycles * model_schedulers(machine) <= profile.issue_cycles) continue;
    profile.issue_cycles = cycles * model_schedulers(machine);
    profile.pipe = pipe + 1;
  }
}

}  // namespace

model::SmLimits limits_of(const device::sim::MachineDescription& machine) {
  const device::sim::Residency& sm = machine.residency;
  model::SmLimits limits;
  limits.threads = std::min(sm.threads, sm.warps * warp);
  limits.blocks = sm.blocks;
  limits.block_threads = sm.block_threads;
  limits.registers = limits.block_registers = sm.registers;
  limits.thread_registers = sm.thread_registers;
  limits.register_unit = sm.register_unit;
  limits.warp_unit = sm.warp_unit;
  limits.shared = sm.shared_bytes;
  limits.block_shared = sm.block_shared_bytes;
  limits.reserved_shared = sm.shared_reserved;
  limits.shared_unit = sm.shared_unit;
  return limits;
}

double peak_ipc(const device::sim::MachineDescription& machine) {
  return static_cast<double>(machine.front.schedulers) / machine.front.issue_interval;
}

unsigned model_schedulers(const device::sim::MachineDescription& machine) {
  return std::max(1u, machine.front.schedulers / machine.front.issue_interval);
}

sched::CoRunDevice corun_of(const device::sim::MachineDescription& machine, const model::MemoryLatency& latency) {
  sched::CoRunDevice corun;
  corun.limits = limits_of(machine);
  corun.sm.schedulers = model_schedulers(machine);
  corun.sm.latency = latency;
  corun.launch_cycles = machine.launching.kernel_cycles + machine.launching.block_cycles;
  return corun;
}

std::vector<double> steady_rates(device::Device& device, std::span<const Share> shares, unsigned rounds) {
  SteppedMachine machine(device);
  std::vector<Stream> streams;
  for (const Share& share : shares) {
    streams.push_back({.share = share, .round = std::uint64_t{share.blocks} * machine.machine().sms, .launches = {}});
  }
  while (Stream* const next = emptiest(streams)) next->launch(machine);
  while (!std::all_of(streams.begin(), streams.end(), [&](const Stream& stream) { return stream.enough(rounds); })) {
    machine.advance();
    for (const auto& ended : machine.take_ended())
      for (Stream& stream : streams) {
        const auto at = stream.launches.find(ended.id);
        if (at == stream.launches.end()) continue;
        stream.ended += at->second;
        stream.launches.erase(at);
      }
    while (Stream* const next = emptiest(streams)) next->launch(machine);
    const auto progress = machine.progress();
    const bool warm =
        std::all_of(streams.begin(), streams.end(), [](const Stream& stream) { return stream.last >= stream.round; });
    for (Stream& stream : streams) {
      std::uint64_t count = stream.ended;
      for (const auto& launch : progress)
        if (stream.launches.contains(launch.id)) count += launch.ended_blocks;
      stream.see(machine.now(), count, warm);
    }
  }
  std::vector<double> rates;
  for (const Stream& stream : streams) rates.push_back(stream.rate());
  return rates;
}

namespace {

// What one full device of blocks does.
void count(SteppedMachine& machine, Kernel& kernel, model::Candidate& made) {
  const unsigned resident = model::resident_blocks(limits_of(machine.machine()), made.needs);
  const std::uint64_t full = std::uint64_t{resident} * machine.machine().sms;
  const std::uint64_t blocks = std::min(std::max<std::uint64_t>(full, 1), kernel.blocks());
  const auto counted = count_alone(machine, kernel, blocks);
  const auto& memory = counted.memory.sm;
  const auto instructions = static_cast<double>(counted.sm.warp_instructions);
  made.block_instructions = instructions / static_cast<double>(blocks);
  const auto accesses = static_cast<double>(memory.global_accesses + memory.local_accesses);
  made.profile.memory_ratio = accesses / instructions;
  const double requests = accesses > 0 ? memory.transactions_per_access() : 1;
  made.profile.uncoalesced = std::max(0.0, (requests - 1) / (made.profile.uncoalesced_requests - 1));
  made.profile.misses = part_of_misses(counted.memory);
  if (made.profile.uncoalesced < worth_a_state) {
    made.profile.uncoalesced = 0;
    made.profile.misses *= requests;
  }
  made.profile.far = far_of(counted.memory, machine.machine());
  find_pipe(counted, machine.machine(), made.profile);
  made.profile.accesses_per_wait = ptx::analysis::find_memory_waits(kernel.function().ptx()).accesses_per_wait();
  const auto cycles = static_cast<double>(counted.cycles());
  const double launching = machine.machine().launching.kernel_cycles;
  made.memory_use = counted.memory.dram_utilisation() * cycles / std::max(1.0, cycles - launching);
}

// Blocks on each SM of the smallest slices that are fast enough.
unsigned smallest_slice(device::Device& device, Kernel& kernel, unsigned sms, unsigned resident, double whole,
                        const ProfileOptions& options) {
  unsigned least = 1;
  for (; least < resident; least = least < 3 ? least + 1 : least + least / 2) {
    const Share share{&kernel,
                      resident,
                      {std::uint64_t{least} * sms, (2 * resident + least - 1) / least, std::uint64_t{resident} * sms}};
    if (whole / steady_rates(device, {&share, 1}, options.rounds).front() - 1 <= options.overhead) break;
  }
  return std::min(least, resident);
}

}  // namespace

sched::KernelTraits profile(device::Device& device, Kernel& kernel, const sched::CoRunDevice& corun,
                            ProfileOptions options) {
  sched::KernelTraits traits;
  traits.id = kernel.id();
  model::Candidate& made = traits.kernel;
  unsigned sms = 0;
  double peak = 1;
  {
    SteppedMachine machine(device);
    sms = machine.machine().sms;
    peak = peak_ipc(machine.machine());
    made.needs = needs_of(machine, kernel);
    count(machine, kernel, made);
  }
  const unsigned resident = std::max(1u, model::resident_blocks(corun.limits, made.needs));
  constexpr unsigned ahead = 3;
  const Share alone{&kernel, resident, {std::uint64_t{resident} * sms, ahead, std::uint64_t{resident} * sms}};
  const double whole = steady_rates(device, {&alone, 1}, options.rounds).front();
  traits.alone_ipc = whole * made.block_instructions / sms;
  made.pipeline_use = traits.alone_ipc / peak;
  if (kernel.divisible()) made.least_blocks = smallest_slice(device, kernel, sms, resident, whole, options);
  return traits;
}

std::string profile_text(const Kernel& kernel, const sched::KernelTraits& traits, const model::SmLimits& limits) {
  const model::Candidate& of = traits.kernel;
  const unsigned resident = model::resident_blocks(limits, of.needs);
  std::string text = fmt::format("kernel        {} ({})\n", kernel.name(), kernel.entry());
  text += fmt::format("code          {:016x}\n", traits.id);
  text += fmt::format("instructions  {:.1f} of warps in a block\n", of.block_instructions);
  text += fmt::format("memory ratio  {:.4f} (R_m: global and local accesses of all instructions)\n",
                      of.profile.memory_ratio);
  text += fmt::format("coalesced     {:.1f} %, uncoalesced {:.1f} %\n", 100 * (1 - of.profile.uncoalesced),
                      100 * of.profile.uncoalesced);
  text += fmt::format("waits         one for {:.1f} accesses; {:.0f} % miss all caches; far {:.2f}\n",
                      of.profile.accesses_per_wait, 100 * of.profile.misses, of.profile.far);
  text += fmt::format("pipes         an instruction needs {:.2f} cycles of the pipe that is used most\n",
                      of.profile.issue_cycles);
  text += fmt::format("IPC alone     {:.4f} on an SM\n", traits.alone_ipc);
  text += fmt::format("PUR           {:.4f}\nMUR           {:.4f}\n", of.pipeline_use, of.memory_use);
  text += fmt::format("occupancy     {:.1f} % ({} blocks of {} warps on an SM)\n",
                      100.0 * resident * warps_of(kernel) * warp / limits.threads, resident, warps_of(kernel));
  text += fmt::format("needs         {} registers of a thread, {} bytes of shared memory of a block\n",
                      of.needs.registers, of.needs.shared);
  text += fmt::format("slice         {} blocks on each SM at least\n", of.least_blocks);
  text += kernel.divisible() ? "sliceable     yes\n" : fmt::format("sliceable     no: {}\n", kernel.why_whole());
  return text;
}

}  // namespace heddle::batch
