#include "base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/overwrite.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

using testing::HasSubstr;
using tests::TemporaryFolder;

TEST(File, WritesAndReadsAnyBytes) {
  TemporaryFolder folder;
  std::string content(300'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31);
  write_file_atomic(folder.path() / "a" / "b.bin", content);
  EXPECT_EQ(read_file(folder.path() / "a" / "b.bin"), content);
  write_file_atomic(folder.path() / "a" / "b.bin", std::string_view());
  EXPECT_EQ(read_file(folder.path() / "a" / "b.bin"), "");
}

TEST(File, HasThePermissionsThatAreAskedFor) {
  TemporaryFolder folder;
  write_file_atomic(folder.path() / "x", std::string_view("1"), std::filesystem::perms::owner_all);
  EXPECT_EQ(std::filesystem::status(folder.path() / "x").permissions(), std::filesystem::perms::owner_all);
}

TEST(File, LeavesNoTemporaryFilesAndUsualMode) {
  TemporaryFolder folder;
  write_file_atomic(folder.path() / "x", std::string_view("1"));
  write_file_atomic(folder.path() / "x", std::string_view("2"));
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 1);
  struct stat status{};
  ASSERT_EQ(::stat((folder.path() / "x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(File, AbsentFileIsNotFound) {
  try {
    read_file("/nowhere/at/all");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/at/all"));
  }
  EXPECT_FALSE(read_file_if_there("/nowhere/at/all").has_value());
}

TEST(File, FolderIsAnIoError) {
  TemporaryFolder folder;
  EXPECT_THROW(read_file(folder.path()), Error);
  EXPECT_THROW(write_file_atomic(folder.path(), std::string_view("x")), Error);
}

TEST(File, OnlyRegularFilesAreReadAndNoneWithoutAnEnd) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe", sparse = folder.path() / "sparse";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  write_file_atomic(sparse, std::string_view("begin"));
  const auto refusal = [](const std::filesystem::path& path) -> std::string {
    try {
      read_file(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "was read";
  };
  EXPECT_THAT(refusal(pipe), HasSubstr("it is a pipe"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("it is a device"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("it is a folder"));
  std::filesystem::resize_file(sparse, std::uint64_t{1} << 40);
  EXPECT_THAT(refusal(sparse), testing::AllOf(HasSubstr("TiB"), HasSubstr("is the most")));
  EXPECT_FALSE(read_file_if_there(pipe).has_value());
  EXPECT_FALSE(read_file_if_there(sparse).has_value());
  EXPECT_EQ(read_beginning(sparse, 5), "begin");
  EXPECT_THROW(read_beginning(pipe, 5), Error);
  EXPECT_THROW(require_regular_file(pipe), Error);
}

TEST(File, ReadsFilesThatGiveNoSize) { EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Pid:")); }

// Writers in competition: a reader sees one whole content at any time.
TEST(File, PipesAndLinksStayWhatTheyAre) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe", file = folder.path() / "file", link = folder.path() / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got(7, ' ');
  std::thread reader([&] { std::ifstream(pipe, std::ios::binary).read(got.data(), 7); });
  write_users_file(pipe, std::string_view("through"));
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  write_file_atomic(pipe, std::string_view("an entry of a cache"));
  EXPECT_EQ(read_file(pipe), "an entry of a cache");
  EXPECT_THROW(write_file_atomic("/dev/full", std::string_view("x")), Error);
  write_file_atomic(file, std::string_view("old"));
  std::filesystem::create_symlink(file, link);
  write_file_atomic(link, std::string_view("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_THROW(write_users_file("/dev/full", std::string_view("x")), Error);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(File, FilesOfUsersKeepTheirPermissions) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file", fresh = folder.path() / "fresh";
  const auto mode = [](const std::filesystem::path& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  };
  write_users_file(file, std::string_view("old"));
  for (const mode_t wanted : {0600u, 0664u, 0755u}) {
    ASSERT_EQ(::chmod(file.c_str(), wanted), 0);
    write_users_file(file, std::string_view("new"));
    EXPECT_EQ(mode(file), wanted);
  }
  const mode_t before = ::umask(027);
  write_users_file(fresh, std::string_view("new"));
  ::umask(before);
  EXPECT_EQ(mode(fresh), 0640u);
}

TEST(File, LinksToNothingAreFollowed) {
  const TemporaryFolder folder;
  const auto link = folder.path() / "link", circle = folder.path() / "circle";
  std::filesystem::create_symlink("target", link);
  write_users_file(link, std::string_view("made"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(folder.path() / "target"), "made");
  std::filesystem::create_symlink("circle", circle);
  EXPECT_THROW(write_users_file(circle, std::string_view("x")), Error);
}

TEST(File, ResultsDoNotReplaceWhatTheyAreMadeFrom) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.cu", link = folder.path() / "link", hard = folder.path() / "hard";
  write_file_atomic(file, std::string_view("source"));
  std::filesystem::create_symlink(file, link);
  std::filesystem::create_hard_link(file, hard);
  const std::vector<std::filesystem::path> inputs{"/dev/null", folder.path() / "missing", file};
  for (const auto& output : {file, link, hard, folder.path() / "." / "a.cu"}) {
    try {
      refuse_overwrite("-o", output, inputs);
      ADD_FAILURE() << output;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("-o " + output.string() + ":"), HasSubstr("name another")));
    }
  }
  for (const auto& output : {std::filesystem::path("/dev/null"), folder.path() / "missing", folder.path()})
    EXPECT_NO_THROW(refuse_overwrite("-o", output, inputs)) << output;
}

TEST(File, ReplacementIsAtomic) {
  TemporaryFolder folder;
  const auto path = folder.path() / "shared";
  const std::string first(100'000, 'a'), second(50'000, 'b');
  write_file_atomic(path, first);
  std::vector<std::thread> writers;
  for (const std::string* content : {&first, &second}) {
    writers.emplace_back([&path, content] {
      for (int i = 0; i < 50; ++i) write_file_atomic(path, *content);
    });
  }
  for (int i = 0; i < 100; ++i) {
    const std::string seen = read_file(path);
    ASSERT_TRUE(seen == first || seen == second) << seen.size();
  }
  for (auto& writer : writers) writer.join();
}

}  // namespace
}  // namespace heddle::base
