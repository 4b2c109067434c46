// Bandwidths of links: measured, kept, and measured again where what was kept is of no use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "links/store.hpp"
#include "runtime/fixture.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;
class LinkStoreTest : public RuntimeTest {
 protected:
  LinkStoreTest() { ::setenv("HEDDLE_CACHE_DIR", (folder_.path() / "cache").c_str(), 1); }
  ~LinkStoreTest() override { ::unsetenv("HEDDLE_CACHE_DIR"); }
  fs::path file() const { return folder_.path() / "cache" / "links" / "links.sqlite"; }
  void change(const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    EXPECT_GT(sqlite3_changes(database), 0);
    sqlite3_close(database);
  }
  // Of a runtime that has not asked yet: whether it has measured.
  bool measures() {
    start({"far", "far2"});
    log_.clear();  // of copies
    const sched::LinkTable& table = core_->links().table();
    EXPECT_EQ(table.memories(), 3u);
    EXPECT_EQ(core_->links().known(), &table);
    for (std::size_t from = 0; from < 3; ++from) {
      for (std::size_t to = 0; to < 3; ++to) {
        if (from != to) {
          EXPECT_GE(table.bytes_per_second(from, to), 1e6);
        }
      }
    }
    return !log_.empty();
  }

  TemporaryFolder folder_;
};

TEST_F(LinkStoreTest, IsMeasuredOnce) {
  EXPECT_TRUE(measures());
  ASSERT_TRUE(fs::exists(file()));
  EXPECT_FALSE(measures());
}

TEST_F(LinkStoreTest, IsMeasuredAgainWhereTheFileIsDamaged) {
  measures();
  for (const std::size_t length : {0, 100, 5000}) {
    base::write_file_atomic(file(), std::string_view(base::read_file(file()).substr(0, length)));
    EXPECT_TRUE(measures()) << length;
    EXPECT_FALSE(measures()) << length;
  }
}

TEST_F(LinkStoreTest, IsMeasuredAgainWhereRowsAreOfNoUse) {
  measures();
  for (const char* sql : {"DELETE FROM links WHERE source = 0 AND target = 2", "UPDATE links SET bytes_per_second = 0",
                          "UPDATE links SET bytes_per_second = -5 WHERE source = 1",
                          "UPDATE links SET bytes_per_second = 'x' WHERE source = 1",
                          "UPDATE links SET bytes_per_second = 9e999 WHERE target = 1",
                          "INSERT INTO links SELECT machine, memories, 1, 1, 5 FROM links LIMIT 1",
                          "UPDATE links SET target = 3 WHERE source = 0 AND target = 2",
                          "UPDATE links SET target = -1 WHERE source = 0 AND target = 2",
                          "UPDATE links SET machine = 'other'", "UPDATE links SET memories = 'others'"}) {
    change(sql);
    EXPECT_TRUE(measures()) << sql;
    EXPECT_FALSE(measures()) << sql;
  }
}

TEST_F(LinkStoreTest, TakesWhatTheFileSays) {
  measures();
  change(
      "UPDATE links SET bytes_per_second = CASE source + target WHEN 1 THEN 7e9 - 11e8 * source WHEN 2 THEN 3 ELSE 9e9 "
      "END");
  EXPECT_FALSE(measures());
  EXPECT_DOUBLE_EQ(core_->links().table().bytes_per_second(0, 1), 6e9);
  EXPECT_DOUBLE_EQ(core_->links().table().bytes_per_second(0, 2), 1e6);
  EXPECT_DOUBLE_EQ(core_->links().table().bytes_per_second(2, 1), 9e9);
}

TEST_F(LinkStoreTest, AFullDiskIsNoHarm) {
  struct SmallFiles {
    rlimit before{};
    SmallFiles() {
      std::signal(SIGXFSZ, SIG_IGN);  // what the test prints may go to a file as well
      ::getrlimit(RLIMIT_FSIZE, &before);
      const rlimit limit{4000, before.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &before); }
  };
  bool first = false, second = false;
  {
    const SmallFiles limit;
    first = measures();
    second = measures();
  }
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_TRUE(measures());
  EXPECT_FALSE(measures());
}

// Each by itself would measure half of what there is.
TEST_F(LinkStoreTest, OneOfTwoMeasuresForBoth) {
  struct Probe {
    std::vector<std::string> log;
    std::shared_ptr<core::Core> core;
    Probe() {
      std::vector<std::unique_ptr<device::Device>> devices;
      for (const char* id : {"far", "far2"})
        devices.push_back(std::make_unique<FakeDevice>(
            FakeOptions{.id = id, .host_reaches_memory = false, .kernels = {}, .log = &log}));
      core = std::make_shared<core::Core>(std::move(devices), core::CoreOptions{});
    }
  };
  Probe probes[2];
  std::vector<std::thread> threads;
  for (Probe& probe : probes) threads.emplace_back([&probe] { probe.core->links().table(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(probes[0].log.empty(), probes[1].log.empty());
  EXPECT_EQ(probes[0].core->links().table().bytes_per_second(0, 2),
            probes[1].core->links().table().bytes_per_second(0, 2));
}

TEST_F(LinkStoreTest, AFolderThatIsNoneIsNoHarm) {
  base::write_file_atomic(folder_.path() / "cache", std::string_view("a file"));
  EXPECT_TRUE(measures());
  EXPECT_TRUE(measures());
}

TEST_F(LinkStoreTest, PoliciesOfTimeNeedIt) {
  start({"far", "far2"}, {.placement = Scheduling::Placement::minmin_transfer_time});
  EXPECT_EQ(core_->links().known(), nullptr);
  Array<float> data = floats({1});
  launch("add_to", {}, 1, 1.0f, data);
  EXPECT_NE(core_->links().known(), nullptr);
  start({"far", "far2"}, {.placement = Scheduling::Placement::min_transfer_size});
  Array<float> other = floats({1});
  launch("add_to", {}, 1, 1.0f, other);
  EXPECT_EQ(core_->links().known(), nullptr);
}

}  // namespace
}  // namespace heddle::tests
