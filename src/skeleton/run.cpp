#include "skeleton/run.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <latch>
#include <memory>
#include <numeric>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/thread_safety.hpp"
#include "skeleton/part.hpp"

namespace heddle::skeleton {

// The first error of a run's parts.
class FirstError {
 public:
  // Whether the work did not throw.
  template <class Work>
  bool keep(const Work& work) {
    try {
      work();
      return true;
    } catch (const Together::Stopped&) {  // because of another part, whose error counts
    } catch (...) {
      const base::Lock lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
    }
    return false;
  }
  void rethrow() {
    const base::Lock lock(mutex_);
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  base::Mutex mutex_;
  std::exception_ptr error_ HEDDLE_GUARDED_BY(mutex_);
};

namespace {

std::vector<Value> values_for_part(Runtime& runtime, const Program& program, const std::vector<Value>& values) {
  std::vector<Value> own = values;
  for (std::size_t slot = 0; slot < own.size(); ++slot) {
    const Slot* const merged = program.slots()[slot].merged;
    if (merged == nullptr) continue;
    const std::size_t bytes = values[slot].element_bytes;
    if (merged->merge_operation() == Merge::function && merged->neutral().size() != bytes)
      base::fail(ErrorCode::invalid_argument,
                 "elements of argument {} have {}, but the neutral element of its merge function has {}", slot,
                 base::counted(bytes, "byte"), merged->neutral().size());
    own[slot] = values[slot].make_partial(runtime, merged->merge_operation(), merged->neutral());
  }
  return own;
}

void merge_results(const Program& program, const std::vector<Value>& values,
                   const std::vector<std::unique_ptr<Part>>& parts) {
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    const Slot* const merged = program.slots()[slot].merged;
    if (merged == nullptr) continue;
    const std::span<std::byte> whole = values[slot].write();
    for (const auto& part : parts) {
      const std::span<const std::byte> partial = part->values()[slot].read(0, values[slot].count);
      if (merged->merge_operation() == Merge::function) {
        merged->merge_function()(whole, partial);
      } else {
        values[slot].merge(merged->merge_operation(), whole, partial);
      }
    }
  }
}

std::uint64_t common_quantum(const Program& program, const std::vector<Execution>& executions,
                             const std::vector<unsigned>& groups) {
  std::uint64_t quantum = 1;
  for (const Execution& execution : executions)
    quantum = std::lcm(quantum, quantum_of(program.arrays(execution, groups)));
  return quantum;
}

}  // namespace

double Runner::least_share(const Program& program, const knowledge::Configuration& configuration) const {
  const auto executions = platforms_.executions(configuration.fission, configuration.overlap);
  const auto quantum = static_cast<double>(common_quantum(program, executions, configuration.groups));
  return std::min(0.25, std::max(1.0 / 1024, quantum / static_cast<double>(program.units())));
}

std::vector<Range> Runner::cut(const Program& program, const std::vector<Execution>& executions,
                               const knowledge::Configuration& configuration, bool forced) const {
  std::vector<PartDemand> demands;
  for (const Execution& execution : executions) {
    const double share = execution.gpu ? configuration.gpu_share : 1 - configuration.gpu_share;
    demands.push_back({execution.weight * share, program.arrays(execution, configuration.groups)});
  }
  const std::uint64_t alignment = program.aligned() ? common_quantum(program, executions, configuration.groups) : 1;
  std::vector<Range> ranges = decompose(program.units(), demands, alignment);
  if (!forced) return ranges;
  const auto wanted = static_cast<std::size_t>(
      std::count_if(demands.begin(), demands.end(), [](const PartDemand& part) { return part.weight > 0; }));
  for (const PartDemand& part : demands)
    if (const std::string why = why_not_split(program.units(), wanted, part.arrays); !why.empty())
      throw Error(ErrorCode::invalid_argument, why);
  return ranges;
}

// Where the host decides in loops, each part has a thread of its own: parts wait for each other there.
std::uint64_t Runner::run_in_threads(const std::vector<std::unique_ptr<Part>>& parts, FirstError& error) {
  Together together(parts.size());
  std::latch ended(static_cast<std::ptrdiff_t>(parts.size()));
  const std::uint64_t start_ns = clock_.now_ns();
  const auto run_part = [&](std::size_t i) {
    const bool done = error.keep([&] {
      parts[i]->launch_all(together);
      parts[i]->wait(clock_, start_ns);
    });
    together.leave(!done);
    ended.count_down();
  };
  for (std::size_t i = 1; i < parts.size(); ++i) threads_.run([&run_part, i] { run_part(i); });
  run_part(0);
  ended.wait();
  return together.meetings;
}

// Launches do not wait, so one thread makes all of them: others would have to wake up first. The CPU's come first, as a
// GPU's take longer to submit: copies, kernels, and behind these the copies of results. Then this thread waits for the
// CPU's parts, as the CPU device lets it run blocks meanwhile, and another one for the GPUs'.
void Runner::run_at_once(const std::vector<std::unique_ptr<Part>>& parts, FirstError& error) {
  Together together(parts.size());
  const std::uint64_t start_ns = clock_.now_ns();
  std::vector<Part*> of_gpus, of_cpus;
  for (const auto& part : parts)
    if (!part->execution().gpu && error.keep([&] { part->launch_all(together); })) of_cpus.push_back(part.get());
  for (const auto& part : parts) {
    if (!part->execution().gpu || !error.keep([&] { part->launch_all(together); })) continue;
    of_gpus.push_back(part.get());
    part->prefetch();
  }
  const auto wait = [&](const std::vector<Part*>& some) {
    for (Part* const part : some) error.keep([&] { part->wait(clock_, start_ns); });
  };
  if (of_gpus.empty() || of_cpus.empty()) return wait(of_gpus.empty() ? of_cpus : of_gpus);
  std::latch ended(1);
  bool has_thread = true;
  try {
    threads_.run([&] {
      wait(of_gpus);
      ended.count_down();
    });
  } catch (const Error&) {  // the process can have no more threads: the GPUs' times are then too long at most
    has_thread = false;
  }
  wait(of_cpus);
  if (has_thread)
    ended.wait();
  else
    wait(of_gpus);
}

RunResult Runner::run(const Program& program, const std::vector<Value>& values,
                      const knowledge::Configuration& configuration, bool forced) {
  const std::uint64_t start_ns = clock_.now_ns();
  const std::vector<Execution> executions = platforms_.executions(configuration.fission, configuration.overlap);
  const std::vector<Range> ranges = cut(program, executions, configuration, forced);
  std::vector<std::unique_ptr<Part>> parts;
  for (std::size_t i = 0; i < executions.size(); ++i)
    if (ranges[i].count > 0)
      parts.push_back(std::make_unique<Part>(runtime_, program, executions[i], configuration.groups, ranges[i],
                                             values_for_part(runtime_, program, values), parts.empty()));
  FirstError error;
  std::uint64_t barriers = 0;
  if (program.host_decides())
    barriers = run_in_threads(parts, error);
  else
    run_at_once(parts, error);
  error.rethrow();
  merge_results(program, values, parts);

  RunResult result;
  const bool simulated = std::ranges::any_of(parts, [](const auto& part) { return part->execution().simulated; });
  if (!simulated) result.measured.whole_seconds = static_cast<double>(clock_.now_ns() - start_ns) * 1e-9;
  for (const auto& part : parts) {
    double& longest = part->execution().gpu ? result.measured.gpu_seconds : result.measured.cpu_seconds;
    longest = std::max(longest, part->seconds());
    result.report.parts.push_back(
        {part->execution().device, part->range().first, part->range().count, part->seconds(), part->launches()});
  }
  result.report.gpu_share = configuration.gpu_share;
  result.report.fission = knowledge::name(configuration.fission);
  result.report.overlap = configuration.overlap;
  result.report.kernels = parts[0]->kernels();
  result.report.seconds = result.measured.seconds();
  result.report.barriers = barriers;
  return result;
}

namespace {

void fill(const Value& clone, const Value& original) {
  const std::span<const std::byte> content = original.read(0, original.count);
  const std::span<std::byte> to = clone.write();
  std::memcpy(to.data(), content.data(), content.size());
}

}  // namespace

Clones::Clones(Runtime& runtime, const Program& program, const std::vector<Value>& values, std::vector<bool> from_host)
    : program_(program), originals_(values), from_host_(std::move(from_host)), clones_(values) {
  for (std::size_t slot = 0; slot < clones_.size(); ++slot) {
    if (clones_[slot].element_bytes == 0) continue;
    clones_[slot] = values[slot].make_partial(runtime, Merge::none, {});
    fill(clones_[slot], values[slot]);
  }
}

const std::vector<Value>& Clones::fresh() {
  for (std::size_t slot = 0; slot < clones_.size(); ++slot) {
    // What a run overwrites is on the host before a program's first run, and where that run left it before the others.
    if (clones_[slot].element_bytes == 0 || !from_host_[slot] || program_.slots()[slot].overwritten) continue;
    if (program_.slots()[slot].written)
      fill(clones_[slot], originals_[slot]);
    else
      clones_[slot].write();
  }
  return clones_;
}

std::vector<bool> from_host(const std::vector<Value>& values) {
  std::vector<bool> list;
  for (const Value& value : values) list.push_back(value.argument.host_only());
  return list;
}

}  // namespace heddle::skeleton
