// Which code of a fat binary a device runs, and archives of device code.
#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>

#include "cuda_api/image/device_runtime.hpp"
#include "cuda_api/image/fat_binary.hpp"

namespace heddle::cuda_api {
namespace {

FatBinary for_archs(std::initializer_list<unsigned> archs) {
  FatBinary binary;
  for (const unsigned arch : archs) binary.ptx.push_back({arch, std::to_string(arch)});
  return binary;
}

unsigned closest(std::initializer_list<unsigned> archs) {
  const FatBinary binary = for_archs(archs);
  const FatPtx* const ptx = closest_ptx(binary, 80);
  return ptx ? ptx->arch : 0;
}

TEST(ClosestPtx, IsTheNewestThatIsNotNewerElseTheOldest) {
  EXPECT_EQ(closest({121, 60, 75}), 75u);
  EXPECT_EQ(closest({80, 90}), 80u);
  EXPECT_EQ(closest({121, 90, 100}), 90u);
  EXPECT_EQ(closest({}), 0u);
}

std::string member(std::string header, const std::string& content) {
  header.resize(48, ' ');
  std::string size = std::to_string(content.size());
  size.resize(10, ' ');
  return header + size + "`\n" + content + (content.size() % 2 ? "\n" : "");
}

bool is_runtime(const std::string& bytes) {
  return is_device_runtime(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

TEST(DeviceRuntime, IsKnownByItsMember) {
  const std::string symbols = member("/", "odd"), names = member("//", "cuda_device_runtime.o/\n");
  EXPECT_TRUE(is_runtime("!<arch>\n" + symbols + names));
  EXPECT_FALSE(is_runtime("!<arch>\n" + symbols + member("//", "another_object_file.o/\n")));
  EXPECT_FALSE(is_runtime("!<arch>\n" + symbols));
  EXPECT_FALSE(is_runtime("!<arch>\n" + symbols + std::string(60, 'x')));
  EXPECT_FALSE(is_runtime(symbols + names));
  EXPECT_FALSE(is_runtime(""));
}

}  // namespace
}  // namespace heddle::cuda_api
