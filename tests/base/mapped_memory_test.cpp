#include "base/mapped_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>

namespace heddle::base {
namespace {

TEST(MappedMemory, IsWhatTheProcessCanRead) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const made = ::mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(made, MAP_FAILED);
  auto* const data = static_cast<char*>(made);
  EXPECT_TRUE(is_mapped(data, 4 * page));
  EXPECT_TRUE(is_mapped(data + 7, 1));
  // Of several mappings, too.
  ASSERT_EQ(::mprotect(data + page, page, PROT_READ), 0);
  EXPECT_TRUE(is_mapped(data, 4 * page));
  ASSERT_EQ(::mprotect(data + page, page, PROT_NONE), 0);
  EXPECT_FALSE(is_mapped(data, 4 * page));
  EXPECT_FALSE(is_mapped(data + page - 1, 2));
  ASSERT_EQ(::munmap(data + page, page), 0);
  EXPECT_TRUE(is_mapped(data, page));
  EXPECT_FALSE(is_mapped(data, page + 1));
  EXPECT_FALSE(is_mapped(data + page, 1));
  EXPECT_TRUE(is_mapped(data + 2 * page, 2 * page));
  ::munmap(data, 4 * page);
}

TEST(MappedMemory, OfOtherPlaces) {
  static const int constant = 7;
  const auto heap = std::make_unique<char[]>(1 << 20);
  const int on_stack = 0;
  EXPECT_TRUE(is_mapped(&constant, sizeof constant));
  EXPECT_TRUE(is_mapped(heap.get(), 1 << 20));
  EXPECT_TRUE(is_mapped(&on_stack, sizeof on_stack));
  EXPECT_TRUE(is_mapped(nullptr, 0));
  EXPECT_FALSE(is_mapped(reinterpret_cast<const void*>(std::uintptr_t{8}), 4096));
  EXPECT_FALSE(is_mapped(heap.get(), std::size_t{1} << 60));
  EXPECT_FALSE(is_mapped(heap.get(), ~std::size_t{0}));
}

}  // namespace
}  // namespace heddle::base
