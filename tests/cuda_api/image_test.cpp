// Which code of a fat binary a device runs, and archives of device code.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "cuda_api/image/device_runtime.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "heddle/error.hpp"

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

// As programs register it: in memory of some length, of which only the header speaks.
class Container : public testing::Test {
 protected:
  Container() {
    memory_ = ::mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::munmap(static_cast<std::byte*>(memory_) + page_, page_);
    const std::vector<std::byte> bytes = write_fat_binary(FatPtx{80, ".version 8.0"}, false);
    at_ = static_cast<std::byte*>(memory_) + page_ - bytes.size();
    std::memcpy(at_, bytes.data(), bytes.size());
  }
  ~Container() override { ::munmap(memory_, page_); }
  template <class T>
  std::string refusal_with(std::size_t place, T value) {
    std::byte old[sizeof value];
    std::memcpy(old, at_ + place, sizeof value);
    std::memcpy(at_ + place, &value, sizeof value);
    std::string text = "none";
    try {
      read_fat_binary(at_);
    } catch (const Error& error) {
      text = error.what();
    }
    std::memcpy(at_ + place, old, sizeof value);
    return text;
  }

  static constexpr std::size_t header_bytes_at = 6, bytes_at = 8;
  const std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory_;
  std::byte* at_;
};

TEST_F(Container, ThatIsLongerThanItsMemoryIsRefused) {
  EXPECT_EQ(read_fat_binary(at_).ptx.size(), 1u);
  const std::string longer = "a fat binary is damaged: it is longer than the memory that it is in";
  EXPECT_EQ(refusal_with(header_bytes_at, std::uint16_t{29968}), longer);
  EXPECT_EQ(refusal_with(header_bytes_at, std::uint16_t{0}), longer);
  for (const std::uint64_t bytes : {std::uint64_t{1} << 12, std::uint64_t{2130707712}, std::uint64_t{1} << 62,
                                    ~std::uint64_t{0}, ~std::uint64_t{0} - 15})
    EXPECT_EQ(refusal_with(bytes_at, bytes), longer) << bytes;
}

// What lies in the program's own memory may go on behind it.
TEST_F(Container, ThatLeavesItsSegmentIsRefused) {
  static std::vector<std::byte> bytes = write_fat_binary(FatPtx{80, ".version 8.0"}, false);
  alignas(8) static std::byte image[1024] = {};
  std::memcpy(image, bytes.data(), bytes.size());
  EXPECT_EQ(read_fat_binary(image).ptx.size(), 1u);
  const std::uint64_t most = std::uint64_t{1} << 32;
  std::memcpy(image + bytes_at, &most, sizeof most);
  EXPECT_THROW(read_fat_binary(image), Error);
}

TEST_F(Container, WithAHeaderThatIsNoneIsRefused) {
  std::vector<std::byte> bytes = write_fat_binary(FatPtx{80, ".version 8.0"}, false);
  bytes.resize(1 << 16);
  bytes[header_bytes_at + 1] = std::byte{117};  // 29968, all of it in memory
  EXPECT_THROW(read_fat_binary(bytes), Error);
  EXPECT_THROW(read_first_binary(bytes), Error);
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
