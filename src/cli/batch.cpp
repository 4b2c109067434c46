// heddle batch: a queue of jobs under a scheduling policy.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/print_error.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "base/watcher.hpp"
#include "batch/constants.hpp"
#include "batch/knowledge.hpp"
#include "batch/profile.hpp"
#include "batch/rates.hpp"
#include "batch/run.hpp"
#include "cli/command.hpp"
#include "cli/job_file.hpp"
#include "cli/launch_options.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/source_options.hpp"
#include "runtime/devices.hpp"
#include "sched/make_policy.hpp"
#include "sched/policy/kernelet.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000, longest_wait_ns = 86'400 * second_ns;  // a day
constexpr const char* measured_policy = "opt";

struct Options {
  std::string file, device = "sim:fermi-c2050", policy = "kernelet";
  std::string check;   // kinds; empty: none
  double timeout = 0;  // seconds; 0: none
  bool explain = false, json = false, again = false, has_ratios = false;
  unsigned ratios = 3;
  CompileOptions compile;
};

// A kernel of the file that is loaded, with its launches.
struct Loaded {
  JobText job;
  KernelText text;
  std::unique_ptr<batch::Kernel> kernel;
};

// What is wrong with a job is said of it, and not of the command line.
template <class Work>
auto of_job(const JobText& job, const Work& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    base::fail(ErrorCode::invalid_argument, "{}: {}", job.place, error.what());
  } catch (const Error& error) {
    throw Error(error.code(), job.place + ": " + error.what());
  }
}

class Batch {
 public:
  explicit Batch(const Options& options) : options_(options) {
    check_device_of("heddle batch", options.device);
    check_policy();
    const Checks checks = checks_of(options.check);
    devices_ =
        runtime::open_devices(options.device, {.check = checks,
                                               .on_finding = [this](const std::string& text) { findings_.note(text); },
                                               .launch_timeout_ms = milliseconds_of(options.timeout)});
    for (const JobText& job : read_job_file(options.file)) {
      loaded_.push_back(load(job, checks));
    }
    check_results();
    for (const Loaded& one : loaded_) of_job(one.job, [&] { add_jobs(one); });
  }

  batch::BatchResult run() {
    auto policy = make_policy();
    note_waiting();
    double blocks = 0;
    for (const batch::Job& job : jobs_) blocks += static_cast<double>(job.kernel->blocks());
    std::atomic<std::uint64_t> ended = 0;
    const Progress progress("running " + base::counted(jobs_.size(), "job"),
                            [&] { return blocks > 0 ? static_cast<double>(ended) / blocks : 1; });
    const auto executor = batch::make_executor(device(), base::process_watcher());
    return batch::run_batch(*executor, jobs_, std::move(policy), corun_ ? &*corun_ : nullptr, &ended);
  }
  const std::vector<batch::Job>& jobs() const { return jobs_; }
  // Of the kernels whose launches run one after the other: why.
  std::vector<std::string> orders() const {
    std::vector<std::string> orders;
    for (const Loaded& one : loaded_)
      if (one.job.count > 1 && one.kernel->ordered())
        orders.push_back(
            fmt::format("launches of {} run one after the other: {}", one.kernel->name(), one.kernel->why_ordered()));
    return orders;
  }

  // After all launches. Throws FoundMistakes if --check has found any.
  void end() {
    if (checks_of(options_.check).leak)
      for (const std::string& text : device().heap_blocks()) findings_.note(text);
    findings_.throw_if_any();
  }

