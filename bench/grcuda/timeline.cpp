#include "timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "support/statistics.hpp"
#include "trace/picture.hpp"
#include "trace/timeline.hpp"

namespace heddle::bench::grcuda {
namespace {

using base::Interval;

// A GPU's clock is known to some microseconds on the host's; executions are further apart than that.
constexpr std::uint64_t apart_ns = 20'000'000;

void sort(std::vector<Interval>& timeline) {
  std::stable_sort(timeline.begin(), timeline.end(),
                   [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
}

std::vector<Interval> read_trace(const std::string& file, std::uint64_t since_ns) {
  std::vector<Interval> found;
  for (const auto& event : nlohmann::json::parse(base::read_file(file))) {
    if (event.value("ph", "") != "X") continue;
    Interval interval;
    interval.kind = event.at("cat") == "launch" ? Interval::Kind::kernel : Interval::Kind::transfer;
    const auto nanoseconds = [&](const char* key) {
      return static_cast<std::uint64_t>(std::llround(event.at(key).get<double>() * 1e3));
    };
    interval.begin_ns = nanoseconds("ts");
    interval.end_ns = interval.begin_ns + nanoseconds("dur");
    if (interval.begin_ns >= since_ns) found.push_back(interval);
  }
  sort(found);
  return found;
}

bool is_kernel(const Interval& interval) { return interval.kind == Interval::Kind::kernel; }

// Seconds of what lies between one launch and the next, together: copies at the same time count once.
double seconds_of(std::span<const Interval> transfers) {
  double seconds = 0;
  std::uint64_t until = 0;
  for (const Interval& transfer : transfers) {
    const std::uint64_t begin = std::max(transfer.begin_ns, until);
    if (transfer.end_ns > begin) seconds += static_cast<double>(transfer.end_ns - begin) * 1e-9;
    until = std::max(until, transfer.end_ns);
  }
  return seconds;
}

}  // namespace

void let_copies_take_turns(std::vector<Interval>& timeline, std::size_t reads) {
  std::vector<Interval*> copies;
  for (Interval& interval : timeline)
    if (!is_kernel(interval)) copies.push_back(&interval);
  const auto to_host = copies.end() - static_cast<std::ptrdiff_t>(std::min(reads, copies.size()));
  const auto take_turns = [](auto begin, auto end) {
    std::sort(begin, end, [](const Interval* a, const Interval* b) { return a->end_ns < b->end_ns; });
    std::uint64_t free_ns = 0;
    for (auto copy = begin; copy != end; ++copy) {
      (*copy)->begin_ns = std::clamp(free_ns, (*copy)->begin_ns, (*copy)->end_ns);
      free_ns = (*copy)->end_ns;
    }
  };
  take_turns(copies.begin(), to_host);
  take_turns(to_host, copies.end());
  sort(timeline);
}

Timeline trace(const Benchmark& benchmark, const std::string& device, const Scheduling& scheduling,
               const Shape& shape) {
  base::TemporaryFolder folder;
  folder.create("grcuda");
  const std::string file = folder.path() / "timeline.json";
  Timeline made;
  std::uint64_t since_ns = 0;
  {
    Runtime runtime({.devices = device, .scheduling = scheduling, .trace = file});
    const auto program = benchmark.on_heddle(runtime);
    for (const unsigned round : {1u, 0u}) {
      program->touch(round);
      runtime.synchronize();
      std::this_thread::sleep_for(std::chrono::nanoseconds(apart_ns));
      since_ns = base::SteadyClock().now_ns() - apart_ns / 2;
      made.seconds = time_once([&] { program->run(shape); });
    }
  }
  made.intervals = read_trace(file, since_ns);
  let_copies_take_turns(made.intervals, benchmark.plan().reads.size());
  const auto launches = std::count_if(made.intervals.begin(), made.intervals.end(), is_kernel);
  if (static_cast<std::size_t>(launches) != benchmark.plan().launches.size())
    throw std::runtime_error(
        fmt::format("the timeline has {} launches instead of {}", launches, benchmark.plan().launches.size()));
  return made;
}

void draw(const Benchmark& benchmark, const std::string& device, const Shape& shape,
          const std::filesystem::path& picture) {
  base::TemporaryFolder folder;
  folder.create("grcuda");
  const std::string file = folder.path() / "timeline.json";
  std::uint64_t before = 0;
  {
    Runtime runtime({.devices = device, .trace = file});
    const auto program = benchmark.on_heddle(runtime);
    for (const unsigned round : {1u, 0u}) {
      program->touch(round);
      runtime.synchronize();
      runtime.write_trace();
      for (const trace::Command& command : trace::read_timeline(file).commands) before = std::max(before, command.task);
      program->run(shape);
    }
  }
  trace::Timeline timeline = trace::read_timeline(file);
  std::erase_if(timeline.commands, [&](const trace::Command& command) { return command.task <= before; });
  std::uint64_t begin_ns = ~std::uint64_t{0};
  for (const trace::Command& command : timeline.commands) begin_ns = std::min(begin_ns, command.begin_ns);
  for (trace::Command& command : timeline.commands) {
    command.begin_ns -= begin_ns;
    command.end_ns -= begin_ns;
  }
  base::write_file_atomic(picture, trace::picture(timeline));
}

// Two steps for each launch: its copies, and itself; then the reads, the last of which have the copies to the host.
double contention_free(const Plan& plan, const Timeline& serial, bool transfers) {
  std::vector<base::Step> steps;
  const std::span<const Interval> all = serial.intervals;
  std::size_t at = 0;
  for (const Plan::Launch& launch : plan.launches) {
    const std::size_t first = at;
    while (at < all.size() && !is_kernel(all[at])) ++at;
    if (at == all.size()) throw std::runtime_error("the timeline has fewer launches than the benchmark");
    std::vector<std::size_t> parents{steps.size()};
    for (const std::size_t behind : launch.behind) parents.push_back(2 * behind + 1);
    for (const std::size_t other : launch.with_copies_of) parents.push_back(2 * other);
    steps.push_back({transfers ? seconds_of(all.subspan(first, at - first)) : 0});
    steps.push_back({static_cast<double>(all[at].end_ns - all[at].begin_ns) * 1e-9, std::move(parents)});
    ++at;
  }
  const std::span<const Interval> rest = all.subspan(at);
  if (std::any_of(rest.begin(), rest.end(), is_kernel))
    throw std::runtime_error("the timeline has more launches than the benchmark");
  const std::size_t before = rest.size() - std::min(rest.size(), plan.reads.size());
  for (std::size_t i = before; i < rest.size() && transfers; ++i)
    steps.push_back({seconds_of(rest.subspan(i, 1)), {2 * plan.reads[i - before] + 1}});
  return base::longest_path(steps);
}

}  // namespace heddle::bench::grcuda
