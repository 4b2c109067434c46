#include "base/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <system_error>

#include "base/log.hpp"
#include "base/size_limit_signal.hpp"
#include "base/system_limits.hpp"
#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

constexpr std::uint64_t patience_ns = 30'000'000'000, pause_ns = 10'000'000;

// SQLite opens a file that it may not make once more, to read it, and keeps the second error: that there is no file.
int system_error_of(sqlite3* database, const std::filesystem::path& path) {
  const int system = database != nullptr ? sqlite3_system_errno(database) : 0;
  if (system != ENOENT || path.empty()) return system;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  return ::access(folder.c_str(), W_OK | X_OK) != 0 ? errno : system;
}

std::string reason_of(sqlite3* database, int error, const std::filesystem::path& path) {
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  if ((error & 0xff) == SQLITE_BUSY)
    return fmt::format("the database is locked by another process, and was for {} s", patience_ns / ns_per_s);
  if ((error & 0xff) == SQLITE_READONLY) return "the database may not be written to";
  std::string reason = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(error);
  const int system = system_error_of(database, path);
  const int kind = error & 0xff;
  if ((kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR || kind == SQLITE_FULL) && system != 0)
    reason += fmt::format(" ({})", system_message(system));
  return reason;
}

[[noreturn]] void fail(sqlite3* database, int error, const std::string& file = {}) {
  const int kind = error & 0xff;
  const char* const path = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
  throw DatabaseError(fmt::format("{}: {}",
                                  !file.empty()     ? file.c_str()
                                  : path != nullptr ? path
                                                    : "a database",
                                  reason_of(database, error, file)),
                      kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_ERROR);
}

std::map<std::string, std::string> objects_of(const char* schema) {
  struct Memory {
    ~Memory() { sqlite3_close(database); }
    sqlite3* database = nullptr;
  } memory;
  std::map<std::string, std::string> found;
  const auto note = [](void* all, int, char** values, char**) {
    (*static_cast<std::map<std::string, std::string>*>(all))[values[0]] = values[1];
    return 0;
  };
  int error = sqlite3_open_v2(":memory:", &memory.database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (error == SQLITE_OK) error = sqlite3_exec(memory.database, schema, nullptr, nullptr, nullptr);
  if (error == SQLITE_OK)
    error = sqlite3_exec(memory.database, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL", note, &found,
                         nullptr);
  if (error != SQLITE_OK) fail(memory.database, error, "a database in memory");
  return found;
}

// Of a database that could not be made, as on a full disk. One that another process has made meanwhile is not empty.
void remove_empty(const std::filesystem::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0) ::unlink(path.c_str());
}

}  // namespace

// How long the file has been another process's.
struct Database::Waiting {
  const Clock& clock;
  std::uint64_t deadline_ns = 0;

  static int go_on(void* self, int times_before) { return static_cast<Waiting*>(self)->pause(times_before) ? 1 : 0; }
  bool pause(int times_before) {
    const std::uint64_t now_ns = clock.now_ns();
    if (times_before == 0) deadline_ns = now_ns + patience_ns;
    if (now_ns >= deadline_ns) return false;
    Mutex mutex;
    std::condition_variable nobody_notifies;
    Lock lock(mutex);
    clock.wait_until(lock, nobody_notifies, now_ns + pause_ns);
    return true;
  }
};

Rows::Rows(sqlite3& database, std::string_view sql) : database_(database), statement_(nullptr, &sqlite3_finalize) {
  sqlite3_stmt* made = nullptr;
  const int error = sqlite3_prepare_v2(&database, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  if (error != SQLITE_OK) fail(&database, error);
}

void Rows::bind(int place, std::string_view value) {
  // SQLite takes a null pointer for NULL, which no empty string is.
  const char* const text = value.data() != nullptr ? value.data() : "";
  const int error = sqlite3_bind_text(statement_.get(), place, text, static_cast<int>(value.size()), SQLITE_TRANSIENT);
  if (error != SQLITE_OK) fail(&database_, error);
}

void Rows::bind(int place, std::int64_t value) {
  if (const int error = sqlite3_bind_int64(statement_.get(), place, value); error != SQLITE_OK) fail(&database_, error);
}

void Rows::bind(int place, double value) {
  if (const int error = sqlite3_bind_double(statement_.get(), place, value); error != SQLITE_OK)
    fail(&database_, error);
}

bool Rows::next() {
  const WithoutSizeLimitSignal only_fails;
  const int result = sqlite3_step(statement_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) fail(&database_, result);
  return result == SQLITE_ROW;
}

std::string Rows::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr ? "" : text;
}
std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Rows::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

