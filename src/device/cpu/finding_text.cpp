#include "device/cpu/finding_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/cpu/code_place.hpp"
#include "device/cpu/memory.hpp"

namespace heddle::device::cpu {
namespace {

using Hazard = Finding::Hazard;
using Kind = Finding::Kind;

constexpr std::size_t most_shown = 16;

const char* name_of(Hazard hazard) {
  switch (hazard) {
    case Hazard::read_after_write: return "read after write";
    case Hazard::write_after_read: return "write after read";
    case Hazard::write_after_write: return "write after write";
  }
  return "";
}

std::string head(const LaunchJob& job, const Finding::Place& place) {
  return fmt::format("kernel '{}', block {}, thread {}{}", base::demangled(job.kernel().name),
                     block_name(job, place.block), thread_name(job, place.thread), code_place(job, place.line));
}

std::string where(const Finding& finding, const LaunchJob& job, const Allocator& allocator) {
  if (finding.shared)
    return fmt::format("at offset {} of shared memory, which has {}", finding.address,
                       base::counted(job.shared_bytes(), "byte"));
  return fmt::format("at address {:#x}, which is {}", finding.address, allocator.whereabouts(finding.address));
}

bool is_one(std::uint32_t mask) { return __builtin_popcount(mask) == 1; }

// "lanes 3, 16 to 31".
std::string lanes(std::uint32_t mask) {
  std::string text = is_one(mask) ? "lane " : "lanes ";
  bool is_first = true;
  for (unsigned i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0) continue;
    unsigned last = i;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    text += (is_first ? "" : ", ") + (last == i ? std::to_string(i) : fmt::format("{} to {}", i, last));
    is_first = false;
    i = last;
  }
  return text;
}

// As OrderKind::aligned_barrier has it.
std::string barrier_name(std::uint32_t named) {
  const std::uint32_t threads = named >> 16;
  return fmt::format("barrier {} for {}", named & 0xffff,
                     threads == 0 ? std::string("the whole block") : base::counted(threads, "thread"));
}

std::string describe_race(const Finding& finding, const LaunchJob& job, const Allocator& allocator) {
  const bool reads = finding.hazard == Hazard::read_after_write && !finding.atomic;
  const char* doing = finding.atomic ? "atomic or volatile access" : reads ? "read" : "write";
  const char* did = finding.before_atomic                        ? "accessed (atomic or volatile)"
                    : finding.hazard == Hazard::write_after_read ? "read"
                                                                 : "written";
  const std::string other_block = finding.before.block == finding.place.block
                                      ? std::string()
                                      : fmt::format(" of block {}", block_name(job, finding.before.block));
  return fmt::format("race ({}): {}: {} of {} {}; it was {} by thread {}{}{}, and nothing orders the two",
                     name_of(finding.hazard), head(job, finding.place), doing, base::counted(finding.size, "byte"),
                     where(finding, job, allocator), did, thread_name(job, finding.before.thread), other_block,
                     code_place(job, finding.before.line));
}

std::string describe(const Finding& finding, const LaunchJob& job, const Allocator& allocator) {
  switch (finding.kind) {
    case Kind::race: return describe_race(finding, job, allocator);
    case Kind::uninitialised:
      return fmt::format("uninitialised read: {}: read of {} {}; nobody has written there", head(job, finding.place),
                         base::counted(finding.size, "byte"), where(finding, job, allocator));
    case Kind::absent_lanes:
      return fmt::format(
          "synchronisation: {}: the member mask {:#010x} names {}, but {} left the kernel or {} other code",
          head(job, finding.place), finding.members, lanes(finding.absent),
          is_one(finding.absent) ? "that lane has" : "those lanes have", is_one(finding.absent) ? "runs" : "run");
    case Kind::divergent_lanes:
      return fmt::format("synchronisation: {}: the lanes of the warp are at different operations; thread {} waits{}",
                         head(job, finding.place), thread_name(job, finding.before.thread),
                         code_place(job, finding.before.line));
    case Kind::divergent_barrier:
      return fmt::format("synchronisation: {}: the threads of the block are at different barriers; thread {} waits{}",
                         head(job, finding.place), thread_name(job, finding.before.thread),
                         code_place(job, finding.before.line));
    case Kind::exited_barrier:
      return fmt::format(
          "synchronisation: {}: not all threads of the block come to the barrier: {} left the kernel "
          "or run other code",
          head(job, finding.place), finding.absent == 1 ? "1 has" : fmt::format("{} have", finding.absent));
    case Kind::divergent_numbers:
      return fmt::format(
          "synchronisation: {}: all lanes of a warp must give an aligned barrier the same numbers; here it is {}, and "
          "of thread {} it is {}{}",
          head(job, finding.place), barrier_name(finding.named), thread_name(job, finding.before.thread),
          barrier_name(finding.before_named),
          finding.before.line == finding.place.line ? "" : code_place(job, finding.before.line));
    case Kind::partial_barrier:
      return fmt::format(
          "synchronisation: {}: all lanes of a warp must come to an aligned barrier together, but {} {} left the "
          "kernel or {} other code",
          head(job, finding.place), lanes(finding.absent), is_one(finding.absent) ? "has" : "have",
          is_one(finding.absent) ? "runs" : "run");
  }
  return {};
}

// The line of the source, where it is known; else the place in the PTX.
std::string source_line(const LaunchJob& job, unsigned number) {
  const std::string place = code_place(job, number);
  return place.substr(0, place.find(" (PTX line"));
}

// A loop that is unrolled, or a function that is inlined, has many instructions of one line. People have one mistake.
std::vector<Findings::Counted> by_lines(const std::vector<Findings::Counted>& all, const LaunchJob& job) {
  std::vector<Findings::Counted> merged;
  std::map<std::tuple<Kind, Hazard, bool, std::string, std::string>, std::size_t> known;
  for (const Findings::Counted& one : all) {
    const Finding& finding = one.finding;
    const auto [at, made] =
        known.try_emplace({finding.kind, finding.hazard, finding.shared, source_line(job, finding.place.line),
                           source_line(job, finding.before.line)},
                          merged.size());
    if (made)
      merged.push_back(one);
    else
      merged[at->second].count += one.count;
  }
  return merged;
}

}  // namespace

std::vector<std::string> describe_findings(const LaunchJob& job, const Allocator& allocator) {
  const std::vector<Findings::Counted> all = by_lines(job.checker()->findings().all(), job);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(all.size(), most_shown); ++i) {
    std::string text = describe(all[i].finding, job, allocator);
    if (all[i].count > 1) text += fmt::format(" ({} times between these places)", all[i].count);
    texts.push_back(std::move(text));
  }
  if (all.size() > most_shown)
    texts.push_back(fmt::format("kernel '{}': {} more places with mistakes", base::demangled(job.kernel().name),
                                all.size() - most_shown));
  return texts;
}

}  // namespace heddle::device::cpu
