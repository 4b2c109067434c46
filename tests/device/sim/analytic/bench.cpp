#include "bench.hpp"

#include <algorithm>
#include <cstring>

#include "ptx/parser.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::uint64_t alignment = 2 << 20;

std::string text_of(const Launch& launch) {
  std::string text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .u64 %p, %q; .reg .u32 %t, %i, %j; .reg .pred %c; .reg .f32 %f<32>; .reg .f64 %d<8>; .reg .u32 %r<8>;\n";
  if (launch.shared != 0) text += ".shared .align 16 .b8 s[" + std::to_string(launch.shared) + "];\n";
  // Nothing issues before the parameter is there.
  if (!launch.body.empty()) text += "ld.param.u64 %p, [a];\nadd.u64 %q, %p, 0;\nmov.u32 %t, %tid.x;\n";
  return text + launch.body + "ret;\n}\n";
}

}  // namespace

std::string repeated(unsigned count, const std::string& line, unsigned names) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    std::string one = line;
    for (std::size_t at = one.find('#'); at != one.npos; at = one.find('#'))
      one.replace(at, 1, std::to_string(i % names));
    text += one + "\n";
  }
  return text;
}

Bench::Bench(MachineDescription machine, std::size_t bytes) : machine_(std::move(machine)) {
  SimOptions options;
  options.machine = machine_;
  options.on_launch = [this](const std::string&, const KernelStatistics& figures) { launches_.push_back(figures); };
  device_ = make_sim_device(std::move(options));
  memory_ = device_->allocate(bytes + alignment);
  address_ = (memory_->span().address + alignment - 1) / alignment * alignment;
  queue_ = device_->queue({});
  queue_->fill(memory_->span(), 0, 4);
  queue_->synchronize();
}

Bench::~Bench() = default;

void Bench::write(std::uint64_t offset, const std::vector<std::uint64_t>& words) {
  const Span all = memory_->span();
  queue_->copy(all.sub(address_ + offset - all.address, words.size() * 8), Span::host(words.data(), words.size() * 8));
  queue_->synchronize();
}

KernelStatistics Bench::run(const Launch& launch) {
  const auto module = device_->load(std::make_shared<const ptx::Module>(ptx::parse(text_of(launch), "k")), {});
  const std::uint64_t array = address_ + launch.offset;
  std::vector<std::byte> arguments(sizeof array);
  std::memcpy(arguments.data(), &array, sizeof array);
  queue_->launch(module->function("k"), {.grid = {launch.blocks}, .block = {launch.threads}}, {0, launch.blocks},
                 arguments);
  queue_->synchronize();
  return launches_.back();
}

double step(Bench& bench, Launch launch, const std::string& line, unsigned few, unsigned more, unsigned names) {
  const std::string body = launch.body;
  const auto cycles = [&](unsigned count) {
    launch.body = body + repeated(count, line, names);
    bench.run(launch);  // the constant cache and the L2 are warm then
    return static_cast<double>(bench.run(launch).cycles());
  };
  const double base = cycles(few);
  return (cycles(more) - base) / (more - few);
}

MachineDescription one_sm(MachineDescription machine) {
  machine.sms = 1;
  return machine;
}

std::string test_name(std::string preset) {
  std::replace(preset.begin(), preset.end(), '-', '_');
  return preset;
}

}  // namespace heddle::device::sim
