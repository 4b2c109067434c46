// Finding NVIDIA's libcuda.so.1 in a process where Heddle's own comes first, as under heddle run. CTest sets
// LD_LIBRARY_PATH to a folder with a library that stands on libheddle, and then to one with a library that does not.
#include "device/cuda/library.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace heddle::device::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void append(std::string& bytes, std::uint32_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A cache as glibc writes it, with these pairs of names and files.
std::string cache_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes = "glibc-ld.so.cache1.1", strings;
  const auto strings_at = static_cast<std::uint32_t>(48 + 24 * entries.size());
  append(bytes, static_cast<std::uint32_t>(entries.size()));
  bytes.resize(48);
  for (const auto& [name, file] : entries) {
    append(bytes, 3);
    append(bytes, strings_at + static_cast<std::uint32_t>(strings.size()));
    strings += name + '\0';
    append(bytes, strings_at + static_cast<std::uint32_t>(strings.size()));
    strings += file + '\0';
    bytes.resize(bytes.size() + 12);
  }
  return bytes + strings;
}

TEST(LoaderCache, ListsTheFilesOfAName) {
  const std::string cache = cache_of(
      {{"libc.so.6", "/lib/libc.so.6"}, {"libcuda.so.1", "/a/libcuda.so.1"}, {"libcuda.so.1", "/b/libcuda.so.1"}});
  EXPECT_THAT(listed_libraries(cache, "libcuda.so.1"), ElementsAre("/a/libcuda.so.1", "/b/libcuda.so.1"));
  EXPECT_THAT(listed_libraries("old form " + cache, "libc.so.6"), ElementsAre("/lib/libc.so.6"));
  EXPECT_THAT(listed_libraries(cache, "libcuda.so"), IsEmpty());
  EXPECT_THAT(listed_libraries("nothing of the kind", "libc.so.6"), IsEmpty());
  EXPECT_THAT(listed_libraries(cache.substr(0, 60), "libc.so.6"), IsEmpty());
}

TEST(DriverLibrary, HeddlesOwnIsPassedOver) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  if (!path || !std::strstr(path, "stands_on_heddle")) GTEST_SKIP() << "RUN BY CTEST ONLY: it sets LD_LIBRARY_PATH";
  void* const by_name = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(by_name, nullptr) << dlerror();
  EXPECT_NE(dlsym(by_name, "heddles_libcuda"), nullptr) << "the loader does not find the first of the two";
  void* const found = open_driver_library();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(dlsym(found, "heddles_libcuda"), nullptr);
  EXPECT_NE(dlsym(found, "nvidias_libcuda"), nullptr);
}

}  // namespace
}  // namespace heddle::device::cuda
