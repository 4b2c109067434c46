#include "device/cpu/launch_work.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "base/kernel_name.hpp"
#include "device/cpu/code_place.hpp"
#include "device/cpu/fault_handlers.hpp"
#include "device/cpu/fault_report.hpp"
#include "device/cpu/finding_text.hpp"
#include "device/cpu/ready_jobs.hpp"
#include "device/cpu/services.hpp"
#include "device/cpu/worker.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {
namespace {

// Chunks of a launch are held near this time: long enough to hide their cost, short enough that urgent work gets its
// turn and that workers end together.
constexpr std::uint64_t short_chunk_ns = 250'000, long_chunk_ns = 2'000'000;
constexpr std::uint64_t first_chunk_blocks = 64;

}  // namespace

bool LaunchWork::fits(const Worker& worker) const { return code().shape != Shape::fiber || worker.has_room(*this); }

void LaunchWork::on_complete() noexcept {
  try {
    if (services().options.check.leak)
      services().allocator->name_heap(command(), [this](std::uint32_t line) {
        return fmt::format("kernel '{}'{}", base::demangled(kernel().name), code_place(*this, line));
      });
    if (checker() != nullptr) report_findings();
  } catch (...) {
    fail(std::current_exception());
  }
  // Now that the places of all warps are known.
  if (failed() && time_limit() != nullptr && time_limit()->has_places())
    replace_failure(error_from([this] { return timeout_error(*this, *time_limit()); }));
  LaunchJob::on_complete();
}

void LaunchWork::report_findings() {
  // What was not recorded may have ordered accesses that look like a race.
  if (checker()->findings().incomplete())
    return fail(std::make_exception_ptr(Error(ErrorCode::out_of_memory, no_memory_for_records())));
  const std::vector<std::string> texts = describe_findings(*this, *services().allocator);
  if (texts.empty()) return;
  const auto& on_finding = services().options.on_finding;
  if (on_finding) {
    const std::string before = place().empty() ? "" : std::string(place()) + ": ";
    for (const std::string& text : texts) on_finding(before + text);
    return;
  }
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "\n") + text;
  fail(std::make_exception_ptr(Error(KernelFault::other, all)));
}

void LaunchWork::work(Worker& worker) noexcept {
  FaultHandlers::renew();
  if (code().shape == Shape::fiber) {
    worker.run_fibers(*this);
    return;
  }
  const unsigned sharers = allowed.all() ? worker.jobs().workers() : allowed.count(worker.jobs().workers());
  // Blocks of one call run one after the other in generated code: nothing could be filled in between.
  const bool one_by_one = services().options.poison_shared && shared_bytes() != 0;
  std::uint64_t most = one_by_one ? 1 : first_chunk_blocks;
  for (bool first = true;; first = false) {
    const BlockRange chunk = take(sharers, most);
    if (chunk.empty()) return;
    note_start(worker.jobs());
    if (!has_pieces() || failed()) {  // the last chunk needs no measuring
      worker.run_direct(*this, chunk);
      return;
    }
    if (first)
      worker.jobs().wake_several(*this, false);
    else
      worker.jobs().wake_one(*this, true);
    const std::uint64_t start = services().now_ns();
    worker.run_direct(*this, chunk);
    const std::uint64_t took = services().now_ns() - start;
    if (worker.interrupted()) return;
    if (one_by_one) continue;
    if (took < short_chunk_ns) most *= 2;
    if (took > long_chunk_ns && most > 1) most /= 2;
  }
}

}  // namespace heddle::device::cpu
