#include "batch/knowledge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <locale>
#include <optional>
#include <sstream>

#include "base/cache_folder.hpp"
#include "base/database.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "device/sim/stepped.hpp"
#include "heddle/version.hpp"

namespace heddle::batch {
namespace {

constexpr base::Database::Schema schema{
    2,
    "CREATE TABLE latency (device TEXT PRIMARY KEY, base REAL, per_request REAL, offset REAL, uncoalesced_base REAL, "
    "hit REAL)"
    " WITHOUT ROWID;"
    "CREATE TABLE profile (device TEXT, kernel INTEGER, memory_ratio REAL, uncoalesced REAL, uncoalesced_requests "
    "REAL, accesses_per_wait REAL, misses REAL, far REAL, issue_cycles REAL, pipe INTEGER,"
    " threads INTEGER, registers INTEGER, shared INTEGER, block_instructions REAL, pipeline_use REAL, memory_use REAL,"
    " least_blocks INTEGER, alone_ipc REAL, demands TEXT, PRIMARY KEY (device, kernel)) WITHOUT ROWID"};

// Opens the database and calls use(database); false if it cannot be opened.
template <class Use>
bool with_database(const base::Clock& clock, const Use& use) {
  const std::filesystem::path folder = base::cache_directory() / "knowledge";
  if (!base::make_cache(folder)) return false;
  const std::filesystem::path file = folder / "kernels.sqlite";
  if (const std::string why = base::distrust_file(file); !why.empty()) {
    base::log_warn_once(why);
    return false;
  }
  try {
    base::use_database(file, schema, clock, use);
    // Whatever the umask is: see base/cache_folder.hpp.
    std::error_code ignored;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                                 ignored);
    return true;
  } catch (const base::DatabaseError& error) {
    base::log_warn("what was measured of kernels is not kept: {}", error.what());
    return false;
  }
}

// Measuring happens outside of the database: it may take long, and another process that measures the same gets the
// same.
template <class Value, class Read, class Write>
Value read_or_measure(const base::Clock& clock, bool keep, const Read& read, const Write& write,
                      const std::function<Value()>& measure) {
  std::optional<Value> known;
  if (keep) with_database(clock, [&](base::Database& database) { known = read(database); });
  if (known) return *known;
  const Value measured = measure();
  if (keep) with_database(clock, [&](base::Database& database) { write(database, measured); });
  return measured;
}

// The cycles by station, the accesses and the cycles away by numbers of warps, as words.
std::string text_of(const model::Demands& demands) {
  return fmt::format("{} {} {} {}", fmt::join(demands.cycles, " "), demands.accesses,
                     fmt::join(demands.away.warps, " "), fmt::join(demands.away.cycles, " "));
}
// Nothing, if the text is of other stations.
std::optional<model::Demands> demands_of(const std::string& text) {
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  model::Demands made;
  for (double& cycles : made.cycles) words >> cycles;
  words >> made.accesses;
  for (double& warps : made.away.warps) words >> warps;
  for (double& cycles : made.away.cycles) words >> cycles;
  return words ? std::optional(made) : std::nullopt;
}

}  // namespace

std::string describe_for_knowledge(device::Device& device) {
  const device::DeviceInfo& info = device.info();
  if (info.simulated)
    return fmt::format("{} {:016x} {}", info.id,
                       base::hash64(device::sim::to_toml(device::sim::SteppedMachine(device).machine())), version);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.fill(0);
  return fmt::format("{} {} {} {}", host.data(), info.id, info.name, version);
}

model::MemoryLatency Knowledge::latency(const std::string& device,
                                        const std::function<model::MemoryLatency()>& measure) {
  const auto read = [&](base::Database& database) -> std::optional<model::MemoryLatency> {
    base::Rows rows =
        database.find("SELECT base, per_request, offset, uncoalesced_base, hit FROM latency WHERE device = ?1", device);
    if (!rows.next()) return std::nullopt;
    return model::MemoryLatency{rows.real(0), rows.real(1), rows.real(2), rows.real(3), rows.real(4)};
  };
  const auto write = [&](base::Database& database, const model::MemoryLatency& made) {
    database.change("INSERT OR REPLACE INTO latency VALUES (?1, ?2, ?3, ?4, ?5, ?6)", device, made.base,
                    made.per_request, made.offset, made.uncoalesced_base, made.hit);
  };
  return read_or_measure<model::MemoryLatency>(clock_, keep_, read, write, measure);
}

sched::KernelTraits Knowledge::profile(const std::string& device, std::uint64_t kernel,
                                       const std::function<sched::KernelTraits()>& measure) {
  const auto id = static_cast<std::int64_t>(kernel);
  const auto read = [&](base::Database& database) -> std::optional<sched::KernelTraits> {
    base::Rows rows = database.find(
        "SELECT memory_ratio, uncoalesced, uncoalesced_requests, accesses_per_wait, misses, far, issue_cycles, pipe, "
        "threads, registers, "
        "shared, block_instructions,"
        " pipeline_use, memory_use, least_blocks, alone_ipc, demands FROM profile WHERE device = ?1 AND kernel = ?2",
        device, id);
    if (!rows.next()) return std::nullopt;
    sched::KernelTraits made;
    made.id = kernel;
    made.kernel.profile = {rows.real(0), rows.real(1), rows.real(2), rows.real(3),
                           rows.real(4), rows.real(5), rows.real(6), static_cast<unsigned>(rows.integer(7))};
    made.kernel.needs = {static_cast<unsigned>(rows.integer(8)), static_cast<unsigned>(rows.integer(9)),
                         static_cast<std::uint64_t>(rows.integer(10))};
    made.kernel.block_instructions = rows.real(11);
    made.kernel.pipeline_use = rows.real(12);
    made.kernel.memory_use = rows.real(13);
    made.kernel.least_blocks = static_cast<unsigned>(rows.integer(14));
    made.alone_ipc = rows.real(15);
    const std::optional<model::Demands> demands = demands_of(rows.text(16));
    if (!demands) return std::nullopt;
    made.kernel.demands = *demands;
    return made;
  };
  const auto write = [&](base::Database& database, const sched::KernelTraits& made) {
    const model::Candidate& of = made.kernel;
    const auto whole = [](auto value) { return static_cast<std::int64_t>(value); };
    database.change(
        "INSERT OR REPLACE INTO profile VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
        "?17, ?18, ?19)",
        device, id, of.profile.memory_ratio, of.profile.uncoalesced, of.profile.uncoalesced_requests,
        of.profile.accesses_per_wait, of.profile.misses, of.profile.far, of.profile.issue_cycles,
        whole(of.profile.pipe), whole(of.needs.threads), whole(of.needs.registers), whole(of.needs.shared),
        of.block_instructions, of.pipeline_use, of.memory_use, whole(of.least_blocks), made.alone_ipc,
        text_of(of.demands));
  };
  return read_or_measure<sched::KernelTraits>(clock_, keep_, read, write, measure);
}

}  // namespace heddle::batch
