#include "runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "base/fail.hpp"
#include "compile/compile.hpp"
#include "device/parameter_layout.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "device/sim/policies/registry.hpp"
#include "device/sim/policies/resources.hpp"
#include "ptx/parser.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::sim_policies {
namespace {

// Words that are the same in every run.
std::vector<unsigned> words(unsigned count) {
  std::vector<unsigned> result(count);
  std::uint64_t state = 1;
  for (unsigned& word : result) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = static_cast<unsigned>(z >> 32);
  }
  return result;
}

// A bound or a part of a mechanism, to which no speed-up is attributed.
bool is_reference(std::string_view policies) {
  return policies.find("issue=wide") != policies.npos || policies.find("fit=any") != policies.npos;
}

// The shares of slots by use, and how many warps are on an SM on the average.
std::string slots_text(const device::sim::SmStatistics& sm) {
  std::string text;
  for (std::size_t i = 0; i < sm.uses.size(); ++i)
    if (sm.uses[i] != 0)
      text += fmt::format("{} {:.3f} ", device::sim::name(static_cast<device::sim::SlotUse>(i)),
                          static_cast<double>(sm.uses[i]) / static_cast<double>(sm.slots));
  return text +
         fmt::format("warps {:.1f}", static_cast<double>(sm.resident_warp_cycles) / static_cast<double>(sm.cycles));
}

device::Span span_of(std::vector<unsigned>& words) {
  return device::Span::host(words.data(), words.size() * sizeof words[0]);
}

}  // namespace

std::shared_ptr<const ptx::Module> Runner::module_of(std::string_view file) {
  const auto found = modules_.find(file);
  if (found != modules_.end()) return found->second;
  const std::string path = fmt::format("{}/{}.cu", HEDDLE_KERNELS, file);
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(compile::compile_cuda_file(path), path));
  modules_.emplace(file, module);
  return module;
}

KernelStatistics Runner::run(const MachineDescription& machine, const std::string& policies, const Workload& workload,
                             unsigned threads, bool ideal) {
  if (threads == 0) threads = workload.threads;
  const unsigned wanted = std::max(this->items != 0 ? this->items : workload.items, workload.least);
  const unsigned turns = workload.divergent ? rounds : 1;
  const std::string key = fmt::format("{}{}{}{}{}{}{}", device::sim::to_toml(machine), policies, workload.kernel,
                                      wanted, threads, ideal, turns);
  if (const auto known = figures_.find(key); known != figures_.end()) return known->second;
  device::sim::SimOptions options;
  options.machine = machine;
  options.ideal_memory = ideal;
  for (std::string_view rest = policies; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t equal = one.find('=');
    device::sim::set_policy(options.machine.policies, one.substr(0, equal), one.substr(equal + 1));
    rest.remove_prefix(one.size());
  }
  if (device::sim::resources_of(machine) != device::sim::resources_of(options.machine) && !is_reference(policies))
    base::fail(ErrorCode::internal,
               "'{}' has other lanes, threads or instructions a cycle than what it is compared with", policies);
  KernelStatistics figures;
  options.on_launch = [&](const std::string&, const KernelStatistics& of) { figures = of; };
  const auto device = device::sim::make_sim_device(options);
  const auto module = device->load(module_of(workload.file), {});
  const auto queue = device->queue({});
  const unsigned blocks = std::max(wanted / threads, 1u);
  const unsigned items = blocks * threads * turns;
  std::vector<unsigned> in = words(items), out(items);
  const auto input = device->allocate(in.size() * sizeof in[0]), output = device->allocate(out.size() * sizeof out[0]);
  queue->copy(input->span(), span_of(in));
  queue->copy(output->span(), span_of(out));  // zeros, so that stores change the same words in every run
  struct {
    std::uint64_t in, out;
    unsigned n;
  } const arguments{input->span().address, output->span().address, items};
  std::vector<std::byte> packed(20);
  std::memcpy(packed.data(), &arguments, packed.size());
  const std::clock_t start = std::clock();
  const double seconds = bench::time_once([&] {
    queue->launch(module->function(std::string(workload.kernel)), {.grid = {blocks}, .block = {threads}}, {0, blocks},
                  packed);
    queue->copy(span_of(out), output->span());
    queue->synchronize();
  });
  processor_seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (verbose)
    fmt::print(stderr, "{}{} {} cycles {} warp instructions, {}, {:.2f} s\n", workload.kernel, policies,
               figures.cycles(), figures.sm.warp_instructions, slots_text(figures.sm), seconds);
  const std::string shape = fmt::format("{}/{}/{}", workload.kernel, threads, items);
  const auto [known, first] = results_.emplace(shape, out);
  if (!first && known->second != out)
    base::fail(ErrorCode::internal, "{} has other results with '{}'", shape, policies);
  figures_.emplace(key, figures);
  return figures;
}

MachineDescription part_of(const std::string& preset, unsigned sms) {
  MachineDescription machine = device::sim::find_machine(preset);
  const auto share = [&](unsigned all) { return std::max(1u, all * sms / machine.sms); };
  const unsigned channels = share(machine.dram.channels), per_channel = machine.l2.slices / machine.dram.channels;
  machine.dram.bytes_per_clock *= static_cast<double>(machine.dram.channels * sms) / (machine.sms * channels);
  machine.l2.bytes = machine.l2.bytes / machine.l2.slices * channels * per_channel;
  machine.dram.channels = channels;
  machine.l2.slices = channels * per_channel;
  machine.sms = sms;
  machine.launching.kernel_cycles = 0;  // one kernel of small size is what is looked at
  return machine;
}

double harmonic_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += 1 / value;
  return static_cast<double>(values.size()) / sum;
}

}  // namespace heddle::bench::sim_policies
