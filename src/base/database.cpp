#include "base/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <condition_variable>
#include <system_error>

#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

constexpr std::uint64_t patience_ns = 30'000'000'000, pause_ns = 10'000'000;

[[noreturn]] void fail(sqlite3* database, int error, const std::string& file = {}) {
  const int kind = error & 0xff;
  const char* const path = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
  throw DatabaseError(fmt::format("{}: {}",
                                  !file.empty()     ? file.c_str()
                                  : path != nullptr ? path
                                                    : "a database",
                                  database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(error)),
                      kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_ERROR);
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
  const int error = sqlite3_open_v2(path.c_str(), &database_, flags, nullptr);
  try {
    if (error != SQLITE_OK) fail(database_, error, path.string());
    sqlite3_busy_handler(database_, &Waiting::go_on, waiting_.get());
    make_tables(schema);
  } catch (...) {
    sqlite3_close(database_);
    throw;
  }
}

Database::~Database() { sqlite3_close(database_); }

void Database::make_tables(const Schema& schema) {
  const auto version = [this] {
    Rows rows = find("PRAGMA user_version");
    return rows.next() ? rows.integer(0) : 0;
  };
  if (version() == 0) {
    Transaction making(*this);
    if (version() == 0) {  // no other process has meanwhile
      const std::string text = fmt::format("{}; PRAGMA user_version = {}", schema.text, schema.version);
      if (const int error = sqlite3_exec(database_, text.c_str(), nullptr, nullptr, nullptr); error != SQLITE_OK)
        fail(database_, error);
    }
    making.commit();
  }
  if (version() != schema.version)
    throw DatabaseError(fmt::format("{} is of another version", sqlite3_db_filename(database_, "main")), true);
}

Database::Transaction::Transaction(Database& database) : database_(database) { database.change("BEGIN IMMEDIATE"); }

Database::Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Database::Transaction::commit() {
  database_.change("COMMIT");
  open_ = false;
}

void Database::remove(const std::filesystem::path& path) noexcept {
  std::error_code unused;
  for (const char* const ending : {"", "-journal", "-wal", "-shm"})
    std::filesystem::remove(std::filesystem::path(path).concat(ending), unused);
}

}  // namespace heddle::base
