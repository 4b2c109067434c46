#include "knowledge/store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::knowledge {
namespace {

class KnowledgeStore : public testing::Test {
 protected:
  Profile profile(double seconds, double share = 0.75) const {
    return {.subject = {"filter 12ab", "cpu + sim", "all"},
            .workload = {{4288, 2848}, false},
            .configuration = {.gpu_share = share, .fission = Fission::l3, .overlap = 4, .groups = {256, 64}},
            .best_seconds = seconds,
            .deviation = 0.93,
            .origin = Origin::built,
            .why = "the best of 23"};
  }

  tests::TemporaryFolder folder_;
  base::SteadyClock clock_;
  Store store_{folder_.path() / "k" / "knowledge.sqlite", clock_};
};

TEST_F(KnowledgeStore, EveryFieldOfAProfileSurvivesARestart) {
  EXPECT_TRUE(store_.keep(profile(0.5)));
  const Store again(store_.file(), clock_);
  const auto found = again.find(profile(1).subject, profile(1).workload);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->subject, profile(1).subject);
  EXPECT_EQ(found->workload, profile(1).workload);
  EXPECT_EQ(found->configuration, profile(1).configuration);
  EXPECT_EQ(found->best_seconds, 0.5);
  EXPECT_EQ(found->deviation, 0.93);
  EXPECT_EQ(found->origin, Origin::built);
  EXPECT_EQ(found->why, "the best of 23");
}