  // The results of `out` and `inout` arguments.
  void write_results() {
    for (const Loaded& one : loaded_) {
      const std::vector<std::filesystem::path>& files = one.text.results;
      if (one.job.count == 0) continue;  // nothing was run
      for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].empty()) continue;
        const ArgumentText& text = one.text.arguments[i];
        base::write_npy(files[i], {text.type, text.shape, one.kernel->read(i)});
      }
    }
  }

 private:
  device::Device& device() const { return *devices_.front(); }

  // What is wrong whatever the job file holds.
  void check_policy() const {
    const bool measured = options_.policy == measured_policy;
    if (options_.has_ratios && !measured)
      throw UsageError("--ratios is of the pairs that --policy opt measures; " + options_.policy + " measures none");
    if (measured) return;
    check_policy_option(options_.policy);
    const auto policy = sched::make_policy(options_.policy);
    if (!policy) throw UsageError("--policy direct submits nothing later; base is what streams do");
    if (options_.again && !policy->sees_ranges())
      throw UsageError("--again measures kernels anew, and --policy " + options_.policy + " measures none");
  }

  Loaded load(const JobText& job, const Checks& checks) const {
    return of_job(job, [&] {
      Loaded made{job, read_kernel(job, options_.compile), nullptr};
      made.text.spec.check = checks;
      made.kernel = std::make_unique<batch::Kernel>(device(), made.text.spec);
      return made;
    });
  }

  // No result replaces the job file, a source, an array that is read, or another result.
  void check_results() const {
    std::vector<std::filesystem::path> inputs{options_.file};
    for (const Loaded& one : loaded_) inputs.insert(inputs.end(), one.text.inputs.begin(), one.text.inputs.end());
    std::vector<base::Output> outputs = base::outputs_of_devices(options_.device);
    for (const Loaded& one : loaded_)
      for (std::size_t i = 0; i < one.text.results.size(); ++i) {
        const std::filesystem::path& file = one.text.results[i];
        if (file.empty()) continue;
        of_job(one.job, [&] { check_output(one.job.arguments[i] + " to", file, inputs, base::FileKind::npy); });
        outputs.push_back({fmt::format("{}: {}", one.job.place, one.job.arguments[i]), file});
      }
    check_outputs(outputs);
  }

  void add_jobs(const Loaded& one) {
    const JobText& job = one.job;
    std::vector<std::uint64_t> times(job.count);
    if (job.rate > 0) times = batch::poisson_arrivals(job.rate, job.count, job.seed);
    for (const std::uint64_t time : times) {
      const std::uint64_t arrival_ns = time + static_cast<std::uint64_t>(job.arrival * 1e9);
      if (!device().info().simulated && arrival_ns > longest_wait_ns)
        throw UsageError(fmt::format(
            "a launch of {} would arrive after {} s, and {} waits for {} s at most. Simulated GPUs alone skip "
            "time in which nothing runs, as --device sim:fermi-c2050",
            one.text.spec.name, arrival_ns / second_ns + (arrival_ns % second_ns != 0 ? 1 : 0), device().info().id,
            longest_wait_ns / second_ns));
      jobs_.push_back({one.kernel.get(), arrival_ns});
    }
  }

  // On a device whose time is that of the clock.
  void note_waiting() const {
    constexpr std::uint64_t short_wait_ns = 5'000'000'000;
    if (device().info().simulated || jobs_.empty()) return;
    const auto last = std::max_element(jobs_.begin(), jobs_.end(), [](const batch::Job& a, const batch::Job& b) {
      return a.arrival_ns < b.arrival_ns;
    });
    if (last->arrival_ns <= short_wait_ns) return;
    base::print_error("heddle: note: the last launch, of {}, arrives after {}; until then {} waits\n",
                      base::printable(last->kernel->name()),
                      base::format_duration(static_cast<double>(last->arrival_ns) * 1e-9), device().info().id);
  }

  // Each processor is a unit here.
  void note_step() const {
    const std::string note = sched::note_on_policy(options_.policy, device().info().id, device().info().processors);
    if (!note.empty()) base::print_error("heddle: note: {}\n", note);
  }

  std::unique_ptr<sched::Policy> make_policy() {
    const bool measured = options_.policy == measured_policy;
    if (!measured) note_step();
    auto policy = measured ? nullptr : sched::make_policy(options_.policy);
    if (!measured && !policy->sees_ranges()) return policy;
    if (device().info().capability == 0 && !device().info().simulated) {
      if (measured)
        throw UsageError("--policy opt needs a GPU, simulated or real, on which pairs of kernels are measured");
      if (options_.again)
        throw UsageError("--again measures kernels anew, and on " + device().info().id + " none is measured");
      base::print_error("heddle: note: kernels have no profiles on {}, and run whole\n", device().info().id);
      return policy;
    }
    const Progress progress("measuring kernels");
    find_profiles();
    if (!measured) return policy;
    std::vector<batch::Kernel*> kernels;
    for (const Loaded& one : loaded_) {
      const bool known = std::any_of(kernels.begin(), kernels.end(),
                                     [&](const batch::Kernel* other) { return other->id() == one.kernel->id(); });
      if (!known) kernels.push_back(one.kernel.get());
    }
    sched::KerneletOptions options;
    options.prune = false;
    auto rates =
        std::make_unique<sched::MeasuredRates>(batch::measure_pairs(*profiler_, kernels, *corun_, options_.ratios));
    for (batch::Kernel* kernel : kernels) kernel->reset();  // the pairs ran on their arrays
    return std::make_unique<sched::KerneletPolicy>(std::move(rates), options);
  }

  void find_profiles() {
    profiler_ = batch::make_profiler(device(), base::process_watcher());
    batch::Knowledge knowledge(clock_, !options_.again);
    const std::string name = batch::describe_for_knowledge(device());
    corun_ = profiler_->corun(knowledge.latency(name, [&] { return batch::measure_latency(device()); }));
    for (const Loaded& one : loaded_)
      one.kernel->traits = knowledge.profile(name, one.kernel->id(), [&] {
        auto traits = batch::profile(*profiler_, *one.kernel, *corun_);
        one.kernel->reset();
        return traits;
      });
  }

  const Options& options_;
  const base::SteadyClock clock_;
  Findings findings_;
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::unique_ptr<batch::Profiler> profiler_;
  std::vector<Loaded> loaded_;
  std::vector<batch::Job> jobs_;
  std::optional<sched::CoRunDevice> corun_;
};

