#include "gpu/sequences.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tenancy/models.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

constexpr unsigned most_threads = 2048;  // of an SM
constexpr double bound_by_memory = 0.5;  // the part of the bandwidth from which on a kernel is the one that reads
constexpr std::uint32_t most_turns = 1u << 28;

unsigned threads_for(std::uint32_t resident) { return std::clamp(most_threads / resident, 256u, 1024u); }

// With so many turns the blocks of a wave take `seconds`.
Step step_of(const Machine& machine, const Calibration& calibration, const tenancy::KernelModel& kernel, double scale) {
  Step step;
  step.kind = kernel.memory_share >= bound_by_memory ? Kind::stream : Kind::compute;
  step.threads = threads_for(kernel.resident_blocks);
  const double waves = static_cast<double>(kernel.blocks) / kernel.resident_blocks;
  step.blocks = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(waves * machine.resident(step.kind, step.threads))));
  step.turns = calibration.turns(step.kind, step.threads, kernel.block_seconds * scale);
  return step;
}

}  // namespace

std::uint64_t Sequence::warps() const {
  std::uint64_t most = 1;
  for (const Step& step : steps) most = std::max(most, step.blocks * ((step.threads + 31) / 32));
  return most;
}

std::vector<double> times_of(const Machine& machine, const Queue& queue, const std::vector<Step>& steps,
                             const Buffers& buffers, int rounds) {
  std::vector<Event> events;
  for (std::size_t i = 0; i <= steps.size(); ++i) events.push_back(machine.device().event());
  std::vector<double> least(steps.size(), 1e9);
  for (int round = 0; round < rounds; ++round) {
    queue.record(events[0]);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      machine.launch(queue, steps[i], buffers);
      queue.record(events[i + 1]);
    }
    queue.synchronize();
    for (std::size_t i = 0; i < steps.size(); ++i)
      least[i] = std::min(least[i], 1e-9 * (static_cast<double>(events[i + 1].completed_ns()) -
                                            static_cast<double>(events[i].completed_ns())));
  }
  return least;
}

Calibration::Calibration(const Machine& machine) {
  const Queue queue = machine.device().queue();
  for (const Kind kind : {Kind::compute, Kind::stream})
    for (const unsigned threads : {256u, 512u, 1024u}) {
      Step step{.kind = kind, .threads = threads};
      step.blocks = std::uint64_t{4} * machine.info().processors * machine.resident(kind, threads);
      const Buffers buffers = machine.buffers(step.blocks * threads / 32);
      // Twice as many turns until they take long enough; then the difference to half of them, without the launch.
      double time = 0, half = 0;
      for (step.turns = 64; step.turns < most_turns; step.turns *= 2) {
        half = time;
        time = times_of(machine, queue, {step}, buffers, 3)[0];
        if (time > 3e-3) break;
      }
      turns_[{kind, threads}] = std::max((time - half) / (step.turns / 2.0) / 4, 1e-12);
    }
}

std::uint32_t Calibration::turns(Kind kind, unsigned threads, double seconds) const {
  return static_cast<std::uint32_t>(std::clamp(seconds / turn(kind, threads), 1.0, static_cast<double>(most_turns)));
}

Step make_step(const Machine& machine, const Calibration& calibration, double seconds, double block_seconds) {
  Step step{.seconds = seconds};
  const double waves = std::max(1.0, std::round(seconds / block_seconds));
  step.blocks =
      static_cast<std::uint64_t>(waves) * machine.info().processors * machine.resident(step.kind, step.threads);
  step.turns = calibration.turns(step.kind, step.threads, seconds / waves);
  return step;
}

Sequence make_sequence(const Machine& machine, const Calibration& calibration, std::string_view name, double scale) {
  const tenancy::ModelFigures& figures = tenancy::model_figures(name);
  const tenancy::ModelSequence model = tenancy::make_model(name, machine.units(), machine.grain());
  Sequence made{std::string(name), {}};
  std::vector<double> wanted;
  for (const tenancy::KernelModel& kernel : model.kernels) {
    made.steps.push_back(step_of(machine, calibration, kernel, scale));
    const double waves =
        std::max(1.0, std::round(static_cast<double>(kernel.blocks) /
                                 (static_cast<double>(machine.units()) * machine.grain() * kernel.resident_blocks)));
    wanted.push_back(kernel.block_seconds * waves * scale);
  }
  const Buffers buffers = machine.buffers(made.warps());
  const Queue queue = machine.device().queue();
  constexpr double launch = 3e-6;  // of the device, whatever the kernel does
  for (int round = 0; round < 2; ++round) {
    const std::vector<double> times = times_of(machine, queue, made.steps, buffers, 2);
    for (std::size_t i = 0; i < made.steps.size(); ++i) {
      const double factor =
          std::clamp(std::max(wanted[i] - launch, launch) / std::max(times[i] - launch, 1e-7), 0.1, 10.0);
      made.steps[i].turns =
          static_cast<std::uint32_t>(std::clamp(made.steps[i].turns * factor, 1.0, double{most_turns}));
    }
  }
  const std::vector<double> times = times_of(machine, queue, made.steps, buffers, 3);
  for (std::size_t i = 0; i < made.steps.size(); ++i) {
    made.steps[i].seconds = times[i];
    made.seconds += times[i];
  }
  made.limit = figures.limit * made.seconds / figures.seconds;
  return made;
}

}  // namespace heddle::bench::lithos_gpu
