#include "sweep/runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/child_process.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/spawn_attributes.hpp"
#include "base/system_limits.hpp"
#include "base/table.hpp"
#include "base/temporary_folder.hpp"
#include "base/thread.hpp"
#include "simreport/run.hpp"

extern char** environ;

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

// Starts heddle in the sweep's folder, with its output in `log`, and waits for it. Returns its exit code.
int run_heddle(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& folder,
               const fs::path& log) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const base::SpawnAttributes attributes;
  int error = 0;
  base::ChildProcess child([&] {
    pid_t pid = 0;
    error = ::posix_spawn(&pid, program.c_str(), &actions, attributes.get(), pointers.data(), environ);
    return error == 0 ? pid : -1;
  });
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    base::fail(error == ENOMEM ? ErrorCode::out_of_memory : ErrorCode::io_error, "cannot start {}: {}",
               program.string(), base::system_message(error) + (error == EAGAIN ? base::thread_limit_note() : ""));
  return child.wait();
}

// Why `heddle launch` failed: the first line of its message, which a report of threads may follow; else the last line
// that it printed; else how it ended.
std::string reason(const std::string& text, int code) {
  constexpr std::string_view begin = "heddle: ";
  std::string_view rest = text;
  while (!rest.empty() && rest.back() == '\n') rest.remove_suffix(1);
  if (rest.empty()) return fmt::format("heddle launch ended with exit code {} and no message", code);
  for (std::size_t at = rest.rfind(begin); at != rest.npos && at != 0; at = rest.rfind(begin, at - 1)) {
    if (rest[at - 1] != '\n') continue;
    rest.remove_prefix(at);
    break;
  }
  if (rest.starts_with(begin)) return std::string(rest.substr(0, rest.find('\n')));
  return std::string(rest.substr(rest.rfind('\n') + 1));
}

Result result_of(const simreport::Run& report) {
  Result result{.state = "done"};
  double lanes = 0, slots = 0;
  for (const simreport::Launch& launch : report.launches) {
    result.cycles += launch.cycles;
    result.ipc += launch.thread_instructions;
    result.occupancy += launch.occupancy * launch.cycles;
    lanes += launch.simd_efficiency * launch.warp_instructions;
    slots += launch.warp_instructions;
    result.dram_utilisation += launch.memory.dram_utilisation * launch.cycles;
  }
  const double cycles = std::max(result.cycles, 1.0);
  result.ipc /= cycles;
  result.occupancy /= cycles;
  result.dram_utilisation /= cycles;
  result.simd_efficiency = lanes / std::max(slots, 1.0);
  return result;
}

class Workers {
 public:
  Workers(const Plan& plan, const std::vector<PlannedRun>& runs, const RunnerOptions& options)
      : plan_(plan), runs_(runs), options_(options) {}

  void run() {
    std::vector<std::thread> threads;
    const unsigned count = std::max<unsigned>(std::min<std::size_t>(options_.jobs, runs_.size()), 1);
    threads.reserve(count);
    std::thread keeper = base::start_thread("sweep", [this] { keep_claims(); });
    std::exception_ptr no_thread;
    try {
      for (unsigned i = 0; i < count; ++i) threads.push_back(base::start_thread("sweep", [this] { work(); }));
    } catch (const Error&) {
      if (threads.empty()) no_thread = std::current_exception();  // else those that there are do all runs
    }
    for (std::thread& thread : threads) thread.join();
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    keeper.join();
    if (no_thread) std::rethrow_exception(no_thread);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    try {
      base::TemporaryFolder folder;  // removed when the results' descriptors are there again
      folder.create("sweep");
      const base::SteadyClock clock;
      Results results(plan_.results, clock);
      for (std::size_t i = next_++; i < runs_.size(); i = next_++)
        if (results.claim(runs_[i])) do_run(runs_[i], results, folder.path());
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = runs_.size();
    }
  }

  // So that other hosts see that this process lives. A file that cannot be written now is written later, or the workers
  // find that too.
  void keep_claims() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(Results::stale_seconds / 10), [this] { return ended_; })) {
      lock.unlock();
      try {
        const base::SteadyClock clock;
        Results(plan_.results, clock).keep_claims();
      } catch (const base::DatabaseError& error) {
        base::log_warn("{}", error.what());
      }
      lock.lock();
    }
  }

  void do_run(const PlannedRun& run, Results& results, const fs::path& folder) {
    const fs::path report = folder / "report.json", log = folder / "log";
    fs::remove(report);
    std::vector<std::string> arguments{"launch", run.source.string()};
    arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
    for (const std::string& word : {std::string("--device"), run.device(report.string()), std::string("--out-dir"),
                                    (folder / "results").string()})
      arguments.push_back(word);
    const int code = run_heddle(options_.program, arguments, plan_.file.parent_path(), log);
    Result result;
    std::string text;
    if (code != 0) {
      result = {.state = "failed", .error = reason(base::read_file_if_there(log).value_or(""), code)};
    } else if (!fs::exists(report)) {
      result = {.state = "failed", .error = "the launch has no blocks, so there is nothing to report"};
    } else {
      text = base::read_file(report);
      result = result_of(simreport::parse_run(text, report.string()));
    }
    results.finish(run, result, text);
    const std::lock_guard lock(mutex_);
    if (options_.done) options_.done(run, result);
  }

  const Plan& plan_;
  const std::vector<PlannedRun>& runs_;
  const RunnerOptions& options_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace

void run_all(const Plan& plan, const std::vector<PlannedRun>& runs, const RunnerOptions& options) {
  Workers(plan, runs, options).run();
}

std::string results_text(const std::vector<PlannedRun>& runs, Results& results) {
  using base::Align;
  base::Table table({{"run", Align::right},
                     {"machine"},
                     {"kernel"},
                     {"options"},
                     {"cycles", Align::right},
                     {"IPC", Align::right},
                     {"occupancy", Align::right},
                     {"lanes used", Align::right},
                     {"DRAM", Align::right},
                     {""}});
  const auto percent = [](double part) { return fmt::format("{:.1f} %", 100 * part); };
  for (const PlannedRun& run : runs) {
    const auto result = results.find(run);
    std::vector<std::string> cells{std::to_string(run.number), run.machine, run.kernel, run.options};
    if (result && result->state == "done")
      for (const std::string& cell :
           {base::format_count(static_cast<std::uint64_t>(result->cycles)), fmt::format("{:.2f}", result->ipc),
            percent(result->occupancy), percent(result->simd_efficiency), percent(result->dram_utilisation)})
        cells.push_back(cell);
    else
      for (const std::string& cell : {std::string("-"), std::string("-"), std::string("-"), std::string("-"),
                                      std::string("-"), result ? result->state + " " + result->error : "not yet done"})
        cells.push_back(cell);
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace heddle::sweep
