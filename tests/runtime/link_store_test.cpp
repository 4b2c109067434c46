// Bandwidths of links: measured, kept, and measured again where what was kept is of no use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "runtime/fixture.hpp"
#include "runtime/link_store.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;
using runtime::links_text;
using runtime::MeasuredLinks;
using runtime::read_links;

const std::vector<std::string> memories{"memory a first", "memory host"};
const MeasuredLinks measured{{0, 5e10}, {4e10, 0}};

TEST(LinksText, IsReadAgain) {
  const std::string text = links_text("box", memories, measured);
  EXPECT_EQ(text, "heddle links 1\nmachine box\nmemory a first\nmemory host\n0 50000000000\n40000000000 0\n");
  EXPECT_EQ(read_links(text, "box", memories), measured);
}

TEST(LinksText, OfOthersOrDamagedIsNone) {
  const std::string text = links_text("box", memories, measured);
  EXPECT_EQ(read_links(text, "other", memories), std::nullopt);
  EXPECT_EQ(read_links(text, "box", {"memory b", "memory host"}), std::nullopt);
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_EQ(read_links(text.substr(0, length), "box", memories), std::nullopt) << length;
  const std::string head = "heddle links 1\nmachine box\nmemory a first\nmemory host\n";
  for (const char* rows : {"0 0\n1 0\n", "0 -5\n1 0\n", "0 nan\n1 0\n", "0 inf\n1 0\n", "0 x\n1 0\n", "0  1\n1 0\n",
                           "0 1 2\n1 0\n", "0 1\n1 0\n\n", "0 1\n1 0\nmore\n"})
    EXPECT_EQ(read_links(head + rows, "box", memories), std::nullopt) << rows;
  EXPECT_NE(read_links(head + "0 1\n1 0\n", "box", memories), std::nullopt);
}

class LinkStoreTest : public RuntimeTest {
 protected:
  LinkStoreTest() { ::setenv("HEDDLE_CACHE_DIR", (folder_.path() / "cache").c_str(), 1); }
  ~LinkStoreTest() override { ::unsetenv("HEDDLE_CACHE_DIR"); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "cache" / "links"))
      if (entry.path().extension() == ".txt") found.push_back(entry.path());
    return found;
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
  ASSERT_EQ(files().size(), 1u);
  EXPECT_FALSE(measures());
}

TEST_F(LinkStoreTest, IsMeasuredAgainWhereTheFileIsDamaged) {
  measures();
  const fs::path file = files().at(0);
  base::write_file_atomic(file, std::string_view("heddle links 1\nmachine"));
  EXPECT_TRUE(measures());
  EXPECT_FALSE(measures());
}

TEST_F(LinkStoreTest, TakesWhatTheFileSays) {
  measures();
  const fs::path file = files().at(0);
  const std::string text = base::read_file(file);
  std::size_t rows = 0;
  for (int line = 0; line < 5; ++line) rows = text.find('\n', rows) + 1;
  base::write_file_atomic(file, std::string_view(text.substr(0, rows) + "0 7000000000 3\n5900000000 0 9e9\n3 9e9 0\n"));
  EXPECT_FALSE(measures());
  EXPECT_DOUBLE_EQ(core_->links().table().bytes_per_second(0, 1), 6e9);
  EXPECT_DOUBLE_EQ(core_->links().table().bytes_per_second(0, 2), 1e6);
  EXPECT_DOUBLE_EQ(core_->links().table().bytes_per_second(2, 1), 9e9);
}

// Each by itself would measure half of what there is.
TEST_F(LinkStoreTest, OneOfTwoMeasuresForBoth) {
  struct Probe {
    std::vector<std::string> log;
    std::shared_ptr<runtime::Core> core;
    Probe() {
      std::vector<std::unique_ptr<device::Device>> devices;
      for (const char* id : {"far", "far2"})
        devices.push_back(std::make_unique<FakeDevice>(
            FakeOptions{.id = id, .host_reaches_memory = false, .kernels = {}, .log = &log}));
      core = std::make_shared<runtime::Core>(std::move(devices), runtime::CoreOptions{});
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
