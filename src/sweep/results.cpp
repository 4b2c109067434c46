#include "sweep/results.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

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

bool is_alive(std::int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

}  // namespace

Results::Results(const std::filesystem::path& file, const base::Clock& clock) : database_(file, schema, clock) {}

bool Results::claim(const PlannedRun& run) {
  base::Database::Transaction transaction(database_);
  const std::string host = host_name();
  {
    base::Rows rows =
        database_.find("SELECT state, host, process, strftime('%s', 'now') - claimed > ?2 FROM runs WHERE key = ?1",
                       run.key, std::int64_t{stale_seconds});
    if (rows.next()) {
      const bool here = rows.text(1) == host;
      const bool works = rows.text(0) == "running" && (here ? is_alive(rows.integer(2)) : rows.integer(3) == 0);
      if (rows.text(0) == "done" || works) return false;
    }
  }
  database_.change(
      "INSERT OR REPLACE INTO runs(key, number, machine, kernel, options, state, host, process, claimed) "
      "VALUES(?1, ?2, ?3, ?4, ?5, 'running', ?6, ?7, strftime('%s', 'now'))",
      run.key, static_cast<std::int64_t>(run.number), run.machine, run.kernel, run.options, host,
      static_cast<std::int64_t>(::getpid()));
  transaction.commit();
  return true;
}

void Results::keep_claims() {
  database_.change(
      "UPDATE runs SET claimed = strftime('%s', 'now') WHERE state = 'running' AND host = ?1 AND process = ?2",
      host_name(), static_cast<std::int64_t>(::getpid()));
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
