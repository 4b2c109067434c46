#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/clock.hpp"
#include "base/printable.hpp"
#include "base/thread.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

}  // namespace

Progress::Progress(const std::string& what, std::function<double()> done)
    : what_(base::printable(what)), done_part_(std::move(done)) {
  if (::isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = base::start_thread("progress", [this] { show(); });
  } catch (const Error&) {  // it is no reason not to do the work
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const base::Lock lock(mutex_);
    done_ = true;
  }
  finished_.notify_one();
  thread_.join();
}

void Progress::show() {
  base::Lock lock(mutex_);
  const base::SteadyClock clock;
  int seconds = 0;
  for (std::uint64_t next_ns = clock.now_ns() + second_ns;; next_ns += second_ns) {
    while (!done_ && clock.now_ns() < next_ns) clock.wait_until(lock, finished_, next_ns);
    if (done_) break;
    const std::string part = done_part_ ? fmt::format(", {:.1f} %", 100 * done_part_()) : std::string();
    std::fprintf(stderr, "\r%s%s ... %d s", what_.c_str(), part.c_str(), ++seconds);
    std::fflush(stderr);
  }
  if (seconds > 0) std::fprintf(stderr, "\r\x1b[K");
}

}  // namespace heddle::cli
