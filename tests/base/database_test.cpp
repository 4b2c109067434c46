// Rows that processes share, and files that are damaged or have no room.
#include "base/database.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/file.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

constexpr Database::Schema schema{3, "CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER, size REAL)"};

class DatabaseTest : public testing::Test {
 protected:
  std::int64_t value_of(std::string_view name) {
    std::int64_t value = -1;
    use_database(path_, schema, clock_, [&](Database& database) {
      Rows rows = database.find("SELECT value FROM numbers WHERE name = ?1", name);
      if (rows.next()) value = rows.integer(0);
    });
    return value;
  }
  void set(std::string_view name, std::int64_t value, int version = schema.version) {
    use_database(path_, {version, schema.text}, clock_, [&](Database& database) {
      database.change("INSERT OR REPLACE INTO numbers VALUES (?1, ?2, ?3)", name, value, 0.5);
    });
  }
  // The exit status of another process that runs this.
  template <class Work>
  static int in_child(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }

  const tests::TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "numbers.sqlite";
  const SteadyClock clock_;
};

TEST_F(DatabaseTest, KeepsRows) {
  EXPECT_EQ(value_of("a"), -1);
  set("a", 5'000'000'000);
  set("it's", 2);
  EXPECT_EQ(value_of("a"), 5'000'000'000);
  EXPECT_EQ(value_of("it's"), 2);
  Database database(path_, schema, clock_);
  Rows rows = database.find("SELECT name, size FROM numbers ORDER BY name");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "a");
  EXPECT_EQ(rows.real(1), 0.5);
  EXPECT_TRUE(rows.next());
  EXPECT_FALSE(rows.next());
}

TEST_F(DatabaseTest, ChangesThatAreNotCommittedAreNone) {
  set("a", 1);
  {
    Database database(path_, schema, clock_);
    const Database::Transaction half(database);
    database.change("UPDATE numbers SET value = 2");
  }
  EXPECT_EQ(value_of("a"), 1);
  in_child([&] {
    Database database(path_, schema, clock_);
    const Database::Transaction half(database);
    database.change("UPDATE numbers SET value = 3");
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(value_of("a"), 1);
  set("a", 4);
  EXPECT_EQ(value_of("a"), 4);
}

TEST_F(DatabaseTest, ProcessesWaitForEachOther) {
  constexpr int processes = 3, turns = 20;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int turn = 0; turn < turns; ++turn) {
      Database database(path_, schema, clock_);  // the first one makes the table
      Database::Transaction adding(database);
      database.change("INSERT OR IGNORE INTO numbers VALUES ('sum', 0, 0)");
      Rows rows = database.find("SELECT value FROM numbers");
      rows.next();
      database.change("UPDATE numbers SET value = ?1", rows.integer(0) + 1);
      adding.commit();
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(value_of("sum"), processes * turns);
}

TEST_F(DatabaseTest, TheWaitForAnotherEnds) {
  class Hurried final : public Clock {
   public:
    std::uint64_t now_ns() const override { return now_ns_ += 7'000'000'000; }
    void wait_until(Lock&, std::condition_variable&, std::uint64_t) const override {}

   private:
    mutable std::uint64_t now_ns_ = 0;
  };
  Database first(path_, schema, clock_);
  const Database::Transaction changing(first);
  const Hurried hurried;
  Database second(path_, schema, hurried);
  try {
    const Database::Transaction other(second);
    ADD_FAILURE() << "both change it";
  } catch (const DatabaseError& error) {
    EXPECT_FALSE(error.damaged());
    EXPECT_NE(std::string(error.what()).find("locked"), std::string::npos) << error.what();
  }
}

// Nothing that was there is lost.
TEST_F(DatabaseTest, DamagedFilesAreSetAside) {
  set("a", 1);
  const std::string whole = read_file(path_);
  ASSERT_GT(whole.size(), 4096u);
  int number = 0;
  for (const std::string& bytes : {std::string("no database"), std::string(8192, 'x'), whole.substr(0, 3000),
                                   whole.substr(0, 4096) + std::string(whole.size() - 4096, 'x')}) {
    write_file_atomic(path_, std::string_view(bytes));
    testing::internal::CaptureStderr();
    EXPECT_EQ(value_of("a"), -1);
    const std::string aside =
        path_.string() + (++number == 1 ? std::string(".damaged") : ".damaged." + std::to_string(number));
    EXPECT_NE(testing::internal::GetCapturedStderr().find("is kept as " + aside), std::string::npos);
    EXPECT_EQ(read_file(aside), bytes);
    set("a", 2);
    EXPECT_EQ(value_of("a"), 2);
  }
}

TEST_F(DatabaseTest, FilesOfOtherVersionsAreSetAside) {
  set("a", 1, 2);
  const std::string old = read_file(path_);
  EXPECT_EQ(value_of("a"), -1);
  EXPECT_EQ(read_file(path_.string() + ".damaged"), old);
}

// Of two processes that find the same damage, the second one must not set the first one's new file aside.
TEST_F(DatabaseTest, AFileIsSetAsideOnce) {
  write_file_atomic(path_, std::string_view("no database"));
  const FileIdentity damaged = file_identity(path_);
  Database::set_aside(path_, damaged, "damaged");
  set("a", 1);
  Database::set_aside(path_, damaged, "damaged");
  EXPECT_EQ(value_of("a"), 1);
}

// Also where the other program's file has the same version, or none.
TEST_F(DatabaseTest, DatabasesOfOthersAreLeftAsTheyAre) {
  for (const int version : {0, 1, 3}) {
    const std::filesystem::path path = folder_.path() / std::to_string(version);
    const Database::Schema others{version, "CREATE TABLE photos (name TEXT, place TEXT)"};
    Database(path, others, clock_).change("INSERT INTO photos VALUES ('a', 'b')");
    const std::string before = read_file(path);
    try {
      const Database own(path, schema, clock_);
      ADD_FAILURE() << version;
    } catch (const DatabaseError& error) {
      EXPECT_NE(std::string(error.what()).find("another program"), std::string::npos) << error.what();
    }
    EXPECT_EQ(read_file(path), before);
  }
}

TEST_F(DatabaseTest, AFullDiskIsAnErrorAndLeavesWhatWasThere) {
  set("a", 1);
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{16'000, 16'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    try {
      for (int i = 0; i < 1000; ++i) set(std::string(1000, 'b') + std::to_string(i), i);
    } catch (const DatabaseError& error) {
      ::_exit(error.damaged() ? 3 : 0);
    }
    ::_exit(4);
  });
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(value_of("a"), 1);
}

TEST_F(DatabaseTest, AFileThatCannotBeMadeIsAnError) {
  EXPECT_THROW(Database(folder_.path() / "none" / "a.sqlite", schema, clock_), DatabaseError);
}

}  // namespace
}  // namespace heddle::base
