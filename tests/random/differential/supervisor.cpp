#include "random/differential/supervisor.hpp"
#include "support/wait_until.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>

namespace heddle::test::random_kernel {
namespace {

using Clock = std::chrono::steady_clock;

// Processes that end before they begin a kernel; so many in a row, and something else is wrong.
constexpr unsigned most_idle_ends = 3;

struct Range {
  std::uint64_t begin, end;
};

class Process {
 public:
  Process(const std::vector<std::string>& command, Range range) : next_(range.begin), end_(range.end) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Process() {
    if (output_ >= 0) ::close(output_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int output() const { return output_; }
  bool started() const { return pid_ > 0; }
  bool late(std::chrono::seconds patience) const { return Clock::now() - since_ > patience; }
  void kill() const { ::kill(pid_, SIGKILL); }
  // Reads what there is. False at the end of the output.
  bool read(Tally& tally) {
    char buffer[65536];
    const ssize_t size = ::read(output_, buffer, sizeof buffer);
    if (size <= 0) return false;
    text_.append(buffer, static_cast<std::size_t>(size));
    for (std::size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1))
      take(text_.substr(0, end), tally);
    return true;
  }
  // After the end of the output: what the process was at, if anything, becomes a result. The seeds that are left.
  Range finish(Tally& tally, bool killed) {
    const int status = wait_for_end();
    if (device_) {
      Comparison comparison{killed ? Verdict::endless : Verdict::crashed, {}};
      comparison.text = killed                ? "no end after the time allowed"
                        : WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                              : fmt::format("ended with {}", WEXITSTATUS(status));
      if (!stage_.empty()) comparison.text += " while " + stage_;
      add(*device_, seed_, std::move(comparison), tally);
    }
    return {next_, end_};
  }
  bool began() const { return began_; }

 private:
  static void add(const std::string& device, std::uint64_t seed, Comparison comparison, Tally& tally) {
    DeviceTally& own = tally.devices[device];
    ++own.counts[static_cast<int>(comparison.verdict)];
    if (comparison.verdict != Verdict::equal) own.remarkable.push_back({seed, std::move(comparison)});
  }

  // A driver may hang when its process ends.
  int wait_for_end() {
    int status = 0;
    if (!tests::wait_until([&] { return ::waitpid(pid_, &status, WNOHANG) != 0; }, std::chrono::seconds(10))) {
      kill();
      ::waitpid(pid_, &status, 0);
    }
    pid_ = -1;
    return status;
  }

  void take(const std::string& line, Tally& tally) {
    std::istringstream words(line);
    std::string what, device;
    words >> what;
    since_ = Clock::now();
    if (what == "stage") {
      std::getline(words >> std::ws, stage_);
      return;
    }
    std::uint64_t seed = 0;
    if (!(words >> seed >> device)) return;
    if (what == "begin") {
      if (!began_ || seed != seed_) ++tally.seeds_done;
      began_ = true;
      seed_ = seed;
      next_ = seed + 1;
      device_ = device;
      stage_.clear();
    } else if (what == "end") {
      int verdict = 0;
      std::string text;
      words >> verdict >> std::ws;
      std::getline(words, text);
      if (verdict < 0 || verdict >= verdict_count) verdict = static_cast<int>(Verdict::invalid);
      add(device, seed, {static_cast<Verdict>(verdict), unescaped(text)}, tally);
      device_.reset();
    }
  }

  pid_t pid_ = -1;
  int output_ = -1;
  std::uint64_t next_, end_;  // what has not begun
  std::uint64_t seed_ = 0;
  std::optional<std::string> device_;  // that it is at
  std::string stage_, text_;
  bool began_ = false;
  Clock::time_point since_ = Clock::now();
};

class Supervisor {
 public:
  explicit Supervisor(const Plan& plan) : plan_(plan) {
    const std::uint64_t step = std::max<std::uint64_t>(plan.range, 1);
    for (std::uint64_t begin = plan.begin; begin < plan.end; begin += step)
      waiting_.push_back({begin, std::min(begin + step, plan.end)});
  }

  Tally run() {
    const auto start = Clock::now();
    auto told = start;
    while (tally_.broken.empty() && (!waiting_.empty() || !running_.empty())) {
      while (running_.size() < std::max(plan_.jobs, 1u) && !waiting_.empty()) begin_one();
      wait();
      tally_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (plan_.progress && Clock::now() - told >= std::chrono::seconds(1)) {
        told = Clock::now();
        plan_.progress(tally_);
      }
    }
    running_.clear();
    for (auto& [id, device] : tally_.devices)
      std::sort(device.remarkable.begin(), device.remarkable.end(),
                [](const Result& a, const Result& b) { return a.seed < b.seed; });
    return std::move(tally_);
  }

 private:
  void begin_one() {
    const Range range = waiting_.front();
    waiting_.pop_front();
    running_.push_back(std::make_unique<Process>(plan_.command(range.begin, range.end), range));
    if (!running_.back()->started()) tally_.broken = "the process that runs kernels cannot be started";
  }

  void wait() {
    std::vector<pollfd> ends;
    ends.reserve(running_.size());
    for (const auto& process : running_) ends.push_back({process->output(), POLLIN, 0});
    ::poll(ends.data(), ends.size(), 200);
    for (std::size_t i = ends.size(); i-- > 0;) {
      Process& process = *running_[i];
      if (ends[i].revents != 0 && !process.read(tally_))
        end_one(i, false);
      else if (ends[i].revents == 0 && process.late(plan_.patience)) {
        process.kill();
        while (process.read(tally_)) {
        }
        end_one(i, true);
      }
    }
  }

  void end_one(std::size_t i, bool killed) {
    const Range left = running_[i]->finish(tally_, killed);
    idle_ends_ = running_[i]->began() ? 0 : idle_ends_ + 1;
    if (idle_ends_ >= most_idle_ends) tally_.broken = "the processes that run kernels end before they begin one";
    if (left.begin < left.end) waiting_.push_front(left);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  const Plan& plan_;
  std::deque<Range> waiting_;
  std::vector<std::unique_ptr<Process>> running_;
  Tally tally_;
  unsigned idle_ends_ = 0;
};

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\\')
      result += "\\\\";
    else
      result += c;
  }
  return result;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    result += text[++i] == 'n' ? '\n' : text[i];
  }
  return result;
}

std::uint64_t DeviceTally::kernels() const {
  return std::accumulate(std::begin(counts), std::end(counts), std::uint64_t{0});
}

Tally run_all(const Plan& plan) { return Supervisor(plan).run(); }

}  // namespace heddle::test::random_kernel