Database::Database(const std::filesystem::path& path, const Schema& schema, const Clock& clock)
    : waiting_(std::make_unique<Waiting>(clock)) {
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const bool is_new = file_identity(path) == FileIdentity();
  const int error = sqlite3_open_v2(path.c_str(), &database_, flags, nullptr);
  try {
    if (error != SQLITE_OK) fail(database_, error, path.string());
    sqlite3_busy_handler(database_, &Waiting::go_on, waiting_.get());
    make_tables(schema);
  } catch (...) {
    sqlite3_close(database_);
    if (is_new) remove_empty(path);
    throw;
  }
}

Database::~Database() { sqlite3_close(database_); }

std::int64_t Database::version() {
  Rows rows = find("PRAGMA user_version");
  return rows.next() ? rows.integer(0) : 0;
}

std::map<std::string, std::string> Database::objects() {
  std::map<std::string, std::string> found;
  Rows rows = find("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL");
  while (rows.next()) found[rows.text(0)] = rows.text(1);
  return found;
}

void Database::make_tables(const Schema& schema) {
  const WithoutSizeLimitSignal only_fails;
  if (version() == 0 && objects().empty()) {
    Transaction making(*this);
    if (version() == 0 && objects().empty()) {  // no other process has meanwhile, and no other program
      const std::string text = fmt::format("{}; PRAGMA user_version = {}", schema.text, schema.version);
      if (const int error = sqlite3_exec(database_, text.c_str(), nullptr, nullptr, nullptr); error != SQLITE_OK)
        fail(database_, error);
    }
    making.commit();
  }
  check_tables(schema);
}

// Programs give their databases whatever version they like, so the tables decide. Those of the schema are what SQLite
// makes of it in memory.
void Database::check_tables(const Schema& schema) {
  const std::map<std::string, std::string> found = objects();
  bool has_all = true, has_names = true;
  for (const auto& [name, text] : objects_of(schema.text)) {
    const auto own = found.find(name);
    has_names = has_names && own != found.end();
    has_all = has_all && own != found.end() && own->second == text;
  }
  if (has_all && version() == schema.version) return;
  const char* const path = sqlite3_db_filename(database_, "main");
  throw DatabaseError(has_names ? fmt::format("{} is of another version", path)
                                : fmt::format("{} is the database of another program, or of another part of this one; "
                                              "nothing was written to it",
                                              path),
                      true);
}

Database::Transaction::Transaction(Database& database) : database_(database) { database.change("BEGIN IMMEDIATE"); }

Database::Transaction::~Transaction() {
  const WithoutSizeLimitSignal only_fails;
  if (open_) sqlite3_exec(database_.database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Database::Transaction::commit() {
  database_.change("COMMIT");
  open_ = false;
}

void Database::set_aside(const std::filesystem::path& path, const FileIdentity& found, const std::string& why) {
  if (file_identity(path) != found) return;
  constexpr int most_kept = 1000;
  std::filesystem::path aside;
  for (int number = 1; number <= most_kept; ++number) {
    aside = std::filesystem::path(path).concat(number == 1 ? ".damaged" : fmt::format(".damaged.{}", number));
    if (file_identity(aside) == FileIdentity()) break;
  }
  std::error_code error, unused;
  std::filesystem::rename(path, aside, error);
  if (error)
    throw DatabaseError(fmt::format("{}, and it cannot be renamed to {}: {}", why, aside.string(), error.message()),
                        false);
  // What SQLite keeps beside a database belongs to it by its name, and would be taken for a part of the next one.
  for (const char* const ending : {"-journal", "-wal", "-shm"})
    std::filesystem::rename(std::filesystem::path(path).concat(ending), std::filesystem::path(aside).concat(ending),
                            unused);
  log_warn("{}. The file is kept as {}, and an empty one takes its place.", why, aside.string());
}

}  // namespace heddle::base