// root may write everywhere, so the process becomes another user. What it reads must be its own, or root's.
TEST_F(KnowledgeStore, ReadingNeedsNoRightToWrite) {
  EXPECT_TRUE(store_.all().empty());
  EXPECT_EQ(store_.forget(""), 0u);
  EXPECT_FALSE(store_.find(profile(1).subject, profile(1).workload));
  EXPECT_FALSE(std::filesystem::exists(store_.file().parent_path())) << "reading makes nothing";
  const std::filesystem::path empty = folder_.path() / "empty.sqlite", folder = store_.file().parent_path();
  std::ofstream(empty).close();
  ASSERT_TRUE(store_.keep(profile(0.5)));
  const pid_t child = ::fork();
  if (child == 0) {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
    std::filesystem::permissions(folder, std::filesystem::perms(0555));
    std::filesystem::permissions(store_.file(), std::filesystem::perms(0444));
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    ::_exit(store_.all().size() == 1 && Store(empty, clock_).all().empty() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  for (const auto& each : {folder_.path(), folder}) std::filesystem::permissions(each, std::filesystem::perms(0700));
  EXPECT_EQ(status, 0);
}

TEST_F(KnowledgeStore, TheTimeOfAnEntryNeverGrows) {
  double last = never_run;
  for (const double seconds : {0.9, 0.7, 0.8, 0.7, 0.2, 0.5}) {
    EXPECT_EQ(store_.keep(profile(seconds, seconds)), seconds < last);
    const auto found = store_.find(profile(1).subject, profile(1).workload);
    ASSERT_TRUE(found);
    EXPECT_LE(found->best_seconds, last);
    last = found->best_seconds;
    EXPECT_EQ(found->configuration.gpu_share, last);
  }
  EXPECT_EQ(last, 0.2);
}

TEST_F(KnowledgeStore, ADerivedProfileDoesNotReplaceOneThatRan) {
  EXPECT_TRUE(store_.keep(profile(never_run)));
  EXPECT_EQ(store_.find(profile(1).subject, profile(1).workload)->best_seconds, never_run);
  EXPECT_TRUE(store_.keep(profile(2)));
  EXPECT_FALSE(store_.keep(profile(never_run)));
}

TEST_F(KnowledgeStore, TheShareOfTheDeviceAndThePrecisionArePartsOfTheKey) {
  store_.keep(profile(1));
  Profile other = profile(1);
  other.subject.share = "sms=0-31";
  EXPECT_FALSE(store_.find(other.subject, other.workload));
  Workload doubles = other.workload;
  doubles.double_precision = true;
  EXPECT_FALSE(store_.find(profile(1).subject, doubles));
}

TEST_F(KnowledgeStore, ForgetsByTheBeginningOfTheProgram) {
  store_.keep(profile(1));
  Profile other = profile(1);
  other.subject.program = "fft";
  store_.keep(other);
  EXPECT_EQ(store_.forget("filter", "1x1 single"), 0u);
  EXPECT_EQ(store_.forget("f", {}, true), 0u);
  EXPECT_EQ(store_.forget("filter", "4288x2848 single"), 1u);
  EXPECT_EQ(store_.all().size(), 1u);
  EXPECT_EQ(store_.forget(""), 1u);
  EXPECT_TRUE(store_.all().empty());
}

TEST_F(KnowledgeStore, ManyProcessesKeepTheFastest) {
  constexpr int processes = 6, runs = 20;
  for (int p = 0; p < processes; ++p) {
    if (::fork() != 0) continue;
    int failed = 0;
    try {
      Store mine(store_.file(), clock_);
      for (int i = 0; i < runs; ++i) {
        const double seconds = 1 + (runs - i) * processes + p;
        mine.keep(profile(seconds, 1 / seconds));
      }
    } catch (const std::exception&) {
      failed = 1;
    }
    ::_exit(failed);
  }
  for (int p = 0; p < processes; ++p) {
    int status = -1;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  const auto found = store_.find(profile(1).subject, profile(1).workload);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->best_seconds, 1 + processes);
  EXPECT_DOUBLE_EQ(found->configuration.gpu_share, 1 / found->best_seconds);
}

constexpr const char* no_database = "this is no database, whatever its name says, and it is long enough to be read";

TEST_F(KnowledgeStore, ADamagedFileOfTheCacheIsReplaced) {
  ::setenv("HEDDLE_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
  Store store(Store::usual_file(), clock_);
  EXPECT_TRUE(store.keep(profile(1)));
  std::ofstream(store.file()) << no_database;
  EXPECT_TRUE(store.all().empty());
  EXPECT_TRUE(store.keep(profile(1)));
  ::unsetenv("HEDDLE_CACHE_DIR");
}

TEST_F(KnowledgeStore, AFileOfTheUsersIsNot) {
  store_.keep(profile(1));
  std::ofstream(store_.file()) << no_database;
  EXPECT_THROW(store_.all(), Error);
  EXPECT_THROW(store_.keep(profile(1)), Error);
  std::ifstream file(store_.file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), no_database);
}

// A stopped process may hold the file for ever. Runs must not wait for it each time.
TEST_F(KnowledgeStore, WaitsForAnotherProcessAreFew) {
  class Hurried final : public base::Clock {
   public:
    std::uint64_t now_ns() const override { return now; }
    void wait_until(base::Lock&, std::condition_variable&, std::uint64_t) const override {
      now += 7'000'000'000;
      ++waits;
    }
    mutable std::uint64_t now = 1;
    mutable unsigned waits = 0;
  };
  EXPECT_TRUE(store_.keep(profile(1)));
  const Hurried hurried;
  Store store(store_.file(), hurried);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(store_.file().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THROW(store.all(), Error);
  EXPECT_GE(hurried.waits, 4u);
  hurried.waits = 0;
  for (int run = 0; run < 10; ++run) EXPECT_THROW(store.keep(profile(0.5)), Error);
  EXPECT_EQ(hurried.waits, 0u);
  sqlite3_close(other);
  hurried.now += 3600'000'000'000;
  EXPECT_TRUE(store.keep(profile(0.5)));
}

TEST(KnowledgeText, WorkloadsAreTheirText) {
  const Workload volume{{512, 384, 3}, true};
  EXPECT_EQ(text_of(volume), "512x384x3 double");
  EXPECT_EQ(workload_of("512x384x3 double"), volume);
  for (const char* wrong : {"", "12", "12 half", "x single", "12x single", "0 single", "a single", "-3 single"})
    EXPECT_THROW(workload_of(wrong), Error) << wrong;
  EXPECT_THROW(fission_named("L9"), Error);
  EXPECT_EQ(fission_named("NUMA"), Fission::numa);
}

}  // namespace
}  // namespace heddle::knowledge
