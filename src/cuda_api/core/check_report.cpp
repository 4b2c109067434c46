#include "cuda_api/core/check_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "base/caller_place.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "cuda_api/core/arguments.hpp"
#include "cuda_api/core/failure.hpp"
#include "cuda_api/core/host_function.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/thread_state.hpp"

namespace heddle::cuda_api {
namespace {

constexpr int exit_finding = 99;
constexpr int every_owner = -2;  // for report_leaks()
std::atomic<bool> found{false};

const char* kind_of(const Block& block) {
  switch (block.kind) {
    case BlockKind::host: return "pinned host memory";
    case BlockKind::managed: return "managed memory";
    default: return block.pool ? "device memory of a pool" : "device memory";
  }
}

// Each mistake is printed once, however many launches and calls make it: one in a loop must not hide the others.
class Mistakes {
 public:
  // Whether to print it.
  bool add(std::string_view text) noexcept {
    const std::uint64_t hash = base::hash64(text);
    const std::lock_guard lock(mutex_);
    const auto end = printed_.begin() + count_;
    if (std::find(printed_.begin(), end, hash) != end) {
      ++repeated_;
      return false;
    }
    if (count_ == printed_.size()) {
      ++more_;
      return false;
    }
    printed_[count_++] = hash;
    return true;
  }
  bool any() const noexcept {
    const std::lock_guard lock(mutex_);
    return count_ != 0;
  }
  void print_rest() const noexcept {
    const std::lock_guard lock(mutex_);
    if (more_ != 0) std::fprintf(stderr, "========= %u more mistakes\n", more_);
    if (repeated_ != 0) std::fprintf(stderr, "========= %u times one of these mistakes again\n", repeated_);
  }

 private:
  static constexpr std::size_t most = 64;  // printed in full
  mutable std::mutex mutex_;
  std::array<std::uint64_t, most> printed_{};
  std::size_t count_ = 0;
  unsigned more_ = 0, repeated_ = 0;
};
Mistakes mistakes;

void print(std::string_view text) noexcept {
  std::fflush(stdout);
  std::fputs("========= HEDDLE CHECK\n", stderr);
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    std::fprintf(stderr, "========= %.*s\n", static_cast<int>(line.size()), line.data());
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

// Faults that nobody has waited for: the program may end without asking. A host function of a stream that calls exit()
// does not wait, as its stream waits for it.
void wait_for_all(Process& process) noexcept {
  if (in_host_function()) return;
  for (int i = 0; i < process.device_count(); ++i) {
    try {
      process.context(i).synchronize();
    } catch (const std::bad_alloc&) {
      report_finding("the process has no more memory");
    } catch (const std::exception& error) {
      report_finding(error.what());
    }
  }
}

// Runs when the program has ended by itself: behind its own destructors and functions for exit, with its output in the
// buffers still. A program that crashed keeps its signal.
__attribute__((destructor)) void end_of_program() {
  Process* const process = Process::if_made();
  if (!process) return;
  if (process->settings().check) wait_for_all(*process);
  if (process->settings().check.leak) {
    report_leaks(every_owner);
    try {
      for (const std::string& text : process->runtime().device_heap()) report_mistake(text.c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "heddle error: %s\n", error.what());
    }
  }
  try {
    process->runtime().write_trace();
  } catch (const std::exception& error) {  // a full disk
    std::fprintf(stderr, "heddle error: %s\n", error.what());
  }
  mistakes.print_rest();
  if (!found.load() && !mistakes.any()) return;
  std::fflush(nullptr);
  ::_exit(exit_finding);
}

}  // namespace

void report_mistake(const char* message) noexcept {
  if (mistakes.add(message)) print(message);
}

base::CallerPlace place_for_reports() noexcept {
  const Process* const process = Process::if_made();
  const bool is_off = process && !process->settings().check.api;  // a launch may be the program's first call
  return is_off ? base::CallerPlace() : base::caller_place();
}

void report_failed_call(const char* function, cudaError_t code, const char* message) noexcept {
  const Process* const process = Process::if_made();
  if (!process || !process->settings().check.api) return;
  try {
    // A kernel's stub is called by the expression that the program has written, and has the kernel's line.
    const base::CallerPlace& taken = thread_state().launch_place;
    const std::string place = (taken.empty() ? base::caller_place() : taken).text();
    const Arguments* const arguments = thread_state().arguments;
    report_mistake(fmt::format("api: {}({}){}: {} ({})", function, arguments != nullptr ? arguments->text() : "...",
                               place.empty() ? "" : ", called at " + place, message, name_of(code))
                       .c_str());
  } catch (const std::exception&) {
    report_mistake(message);
  }
}

void report_leaks(int owner) noexcept {
  Process* const process = Process::if_made();
  if (!process || !process->settings().check.leak) return;
  try {
    const std::vector<int> faulted = process->contexts.with_faults();
    process->memory.for_each([&](const Block& block) {
      if (!block.memory || (owner != every_owner && block.owner != owner)) return;
      if (std::find(faulted.begin(), faulted.end(), block.owner) != faulted.end()) return;  // its cudaFree() fails
      report_mistake(fmt::format("leak: {} of {} at {:#x} were not freed{}", base::counted(block.size, "byte"),
                                 kind_of(block), block.address,
                                 block.made_by.empty() ? "" : "; allocated at " + block.made_by.text())
                         .c_str());
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle error: %s\n", error.what());
  }
}

bool checks() noexcept {
  const Process* const process = Process::if_made();
  return process && process->settings().check;
}

void report_finding(const char* message) noexcept {
  if (!checks() || found.exchange(true)) return;
  print(message);
  std::fputs("========= The first fault is reported; the program goes on with CUDA's error and ends with code 99.\n",
             stderr);
}

}  // namespace heddle::cuda_api
