#include "trace/measures.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::trace {
namespace {

double seconds_of(const Command& command) { return static_cast<double>(command.end_ns - command.begin_ns) * 1e-9; }

// What the same command of another run is called.
std::string key_of(const Command& command) {
  if (command.is_kernel()) return "kernel " + command.name;
  const std::string what(name_of(command.kind, command.way));
  return command.is_transfer() ? what + " of " + base::counted(command.bytes, "byte") : what;
}

// A task with all its commands.
struct Task {
  const Command* first = nullptr;
  double seconds = 0;
};

// In the order in which they were put in.
std::vector<Task> tasks_of(const Timeline& timeline) {
  std::map<std::uint64_t, Task> tasks;
  for (const Command& command : timeline.commands) {
    if (command.task == 0) continue;
    Task& task = tasks[command.task];
    if (!task.first || (task.first->depends.empty() && !command.depends.empty())) task.first = &command;
    task.seconds += seconds_of(command);
  }
  std::vector<Task> all;
  for (const auto& [number, task] : tasks) all.push_back(task);
  return all;
}

// The tasks' times in another run.
std::vector<double> times_in(const Timeline& serial, const std::vector<Task>& tasks) {
  std::map<std::string, std::vector<double>> there;
  for (const Task& task : tasks_of(serial)) there[key_of(*task.first)].push_back(task.seconds);
  std::map<std::string, std::size_t> used;
  std::vector<double> times;
  for (const Task& task : tasks) {
    const std::string key = key_of(*task.first);
    const std::vector<double>& known = there[key];
    const std::size_t number = used[key]++;
    if (number >= known.size())
      base::fail(ErrorCode::invalid_argument,
                 "the serial trace has not the same commands: {} is there {}, and more often in the other one", key,
                 base::counted(known.size(), "time"));
    times.push_back(known[number]);
  }
  return times;
}

std::optional<double> path_of(const Timeline& timeline, const Timeline* serial) {
  const std::vector<Task> tasks = tasks_of(timeline);
  if (tasks.empty()) return std::nullopt;
  const std::vector<double> times = serial ? times_in(*serial, tasks) : std::vector<double>();
  std::map<std::uint64_t, std::size_t> numbers;
  std::vector<base::Step> steps;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    base::Step step{serial ? times[i] : tasks[i].seconds};
    for (const std::uint64_t parent : tasks[i].first->depends) {
      const auto found = numbers.find(parent);
      if (found != numbers.end()) step.parents.push_back(found->second);
    }
    numbers[tasks[i].first->task] = i;
    steps.push_back(std::move(step));
  }
  return base::longest_path(steps);
}

std::vector<KernelFigures> by_kernel(const Timeline& timeline) {
  std::vector<KernelFigures> all;
  std::map<std::string, std::size_t> numbers;
  for (const Command& command : timeline.commands) {
    if (!command.is_kernel()) continue;
    const auto [found, is_new] = numbers.emplace(command.name, all.size());
    if (is_new) all.emplace_back().name = command.name;
    KernelFigures& kernel = all[found->second];
    ++kernel.launches;
    kernel.last_seconds = seconds_of(command);
    kernel.total_seconds += kernel.last_seconds;
    kernel.mean_seconds = kernel.total_seconds / static_cast<double>(kernel.launches);
    kernel.last_grid = command.grid;
    kernel.last_block = command.block;
    kernel.last_shared = command.shared;
  }
  return all;
}

}  // namespace

Measures measure(const Timeline& timeline, const Timeline* serial) {
  Measures made;
  const std::vector<base::Interval> all = intervals(timeline);
  made.overlap = base::overlap(all);
  std::uint64_t begin = ~std::uint64_t{0};
  for (const Command& command : timeline.commands) {
    begin = std::min(begin, command.begin_ns);
    made.kernels += command.is_kernel();
    made.transfers += command.is_transfer();
    made.failed += command.failed;
  }
  if (!timeline.commands.empty()) made.seconds = static_cast<double>(timeline.end_ns() - begin) * 1e-9;
  made.path_seconds = path_of(timeline, serial);
  made.by_kernel = by_kernel(timeline);
  return made;
}

}  // namespace heddle::trace
