#include "sweep/results.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <locale>
#include <sstream>
#include <string>

#include "base/file.hpp"

namespace heddle::sweep {
namespace {

constexpr base::Database::Schema schema{1, R"(
CREATE TABLE runs(
  key TEXT PRIMARY KEY, number INTEGER, machine TEXT, kernel TEXT, options TEXT,
  state TEXT, host TEXT, process INTEGER, claimed INTEGER,
  cycles REAL, ipc REAL, occupancy REAL, simd_efficiency REAL, dram_utilisation REAL,
  error TEXT, report TEXT);
)"};

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// A process as the file has it: its number, and above that the time of its start, as numbers are used again. Files of
// earlier versions have the number alone.
constexpr unsigned number_bits = 22;  // of the largest number that Linux gives
constexpr std::int64_t number_mask = (std::int64_t{1} << number_bits) - 1;

struct Stat {
  char state = 0;
  std::int64_t start = 0;  // in ticks since the machine's start
};

// Of /proc: "17 (a name) S 1 ..."; nothing where that file cannot be read.
std::optional<Stat> stat_of(pid_t process) {
  constexpr int start_field = 22, state_field = 3;
  const auto text = base::read_file_if_there("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = text ? text->rfind(") ") : std::string::npos;
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text->substr(name_end + 2));
  rest.imbue(std::locale::classic());
  Stat stat;
  rest >> stat.state;
  std::string skipped;
  for (int field = state_field + 1; field < start_field; ++field) rest >> skipped;
  rest >> stat.start;
  return rest ? std::optional(stat) : std::nullopt;
}

std::int64_t this_process() {
  const auto stat = stat_of(::getpid());
  return ((stat ? stat->start : 0) << number_bits) | ::getpid();
}

// One that has been killed may still be there, until its parent has asked for its end.
bool is_alive(std::int64_t process) {
  const auto number = static_cast<pid_t>(process & number_mask);
  const std::int64_t start = process >> number_bits;
  if (const auto stat = stat_of(number))
    return stat->state != 'Z' && stat->state != 'X' && (start == 0 || start == stat->start);
  return ::kill(number, 0) == 0 || errno == EPERM;
}

}  // namespace

Results::Results(const std::filesystem::path& file, const base::Clock& clock) : database_(file, schema, clock) {}

bool Results::claim(const PlannedRun& run) {
  base::Database::Transaction transaction(database_);
  const std::string host = host_name();
  {
    base::Rows rows =
        // A claim of a later time than now is as old: one of the two clocks was wrong, and may have been set since.
        database_.find(
            "SELECT state, host, process, abs(strftime('%s', 'now') - claimed) > ?2 FROM runs WHERE key = ?1", run.key,
            std::int64_t{stale_seconds});
    if (rows.next()) {
      const bool here = rows.text(1) == host;
      const bool works = rows.text(0) == "running" && (here ? is_alive(rows.integer(2)) : rows.integer(3) == 0);
      if (rows.text(0) == "done" || works) return false;
    }
  }
  database_.change(
      "INSERT OR REPLACE INTO runs(key, number, machine, kernel, options, state, host, process, claimed) "
      "VALUES(?1, ?2, ?3, ?4, ?5, 'running', ?6, ?7, strftime('%s', 'now'))",
      run.key, static_cast<std::int64_t>(run.number), run.machine, run.kernel, run.options, host, this_process());
  transaction.commit();
  return true;
}

void Results::keep_claims() {
  database_.change(
      "UPDATE runs SET claimed = strftime('%s', 'now') WHERE state = 'running' AND host = ?1 AND process = ?2",
      host_name(), this_process());
}

void Results::finish(const PlannedRun& run, const Result& result, const std::string& report) {
  database_.change(
      "UPDATE runs SET state = ?2, cycles = ?3, ipc = ?4, occupancy = ?5, simd_efficiency = ?6, dram_utilisation = ?7, "
      "error = ?8, report = ?9 WHERE key = ?1",
      run.key, result.state, result.cycles, result.ipc, result.occupancy, result.simd_efficiency,
      result.dram_utilisation, result.error, report);
}

std::optional<Result> Results::find(const PlannedRun& run) {
  base::Rows rows = database_.find(
      "SELECT state, cycles, ipc, occupancy, simd_efficiency, dram_utilisation, error FROM runs WHERE key = ?1",
      run.key);
  if (!rows.next()) return std::nullopt;
  return Result{rows.text(0), rows.real(1), rows.real(2), rows.real(3), rows.real(4), rows.real(5), rows.text(6)};
}

}  // namespace heddle::sweep