std::string time_text(std::uint64_t ns) { return base::format_duration(static_cast<double>(ns) * 1e-9); }

void print_text(const Options& options, const std::vector<batch::Job>& jobs, const batch::BatchResult& result,
                const std::vector<std::string>& orders) {
  base::Table table({{"job"},
                     {"arrival", base::Align::right},
                     {"begin", base::Align::right},
                     {"end", base::Align::right},
                     {"from arrival to end", base::Align::right}});
  for (std::size_t i = 0; i < jobs.size(); ++i)
    table.add_row({jobs[i].kernel->name(), time_text(jobs[i].arrival_ns), time_text(result.jobs[i].begin_ns),
                   time_text(result.jobs[i].end_ns), time_text(result.jobs[i].end_ns - jobs[i].arrival_ns)});
  fmt::print("{}", table.text());
  if (options.explain)
    for (const std::string& order : orders) fmt::print("{}\n", base::printable(order));
  if (options.explain)
    for (const batch::Reason& reason : result.reasons) fmt::print("{:>10}  {}\n", time_text(reason.at_ns), reason.text);
  fmt::print("total      {} for {} under {}\n", time_text(result.total_ns), base::counted(jobs.size(), "job"),
             options.policy);
  fmt::print("submitted  {}; {}, {} of the host\n", base::counted(result.ranges, "range"),
             base::counted(result.decisions, "decision"), base::format_duration(result.decision_seconds));
}

void print_json(const Options& options, const std::vector<batch::Job>& jobs, const batch::BatchResult& result,
                const std::vector<std::string>& orders) {
  nlohmann::json json = {{"policy", options.policy},
                         {"seconds", static_cast<double>(result.total_ns) * 1e-9},
                         {"ranges", result.ranges},
                         {"decisions", result.decisions},
                         {"decision_seconds", result.decision_seconds},
                         {"jobs", nlohmann::json::array()},
                         {"orders", orders},
                         {"reasons", nlohmann::json::array()}};
  const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; };
  for (std::size_t i = 0; i < jobs.size(); ++i)
    json["jobs"].push_back({{"name", jobs[i].kernel->name()},
                            {"arrival", seconds(jobs[i].arrival_ns)},
                            {"begin", seconds(result.jobs[i].begin_ns)},
                            {"end", seconds(result.jobs[i].end_ns)}});
  for (const batch::Reason& reason : result.reasons)
    json["reasons"].push_back({{"seconds", seconds(reason.at_ns)}, {"text", reason.text}});
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void add_batch(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("batch", "runs a queue of kernels under a scheduling policy");
  command->add_option("file", options->file, "the jobs, TOML: docs/batch.md")->required();
  command->add_option("--device", options->device, "cpu, cuda:0, or a simulated GPU")->capture_default_str();
  command->add_option("--policy", options->policy, "kernelet, serial, base:STREAMS, opt, mc:SEED, slice:BLOCKS")
      ->capture_default_str();
  add_check_option(*command, options->check);
  add_timeout_option(*command, options->timeout);
  command->add_flag("--explain", options->explain, "what was run with what, and why");
  const CLI::Option* const ratios = command->add_option("--ratios", options->ratios, "of each pair that opt measures")
                                        ->check(CLI::Range(1, 1024))
                                        ->capture_default_str();
  command->add_flag("--again", options->again, "measure, whatever is known from before");
  command->add_flag("--json", options->json, "JSON");
  add_compile_options(*command, options->compile);
  command->callback([options, ratios] {
    options->has_ratios = ratios->count() > 0;
    Batch batch(*options);
    const batch::BatchResult result = batch.run();
    batch.write_results();
    (options->json ? print_json : print_text)(*options, batch.jobs(), result, batch.orders());
    batch.end();
  });
}

}  // namespace heddle::cli
