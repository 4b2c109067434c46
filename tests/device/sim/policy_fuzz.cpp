#include "device/sim/policy_fuzz.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string_view>

#include "device/sim/machine_file/reader.hpp"
#include "device/sim/policies/registry.hpp"
#include "device/sim/sim.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"
#include "random/comparison.hpp"
#include "support/short_patience.hpp"

namespace heddle::device::sim {
namespace {

// A run: options, and such of which one takes its turn by the seed.
struct Turn {
  std::string_view always;
  std::vector<std::string_view> one_of;
};

const std::vector<Turn>& turns() {
  static const std::vector<Turn> all = {
      {"", {"scheduler=lrr", "scheduler=gto", "scheduler=two-level,issue=dual", "scheduler=oldest,warp-width=8"}},
      {"divergence=nrec", {"scheduler=two-level", "issue=dual", "memory-queue=mascar", "residency=max"}},
      {"divergence=mimd", {"scheduler=oldest", "scheduler=lrr", "issue=dual", "memory-queue=mascar"}},
      {"divergence=its", {"issue=dual", "scheduler=gto", "residency=virtual-thread", "residency=finereg"}},
      {"divergence=tbc", {"lanes=swizzle", "lanes=identity", "scheduler=gto", "lanes=xor"}},
      {"divergence=tf", {"residency=virtual-thread", "layout=asis", "exchange=off,cold=1", "sorter=0,issue=dual"}},
      {"divergence=dwf", {"lanes=swizzle", "home-lanes=8", "heap-ports=2", "pool=4,lut-entries=4", "warp-width=16"}},
      {"divergence=dwf,formation=minority", {"lanes=swizzle", "patience=16", "register-file=crossbar"}},
      {"divergence=dwf,formation=timestamp", {"pool=4", "register-file=ideal", "lut-ways=1", "lanes=xor-rev"}},
      {"divergence=dwf,formation=pc", {"register-file=crossbar", "warp-width=8", "lut-entries=1"}},
      {"divergence=dwf,formation=pdom-priority", {"lut-entries=4", "register-file=ideal", "lanes=swizzle,pool=8"}},
      {"residency=virtual-thread",
       {"memory-queue=active-first", "swap=literal,context-bits=0", "context-entries=1", "context-scale=4"}},
      {"residency=finereg", {"memory-queue=active-first", "memory-queue=fifo", "context-bits=64"}},
      {"residency=max", {"memory-queue=mascar", "divergence=tf", "scheduler=gto"}},
      {"issue=wide", {"lanes=mirror-odd", "scoreboard=matrix", "layout=asis"}},
      {"issue=sbi", {"constraints=off,cold=1", "divide=dominator,slot2=same-warp,sorter=0", "scoreboard=matrix"}},
      {"issue=swi", {"lanes=xor-rev", "lanes=mirror-half,ways=1", "ways=4", "scoreboard=matrix"}},
      {"issue=sbi+swi", {"lanes=xor", "ways=4,exchange=off", "lanes=xor-rev,scoreboard=matrix", "constraints=off"}}};
  return all;
}

// One SM with little room, so that blocks give way and warps of several wait for each other; its memory has a fixed
// latency.
MachineDescription small_machine() {
  MachineDescription machine = find_machine("sbi-fermi");
  machine.residency.blocks = 2;
  machine.residency.registers = 64 * 1024;
  machine.residency.thread_registers = 255;
  machine.l1.bytes = 6 * 1024;
  return machine;
}

SimOptions options_of(const std::string& policies) {
  static const MachineDescription machine = small_machine();
  SimOptions options;
  options.machine = machine;
  options.audit = true;
  for (std::string_view rest = policies; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t equal = one.find('=');
    if (!set_policy(options.machine.policies, one.substr(0, equal), one.substr(equal + 1)))
      throw Error(ErrorCode::invalid_argument, "no policy is " + std::string(one));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return options;
}

// What is wrong with the figures of a launch; empty: nothing.
std::string inconsistency(const SmStatistics& sm, unsigned schedulers) {
  const auto sum = [](const auto& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); };
  if (sum(sm.uses) != sm.slots || sum(sm.lanes) != sm.slots) return "a slot is not counted once";
  if (sm.slots != sm.cycles * schedulers) return "slots are not those of all cycles";
  if (sum(sm.lane_uses) != sm.thread_instructions) return "lanes are not those of all thread instructions";
  return "";
}

class Kernel {
 public:
  explicit Kernel(std::uint64_t seed) {
    const std::string text = test::random_kernel::generate_small(seed).text();
    case_ = test::parse_cases(text, "random.ptx").at(0);
    case_.parsed = std::make_shared<const ptx::Module>(ptx::parse(text, "random.ptx"));
    ptx::verify(*case_.parsed);
    wanted_ = test::random_kernel::run_on_interp(case_);
  }

  // Returns what differs from the interpreter's result.
  std::string run(const std::string& policies, KernelStatistics& figures) const {
    SimOptions options = options_of(policies);
    const unsigned schedulers = options.machine.front.schedulers;
    bool launched = false;
    options.on_launch = [&](const std::string&, const KernelStatistics& of) {
      figures = of;
      launched = true;
    };
    const test::CaseResult got = test::run_case(case_, [&](const test::TestDeviceOptions& wanted) {
      options.poison = wanted.poison;
      options.deadlock_timeout = test::short_patience;
      options.print = wanted.print;
      return make_sim_device(options);
    });
    const auto compared = test::random_kernel::compare_results(case_, wanted_, got);
    if (compared.verdict != test::random_kernel::Verdict::equal)
      return fmt::format("{}: {}", test::random_kernel::name(compared.verdict), compared.text);
    return launched ? inconsistency(figures.sm, schedulers) : "no launch was reported";
  }

 private:
  test::PtxCase case_;
  test::CaseResult wanted_;
};

}  // namespace

std::vector<std::string> fuzz_policies(std::uint64_t seed) {
  std::vector<std::string> policies = {""};
  // Turns of different lengths, and of a different phase for each policy, so that pairs of options change.
  for (const Turn& turn : turns()) {
    const std::string_view one = turn.one_of[(seed + policies.size() * 7) % turn.one_of.size()];
    policies.push_back(turn.always.empty() ? std::string(one) : fmt::format("{},{}", turn.always, one));
  }
  return policies;
}

FuzzResult fuzz_seed(std::uint64_t seed, const std::string& policies) {
  FuzzResult result;
  try {
    const Kernel kernel(seed);
    std::vector<std::string> all = fuzz_policies(seed);
    if (!policies.empty()) all = {"", policies};
    for (const std::string& one : all) {
      KernelStatistics figures;
      std::string difference = kernel.run(one, figures);
      ++result.runs;
      result.warp_instructions += figures.sm.warp_instructions;
      if (result.runs == 1) result.thread_instructions = figures.sm.thread_instructions;
      if (difference.empty() && figures.sm.thread_instructions != result.thread_instructions)
        difference = fmt::format("{} thread instructions, with the stack {}", figures.sm.thread_instructions,
                                 result.thread_instructions);
      if (!difference.empty()) {
        result.difference = fmt::format("'{}': {}", one, difference);
        return result;
      }
    }
  } catch (const std::exception& error) {
    result.difference = error.what();
  }
  return result;
}

}  // namespace heddle::device::sim
