#include "cuda_api/core/wait_line.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "base/format.hpp"
#include "base/thread_safety.hpp"
#include "base/variables.hpp"
#include "base/watcher.hpp"
#include "heddle/error.hpp"

namespace heddle::cuda_api {
namespace {

constexpr std::uint64_t patience_ns = 2'000'000'000, pause_ns = 500'000'000;
constexpr std::size_t most_columns = 78;  // a line that is wrapped could not be taken away

// What stands behind the cursor is ours.
constexpr const char* clear = "\x1b[J";

bool wanted() {
  static const bool is = [] {
    try {
      return base::truth_variable("HEDDLE_RUN_PROGRESS").value_or(false) && ::isatty(STDERR_FILENO) != 0;
    } catch (const Error&) {  // told by read_settings()
      return false;
    }
  }();
  return is;
}

void write(const std::string& text) {
  // In one piece, and past the program's own buffers.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

// What the process shows. Never taken down: programs wait in their last destructors, too.
class Shown {
 public:
  void begin() {
    const base::Lock lock(mutex_);
    if (waiting_++ > 0) return;
    since_ns_ = clock_.now_ns();
    ++turn_;
    try {
      if (!started_) std::thread([this] { watch(); }).detach();
    } catch (const std::system_error&) {  // the process can have no more threads: then nothing is shown
      return;
    }
    started_ = true;
    changed_.notify_one();
  }
  void end() {
    const base::Lock lock(mutex_);
    if (--waiting_ > 0) return;
    ++turn_;
    if (on_screen_) write(clear);
    on_screen_ = false;
    changed_.notify_one();
  }
  void launched(std::string_view kernel) {
    const base::Lock lock(mutex_);
    if (kernel != mangled_) name(kernel);
    ++launches_;
  }

 private:
  // As the source has it, without parameters.
  void name(std::string_view kernel) HEDDLE_REQUIRES(mutex_) {
    mangled_ = kernel;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled_.c_str(), nullptr, nullptr, nullptr),
                                                      std::free);
    kernel_ = text && kernel.starts_with("_Z") ? text.get() : mangled_;
    kernel_ = kernel_.substr(0, kernel_.find('(', 1));
  }
  void watch() {
    base::Lock lock(mutex_);
    for (;;) {
      while (waiting_ == 0) lock.wait(changed_);
      const unsigned turn = turn_;
      for (std::uint64_t next_ns = since_ns_ + patience_ns; wait_until(lock, next_ns, turn); next_ns += pause_ns)
        show();
    }
  }
  // False: the wait of that turn is over.
  bool wait_until(base::Lock& lock, std::uint64_t deadline_ns, unsigned turn) HEDDLE_REQUIRES(mutex_) {
    while (turn == turn_ && clock_.now_ns() < deadline_ns) clock_.wait_until(lock, changed_, deadline_ns);
    return turn == turn_;
  }
  // On the line below the cursor, which goes back to where it was: what the program has begun to write stays, and goes
  // on there.
  void show() HEDDLE_REQUIRES(mutex_) {
    const double seconds = static_cast<double>(clock_.now_ns() - since_ns_) * 1e-9;
    std::string line = "waiting for " + (kernel_.empty() ? "the device" : kernel_);
    if (launches_ > 1) line += fmt::format(", the last of {} launches", base::format_count(launches_));
    const std::string time = fmt::format(", {:.0f} s", seconds);
    if (line.size() + time.size() > most_columns) line = line.substr(0, most_columns - time.size() - 2) + "..";
    write(std::string(clear) + ("\x1b"
                                "D\x1b[A\x1b"
                                "7\x1b[B\r" +
                                line + time +
                                "\x1b"
                                "8"));
    on_screen_ = true;
  }

  base::Mutex mutex_;
  std::condition_variable changed_;
  unsigned waiting_ HEDDLE_GUARDED_BY(mutex_) = 0;
  unsigned turn_ HEDDLE_GUARDED_BY(mutex_) = 0;
  bool started_ HEDDLE_GUARDED_BY(mutex_) = false;
  bool on_screen_ HEDDLE_GUARDED_BY(mutex_) = false;
  const std::shared_ptr<base::Watcher> watcher_ = base::process_watcher();
  const base::Clock& clock_ = watcher_->clock();
  std::uint64_t since_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::string mangled_ HEDDLE_GUARDED_BY(mutex_);
  std::string kernel_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t launches_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

Shown& shown() {
  static Shown* const made = new Shown;
  return *made;
}

}  // namespace

WaitLine::WaitLine() : shown_(wanted()) {
  if (shown_) shown().begin();
}

WaitLine::~WaitLine() {
  if (shown_) shown().end();
}

void note_launch(std::string_view kernel) {
  if (wanted()) shown().launched(kernel);
}

}  // namespace heddle::cuda_api
