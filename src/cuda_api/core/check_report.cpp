#include "cuda_api/core/check_report.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>

#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {
namespace {

constexpr int exit_finding = 99;
std::atomic<bool> found{false};

// Faults that nobody has waited for: the program may end without asking.
void wait_for_all(Process& process) noexcept {
  for (int i = 0; i < process.device_count(); ++i) {
    try {
      process.context(i).synchronize();
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
  try {
    process->runtime().write_trace();
  } catch (const std::exception& error) {  // a full disk
    std::fprintf(stderr, "heddle error: %s\n", error.what());
  }
  if (!found.load()) return;
  std::fflush(nullptr);
  ::_exit(exit_finding);
}

}  // namespace

bool checks() noexcept {
  const Process* const process = Process::if_made();
  return process && process->settings().check;
}

void report_finding(const char* message) noexcept {
  if (!checks() || found.exchange(true)) return;
  std::fflush(stdout);
  std::string_view rest = message;
  std::fputs("========= HEDDLE CHECK\n", stderr);
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    std::fprintf(stderr, "========= %.*s\n", static_cast<int>(line.size()), line.data());
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  std::fputs("========= The first fault is reported; the program goes on with CUDA's error and ends with code 99.\n",
             stderr);
}

}  // namespace heddle::cuda_api
