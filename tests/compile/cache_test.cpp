#include "compile/cache.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "fixture.hpp"

namespace heddle::compile::testing {
namespace {

using ::testing::HasSubstr;

class Cache : public FreshCache {
 protected:
  CompileResult compile(const CompileOptions& options = {}) const {
    return compile_cuda_detailed("__global__ void k(int* p) { *p = 7; }", "k.cu", options);
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_ / "cache")) {
      if (file.path().extension() == ".entry") found.push_back(file.path());
    }
    return found;
  }
};

TEST_F(Cache, TheSecondCompilationIsAHitWithTheSameResult) {
  const CompileResult first = compile(), second = compile();
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.ptx, second.ptx);
}

TEST_F(Cache, OptionsAndSourceAndNameAreInTheKey) {
  compile();
  EXPECT_FALSE(compile({.opt = 1}).from_cache);
  EXPECT_FALSE(compile({.defines = {"A"}}).from_cache);
  EXPECT_FALSE(compile({.arch = "sm_90"}).from_cache);
  EXPECT_FALSE(compile_cuda_detailed("__global__ void k(int* p) { *p = 7; }", "other.cu", {}).from_cache);
  EXPECT_FALSE(compile_cuda_detailed("__global__ void k(int* p) { *p = 8; }", "k.cu", {}).from_cache);
  EXPECT_TRUE(compile().from_cache);
}

TEST_F(Cache, AChangedHeaderIsNoticed) {
  const auto file = write("k.cu", "#include \"v.h\"\n__global__ void k(int* p) { *p = v; }\n");
  write("v.h", "constexpr int v = 11;\n");
  compile_cuda_file(file);
  EXPECT_TRUE(compile_cuda_file_detailed(file, {}).from_cache);
  write("v.h", "constexpr int v = 12;\n");
  const CompileResult changed = compile_cuda_file_detailed(file, {});
  EXPECT_FALSE(changed.from_cache);
  EXPECT_THAT(changed.ptx, HasSubstr("12;"));
  std::filesystem::remove(folder_ / "v.h");
  EXPECT_THROW(compile_cuda_file(file), Error);
}

TEST_F(Cache, DamagedEntriesAreCompiledAgain) {
  const std::string ptx = compile().ptx;
  ASSERT_EQ(entries().size(), 1u);
  const auto file = entries()[0];
  std::ifstream stream(file, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(stream)), {});
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] ^= 0x20;
    std::ofstream(file, std::ios::binary) << bad;
    EXPECT_FALSE(load_entry(std::filesystem::path(file).parent_path().filename().string() + file.stem().string()));
  }
  for (std::size_t length : {std::size_t{0}, std::size_t{10}, good.size() / 2, good.size() - 1}) {
    std::ofstream(file, std::ios::binary) << good.substr(0, length);
    const CompileResult again = compile();
    EXPECT_FALSE(again.from_cache);
    EXPECT_EQ(again.ptx, ptx);
    EXPECT_TRUE(compile().from_cache);
  }
}

TEST_F(Cache, DamagedDeviceHeadersAreRepaired) {
  compile();
  // The folder is a link to one that other tests use, too.
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_ / "cache/headers/")) {
    if (file.path().filename() == "keywords.h") std::ofstream(file.path()) << "#error damaged\n";
  }
  EXPECT_NO_THROW(compile({.opt = 2}));
}

TEST_F(Cache, DamagedPrecompiledHeadersAreReplaced) {
  compile();
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_ / "cache/headers/")) {
    if (file.path().extension() == ".pch") std::filesystem::resize_file(file.path(), 1000);
  }
  EXPECT_NO_THROW(compile_cuda("__global__ void other() {}", "k.cu"));
}

TEST_F(Cache, AnUnwritableDiskOnlyLosesCaching) {
  // A file where the folder should be: nothing can be made below it, whoever runs the test.
  std::filesystem::remove_all(folder_ / "cache");
  write("cache", "not a folder");
  EXPECT_FALSE(compile().from_cache);
  EXPECT_FALSE(compile().from_cache);
}

TEST_F(Cache, ProcessesAndThreadsShareIt) {
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    pid_t child = ::fork();
    if (child == 0) ::_exit(compile().ptx.find(".entry") == std::string::npos ? 1 : 0);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(compile().from_cache);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] { EXPECT_THAT(compile({.opt = i % 2}).ptx, HasSubstr(".entry")); });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::compile::testing
