#include "device/sim/record/recorder.hpp"

#include "base/kernel_name.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::size_t most_events = 1'000'000;  // of a launch, of all SMs
constexpr std::size_t most_samples = 512;
constexpr Cycle first_sample_interval = 512;
constexpr std::uint64_t processes_of_a_launch = 10'000;  // numbers in the trace
constexpr const char* trace_head = "[\n";
constexpr const char* trace_tail =
    "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"end\"}}\n]\n";

constexpr const char *report_mark = R"("kind":"machine")", *trace_mark = R"("ph":)";

}  // namespace

void check_records(const RecordOptions& options) {
  if (!options.report.empty()) RecordFile::checked(options.report, "report", report_mark);
  if (!options.trace.empty()) RecordFile::checked(options.trace, "trace", trace_mark);
}

Recorder::Recorder(const MachineDescription& machine, const std::string& id, const RecordOptions& options)
    : machine_(machine), options_(options) {
  if (!options.report.empty()) report_.emplace(options.report, "report", report_mark, machine_json(machine, id));
  if (!options.trace.empty()) trace_.emplace(options.trace, "trace", trace_mark, trace_head);
  for (unsigned i = 0; i < machine.sms; ++i)
    sms_.push_back(std::make_unique<SmRecorder>(machine.residency.warps, machine.front.issue_interval));
}

void Recorder::begin(Cycle now) {
  const bool traces = trace_ && traced_ < options_.trace_launches;
  for (auto& sm : sms_) {
    sm->series().begin(now);
    if (traces)
      sm->trace().open(now + machine_.launching.kernel_cycles, options_.trace_cycles, most_events / sms_.size());
    else
      sm->trace().close();
  }
  if (report_) sms_.front()->follow_block(now);
  begin_ = next_sample_ = now;
  sample_interval_ = first_sample_interval;
  samples_.clear();
}

void Recorder::epoch(Cycle now, const MemoryModel& memory) {
  if (report_ && now >= next_sample_) sample(now, memory);
}

// Sums since begin(). When there are too many, every second one is dropped.
void Recorder::sample(Cycle now, const MemoryModel& memory) {
  const MemoryCounters counters = memory.counters();
  const auto look_ups = [](const CacheCounters& cache) { return cache.hits + cache.misses + cache.pending_hits; };
  samples_.push_back({now - begin_, counters.dram.bytes, counters.sm.l1.hits, look_ups(counters.sm.l1),
                      counters.l2.cache.hits, look_ups(counters.l2.cache)});
  if (samples_.size() >= most_samples) {
    for (std::size_t i = 1; i < samples_.size(); i += 2) samples_[i / 2] = samples_[i];
    samples_.resize(samples_.size() / 2);
    sample_interval_ *= 2;
  }
  next_sample_ = now + sample_interval_;
}

void Recorder::ended(const LaunchFacts& launch, const KernelStatistics& statistics, const std::string& failure) {
  ++launches_;
  if (report_) write_report(launch, statistics, failure);
  if (trace_) write_trace(launch);
  for (auto& sm : sms_) sm->forget(launch.work);
}

// The number under which the report has the function, which is written there first.
std::uint64_t Recorder::function_number(const LaunchFacts& launch, std::uint32_t function) {
  const machine::Program& program = launch.kernel.program();
  const machine::Code& code = program.code(function);
  const auto [found, is_new] = functions_.try_emplace({code.function, code.function->name}, functions_.size());
  if (is_new) report_->add(function_json(program.ptx(), code, found->second));
  return found->second;
}

void Recorder::write_report(const LaunchFacts& launch, const KernelStatistics& statistics, const std::string& failure) {
  RecordedFigures figures{.statistics = statistics, .memory = samples_, .failure = failure};
  if (!sms_.empty()) figures.series.begin(begin_);
  if (!sms_.empty()) figures.progress = &sms_.front()->progress();
  FunctionCounts counts;
  for (auto& sm : sms_) {
    figures.series.merge(sm->series());
    add(counts, sm->counts(launch.work));
  }
  for (auto& [function, lines] : counts)
    figures.lines.push_back({function_number(launch, function), &launch.kernel.program().code(function), lines});
  report_->add(launch_json(machine_, launch, figures, launches_));
}

void Recorder::write_trace(const LaunchFacts& launch) {
  const std::string name = base::demangled(launch.kernel.ptx().name);
  std::string text;
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    TraceEvents& events = sms_[i]->trace();
    text += trace_json(events, launch.kernel.program().ptx(), begin_, launches_ * processes_of_a_launch + i,
                       "launch " + std::to_string(launches_) + ": " + name + ", SM " + std::to_string(i));
    events.open(0, 0, 0);
  }
  if (text.empty()) return;
  ++traced_;
  trace_->add(text, trace_tail);
}

}  // namespace heddle::device::sim
