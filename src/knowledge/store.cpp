#include "knowledge/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/cache_folder.hpp"
#include "base/database.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"

namespace heddle::knowledge {
namespace {

constexpr base::Database::Schema schema{
    1,
    "CREATE TABLE profiles (program TEXT, machine TEXT, share TEXT, workload TEXT, gpu_share REAL, fission TEXT,"
    " overlap INTEGER, block_sizes TEXT, best_seconds REAL, deviation REAL, origin TEXT, why TEXT,"
    " PRIMARY KEY (program, machine, share, workload)) WITHOUT ROWID"};

constexpr const char* columns =
    "program, machine, share, workload, gpu_share, fission, overlap, block_sizes, best_seconds, deviation, origin, why";

std::vector<unsigned> groups_of(std::string_view text) {
  std::vector<unsigned> groups;
  while (!text.empty()) {
    unsigned group = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), group);
    if (error != std::errc()) base::fail(ErrorCode::io_error, "a profile's groups are damaged: '{}'", text);
    groups.push_back(group);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return groups;
}

Profile read(const base::Rows& row) {
  Profile profile{.subject = {row.text(0), row.text(1), row.text(2)}, .workload = workload_of(row.text(3))};
  profile.configuration = {.gpu_share = row.real(4),
                           .fission = fission_named(row.text(5)),
                           .overlap = static_cast<unsigned>(row.integer(6)),
                           .groups = groups_of(row.text(7))};
  profile.best_seconds = row.real(8) < 0 ? never_run : row.real(8);
  profile.deviation = row.real(9);
  profile.origin = origin_named(row.text(10));
  profile.why = row.text(11);
  return profile;
}

}  // namespace

std::filesystem::path Store::usual_file() { return base::cache_directory() / "knowledge" / "knowledge.sqlite"; }

// Of a file that is not there, or that nobody has written yet: what it has is known without opening it, which would
// make it. So a cache that may not be written to can be read.
bool Store::is_empty() const {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(file_, error);
  if (status.type() == std::filesystem::file_type::not_found) return true;
  return std::filesystem::is_regular_file(status) && std::filesystem::file_size(file_, error) == 0 && !error;
}

template <class Use>
void Store::use(const Use& work) const {
  std::error_code unknown;
  // Before its owner and its mode are looked at: no pipe and no device is a database.
  if (file_ != usual_file() && std::filesystem::exists(std::filesystem::symlink_status(file_, unknown)))
    base::require_regular_file(file_);
  const std::filesystem::path folder = std::filesystem::absolute(file_).parent_path();
  if (std::string why; !base::make_cache(folder, &why))
    base::fail(ErrorCode::io_error, "the folder {} cannot be used for profiles: {}", folder.string(), why);
  if (const std::string why = base::distrust_file(file_); !why.empty()) throw Error(ErrorCode::io_error, why);
  const std::uint64_t begin_ns = clock_.now_ns();
  if (begin_ns < retry_ns_) throw Error(ErrorCode::io_error, last_error_);
  try {
    if (file_ == usual_file()) {
      base::use_database(file_, schema, clock_, work);
    } else {  // a file of the user's, which may be anything
      base::Database database(file_, schema, clock_);
      work(database);
    }
  } catch (const base::DatabaseError& error) {
    constexpr std::uint64_t back_off = 19, shortest_ns = 1'000'000'000;
    const std::uint64_t end_ns = clock_.now_ns(), took_ns = end_ns - begin_ns;
    last_error_ = fmt::format("the profiles cannot be used: {}", error.what());
    retry_ns_ = took_ns < shortest_ns ? 0 : end_ns + back_off * took_ns;
    throw Error(ErrorCode::io_error, last_error_);
  }
  // Whatever the umask is: see base/cache_folder.hpp.
  std::error_code ignored;
  std::filesystem::permissions(file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                               ignored);
}

std::optional<Profile> Store::find(const Subject& subject, const Workload& workload) const {
  std::optional<Profile> found;
  if (is_empty()) return found;
  use([&](base::Database& database) {
    base::Rows rows = database.find(fmt::format("SELECT {} FROM profiles WHERE program = ?1 AND machine = ?2 AND"
                                                " share = ?3 AND workload = ?4",
                                                columns),
                                    subject.program, subject.machine, subject.share, text_of(workload));
    if (rows.next()) found = read(rows);
  });
  return found;
}

std::vector<Profile> Store::all() const {
  std::vector<Profile> found;
  if (is_empty()) return found;
  use([&](base::Database& database) {
    found.clear();
    base::Rows rows = database.find(fmt::format("SELECT {} FROM profiles", columns));
    while (rows.next()) found.push_back(read(rows));
  });
  return found;
}

bool Store::keep(const Profile& profile) {
  bool kept = false;
  // SQLite has no infinity that all its tools can show; a negative time says that it was never run.
  const double seconds = std::isfinite(profile.best_seconds) ? profile.best_seconds : -1;
  use([&](base::Database& database) {
    base::Rows rows = database.find(
        "INSERT INTO profiles VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        " ON CONFLICT DO UPDATE SET gpu_share = ?5, fission = ?6, overlap = ?7, block_sizes = ?8, best_seconds = ?9,"
        " deviation = ?10, origin = ?11, why = ?12"
        " WHERE excluded.best_seconds >= 0 AND (best_seconds < 0 OR excluded.best_seconds < best_seconds)"
        " RETURNING 1",
        profile.subject.program, profile.subject.machine, profile.subject.share, text_of(profile.workload),
        profile.configuration.gpu_share, std::string_view(name(profile.configuration.fission)),
        static_cast<std::int64_t>(profile.configuration.overlap),
        fmt::format("{}", fmt::join(profile.configuration.groups, ",")), seconds, profile.deviation,
        std::string_view(name(profile.origin)), profile.why);
    kept = rows.next();
    while (rows.next()) continue;
  });
  return kept;
}

std::size_t Store::forget(std::string_view program, std::string_view workload, bool is_whole) {
  std::size_t count = 0;
  if (is_empty()) return count;
  use([&](base::Database& database) {
    base::Rows rows = database.find(
        "DELETE FROM profiles WHERE substr(program, 1, length(?1)) = ?1 AND (?2 = '' OR workload = ?2) "
        "AND (?3 = '' OR program = ?1) RETURNING 1",
        program, workload, std::string_view(is_whole ? "whole" : ""));
    for (count = 0; rows.next();) ++count;
  });
  return count;
}

}  // namespace heddle::knowledge
