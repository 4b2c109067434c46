// Rows in a file that several processes share: SQLite.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/file_identity.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::base {

// The file cannot be used: the disk is full, another process has it for too long, or it is damaged.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(const std::string& what, bool damaged) : std::runtime_error(what), damaged_(damaged) {}
  // It will never be usable: what is in it is no database, or one of another version or another program.
  bool damaged() const { return damaged_; }

 private:
  bool damaged_;
};

// The rows of a query's result. The database outlives it.
class Rows {
 public:
  // Moves to the next row; the first call moves to the first row. False: there is no further row.
  bool next();
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;

 private:
  friend class Database;
  Rows(sqlite3& database, std::string_view sql);
  void bind(int place, std::string_view value);
  void bind(int place, std::int64_t value);
  void bind(int place, double value);

  sqlite3& database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

// One thread at a time. All functions throw DatabaseError.
class Database {
 public:
  struct Schema {
    int version = 1;   // a file of another version counts as damaged
    const char* text;  // makes the tables
  };
  // Opens or creates the file. A database that has other tables is another program's: it counts as damaged, and nothing
  // is written to it. `clock` outlives the database; it times the waits for other processes, at most 30 s.
  Database(const std::filesystem::path& path, const Schema& schema, const Clock& clock);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Values are strings, std::int64_t and double. They are bound to ?1, ?2, ...
  template <class... Values>
  Rows find(std::string_view sql, const Values&... values) {
    Rows rows(*database_, sql);
    int place = 0;
    (rows.bind(++place, values), ...);
    return rows;
  }
  template <class... Values>
  void change(std::string_view sql, const Values&... values) {
    find(sql, values...).next();
  }

  // Changes that take effect all together at commit(), or not at all. Meanwhile other processes can read, but not
  // write.
  class Transaction {
   public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

   private:
    Database& database_;
    bool open_ = true;
  };

  // Gives a damaged file another name, NAME.damaged or NAME.damaged.2 and so on, and logs a warning with that name and
  // `why`. Does nothing if `path` is no longer `found`: another process has set it aside. Throws DatabaseError.
  static void set_aside(const std::filesystem::path& path, const FileIdentity& found, const std::string& why);

 private:
  std::int64_t version();
  // Of all tables and indices, the text that makes them.
  std::map<std::string, std::string> objects();
  void make_tables(const Schema& schema);
  void check_tables(const Schema& schema);

  struct Waiting;
  const std::unique_ptr<Waiting> waiting_;
  sqlite3* database_ = nullptr;
};

// Opens the database and calls use(database). A damaged file is set aside, with a warning; an empty database takes its
// place, and use() is called again. For files that Heddle has named, not the user.
template <class Use>
void use_database(const std::filesystem::path& path, const Database::Schema& schema, const Clock& clock,
                  const Use& use) {
  FileIdentity found = file_identity(path);
  std::string why;
  try {
    Database database(path, schema, clock);
    found = file_identity(path);
    return use(database);
  } catch (const DatabaseError& error) {
    if (!error.damaged()) throw;
    why = error.what();
  }
  Database::set_aside(path, found, why);
  Database database(path, schema, clock);
  use(database);
}

}  // namespace heddle::base
