#include "batch/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/format.hpp"

#include "sched/policy/pair_rates.hpp"

namespace heddle::batch {
namespace {

constexpr unsigned warp = 32;

unsigned warps_of(const Kernel& kernel) {
  return static_cast<unsigned>((kernel.config().block.count() + warp - 1) / warp);
}

// Blocks on each SM of the smallest slices that are fast enough.
unsigned smallest_slice(Profiler& profiler, Kernel& kernel, unsigned resident, double whole,
                        const ProfileOptions& options) {
  const unsigned sms = profiler.processors();
  unsigned least = 1;
  for (; least < resident; least = least < 3 ? least + 1 : least + least / 2) {
    const Share share{&kernel,
                      resident,
                      {std::uint64_t{least} * sms, (2 * resident + least - 1) / least, std::uint64_t{resident} * sms}};
    if (whole / profiler.steady_rates({&share, 1}, options.rounds).front().blocks - 1 <= options.overhead) break;
  }
  return std::min(least, resident);
}

// With about so many blocks on each SM. `first`: the block with which it begins; not one that has run before, as what
// it has loaded may be in caches. Slices of less than a block for each SM: others fill the gap when one ends.
model::Measured measure_part(Profiler& profiler, Kernel& kernel, const model::Candidate& made, unsigned blocks,
                             unsigned rounds, std::uint64_t first) {
  const unsigned sms = profiler.processors();
  const unsigned slice = (sms + 1) / 2, in_flight = std::max(1u, blocks * sms / slice);
  const Share share{
      &kernel, blocks, {slice, in_flight, std::uint64_t{blocks} * sms}, first < kernel.blocks() ? first : 0};
  const SteadyRate rate = profiler.steady_rates({&share, 1}, rounds).front();
  const double on_sm = rate.on_sm > 0 ? rate.on_sm : blocks;
  return {on_sm * warps_of(kernel), rate.blocks * made.block_instructions / sms};
}

// What the network says of the kernel alone from measurements with a quarter and a half of its blocks; and then the
// demands with which it says what was measured with all of them.
void fit_demands(const model::Measured& quarter, const model::Measured& half, double warps,
                 sched::KernelTraits& traits) {
  model::Demands& demands = traits.kernel.demands;
  traits.forecast_ipc = model::network_ipc(model::fitted(demands, {quarter, half, half}), warps);
  demands = model::fitted(demands, {quarter, half, model::Measured{warps, traits.alone_ipc}});
}

// A GPU's machine code has fewer instructions than PTX where one does the work of several. So a kernel that seems to be
// faster than the SM can be has fewer.
void count_machine_code(const sched::CoRunDevice& corun, sched::KernelTraits& traits) {
  sched::KernelTraits without_memory = traits;
  without_memory.alone_ipc = 0;
  without_memory.kernel.profile.memory_ratio = 0;
  without_memory.kernel.profile.issue_cycles = 1;
  const double most = sched::alone_ipc(corun, without_memory);
  if (traits.alone_ipc > most) {
    traits.kernel.block_instructions *= most / traits.alone_ipc;
    traits.alone_ipc = most;
  }
  double& cycles = traits.kernel.profile.issue_cycles;
  cycles = std::clamp(corun.sm.schedulers / std::max(traits.alone_ipc, 1e-9), 1.0, std::max(1.0, cycles));
}

std::string demands_text(const model::Demands& demands) {
  if (!demands.known()) return "";
  constexpr std::array<const char*, model::stations> names = {"issue",    "alu",        "fma",       "fp64",
                                                              "sfu",      "load/store", "branch",    "tensor",
                                                              "look-ups", "shared",     "way to L2", "DRAM"};
  std::string text = "demands       cycles of an instruction:";
  for (std::size_t station = 0; station < model::stations; ++station)
    if (demands.cycles[station] > 0) text += fmt::format(" {} {:.3f},", names[station], demands.cycles[station]);
  return text + fmt::format(" away {:.1f}\n", fmt::join(demands.away.cycles, ", "));
}

}  // namespace

sched::KernelTraits profile(Profiler& profiler, Kernel& kernel, const sched::CoRunDevice& corun,
                            ProfileOptions options) {
  sched::KernelTraits traits;
  traits.id = kernel.id();
  model::Candidate& made = traits.kernel;
  const unsigned sms = profiler.processors();
  const double memory_cycles = profiler.count(kernel, made);
  const unsigned resident = std::max(1u, model::resident_blocks(corun.limits, made.needs));
  constexpr unsigned ahead = 3;
  // Where slices wait in queues for one another, a kernel alone runs in whole launches.
  const bool in_queues = corun.slice_cycles > 0;
  const std::uint64_t full = std::uint64_t{resident} * sms;
  model::Measured quarter, half;
  std::uint64_t first = 0;
  if (made.demands.known()) {
    quarter = measure_part(profiler, kernel, made, std::max(1u, resident / 4), 2 * options.rounds, full);
    half = measure_part(profiler, kernel, made, std::max(1u, resident / 2), options.rounds, 2 * full);
    first = ahead * full < kernel.blocks() ? ahead * full : 0;
  }
  const Share alone{&kernel, resident, {in_queues ? kernel.blocks() : full, ahead, full}, first};
  const double whole = profiler.steady_rates({&alone, 1}, options.rounds).front().blocks;
  traits.alone_ipc = whole * made.block_instructions / sms;
  if (made.demands.known()) fit_demands(quarter, half, static_cast<double>(resident) * warps_of(kernel), traits);
  if (in_queues) count_machine_code(corun, traits);
  made.pipeline_use = traits.alone_ipc / profiler.peak_ipc();
  // Where nothing has counted it while the device was full.
  if (made.memory_use == 0) made.memory_use = std::min(1.0, whole * memory_cycles);
  if (kernel.divisible() && !in_queues) made.least_blocks = smallest_slice(profiler, kernel, resident, whole, options);
  return traits;
}

std::string profile_text(const Kernel& kernel, const sched::KernelTraits& traits, const model::SmLimits& limits) {
  const model::Candidate& of = traits.kernel;
  const unsigned resident = model::resident_blocks(limits, of.needs);
  const bool names_entry = kernel.name().find(kernel.entry()) != std::string::npos;
  std::string text = names_entry ? fmt::format("kernel        {}\n", kernel.name())
                                 : fmt::format("kernel        {} ({})\n", kernel.name(), kernel.entry());
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
  text += demands_text(of.demands);
  text += fmt::format("IPC alone     {:.4f} on an SM\n", traits.alone_ipc);
  text += fmt::format("PUR           {:.4f}\nMUR           {:.4f}\n", of.pipeline_use, of.memory_use);
  text += fmt::format("occupancy     {:.1f} % ({} of {} on an SM)\n",
                      100.0 * resident * warps_of(kernel) * warp / limits.threads, base::counted(resident, "block"),
                      base::counted(warps_of(kernel), "warp"));
  text += fmt::format("needs         {} of a thread, {} of shared memory of a block\n",
                      base::counted(of.needs.registers, "register"), base::counted(of.needs.shared, "byte"));
  text += fmt::format("slice         {} on each SM at least\n", base::counted(of.least_blocks, "block"));
  text += kernel.divisible() ? "sliceable     yes\n" : fmt::format("sliceable     no: {}\n", kernel.why_whole());
  return text;
}

}  // namespace heddle::batch
