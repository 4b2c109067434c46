// Memory, copies and fills.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "conformance/conformance.hpp"

namespace heddle::conformance {
namespace {

TEST_P(Conformance, AllocationsAreAlignedAndApart) {
  std::vector<std::unique_ptr<Memory>> held;
  for (std::size_t bytes : {1u, 3u, 255u, 256u, 257u, 4096u, 100'000u, 5'000'000u}) {
    held.push_back(device->allocate(bytes));
    const Span span = held.back()->span();
    EXPECT_EQ(span.device, device.get());
    EXPECT_EQ(span.size, bytes);
    EXPECT_NE(span.address, 0u);
    EXPECT_EQ(span.address % 256, 0u);
  }
  for (const auto& a : held)
    for (const auto& b : held) {
      if (a == b) continue;
      const Span x = a->span(), y = b->span();
      EXPECT_TRUE(x.address + x.size <= y.address || y.address + y.size <= x.address);
    }
}

// CU5
TEST_P(Conformance, HundredThousandAllocations) {
  std::mt19937 random(7);
  std::vector<std::unique_ptr<Memory>> held;
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t bytes = 1 + random() % (i % 1000 == 0 ? 3'000'000 : 5'000);
    auto memory = device->allocate(bytes);
    ASSERT_EQ(memory->span().size, bytes);
    if (held.size() < 3000) {
      held.push_back(std::move(memory));
    } else {
      held[random() % held.size()] = std::move(memory);
    }
  }
  // What is still held is usable, and apart from the others.
  for (std::size_t i = 0; i < 50; ++i) queue->fill(held[i]->span(), static_cast<std::uint32_t>(i), 1);
  queue->synchronize();
  for (std::size_t i = 0; i < 50; ++i) {
    std::vector<std::uint8_t> bytes(held[i]->span().size);
    queue->copy(Span::host(bytes.data(), bytes.size()), held[i]->span());
    queue->synchronize();
    ASSERT_TRUE(std::all_of(bytes.begin(), bytes.end(), [&](auto b) { return b == i; }));
  }
}

TEST_P(Conformance, MoreThanThereIs) {
  const std::string message = expect_error(ErrorCode::out_of_memory, [&] { device->allocate(1ull << 55); });
  EXPECT_FALSE(message.empty());
  EXPECT_NO_THROW(device->allocate(1000));
}

TEST_P(Conformance, CopiesBothWays) {
  for (const std::size_t n : {1u, 1000u, 100'003u, 9'000'001u}) {
    std::vector<std::uint8_t> data(n), back(n);
    std::iota(data.begin(), data.end(), 1);
    const Buffer<std::uint8_t> a(*device, n), b(*device, n);
    queue->copy(a.span(), Span::host(data.data(), n));
    queue->copy(b.span(), a.span());
    queue->copy(Span::host(back.data(), n), b.span());
    queue->synchronize();
    ASSERT_EQ(back, data);
  }
}

TEST_P(Conformance, HostMemoryOfTheDevice) {
  std::vector<std::unique_ptr<Memory>> held;
  for (const std::size_t n : {1u, 255u, 257u, 70'000u, 1u << 20, 3'000'001u, 3'000'001u}) {
    held.push_back(device->allocate_host(n));
    const Span span = held.back()->span();
    EXPECT_EQ(span.device, nullptr);
    EXPECT_EQ(span.size, n);
    EXPECT_EQ(span.address % 64, 0u);
    EXPECT_EQ(held.back()->host(), reinterpret_cast<void*>(span.address));
    std::memset(held.back()->host(), static_cast<int>(held.size()), n);
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Span span = held[i]->span();
    const auto* bytes = static_cast<const std::uint8_t*>(held[i]->host());
    ASSERT_TRUE(std::all_of(bytes, bytes + span.size, [&](auto b) { return b == i + 1; })) << "blocks overlap";
    const Buffer<std::uint8_t> there(*device, span.size);
    queue->copy(there.span(), span);
    const auto back = device->allocate_host(span.size);
    queue->copy(back->span(), there.span());
    queue->synchronize();
    EXPECT_EQ(std::memcmp(back->host(), held[i]->host(), span.size), 0);
  }
  EXPECT_FALSE(expect_error(ErrorCode::out_of_memory, [&] { device->allocate_host(1ull << 55); }).empty());
}

// What the program has allocated for the device, or registered, kernels use at the same addresses.
TEST_P(Conformance, KernelsReachHostMemory) {
  const auto made = device->allocate_host(400);
  std::vector<std::uint32_t> own(100, 3);
  auto registered = device->register_host(own.data(), 400);
  EXPECT_EQ(registered->host(), own.data());
  EXPECT_EQ(registered->span().size, 400u);
  auto* x = static_cast<std::uint32_t*>(made->host());
  std::iota(x, x + 100, 0u);
  for (const Memory* memory : {made.get(), registered.get()})
    launch(*queue, "add_one", {.grid = {1}, .block = {128}}, memory->span().address, 100u);
  queue->synchronize();
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_EQ(x[i], i + 1);
  EXPECT_EQ(own, std::vector<std::uint32_t>(100, 4));
  const std::string twice =
      expect_error(ErrorCode::invalid_argument, [&] { device->register_host(own.data() + 1, 8); });
  EXPECT_FALSE(twice.empty());
  registered.reset();
  EXPECT_NE(device->register_host(own.data() + 1, 8), nullptr);
  EXPECT_FALSE(expect_error(ErrorCode::invalid_argument, [&] { device->register_host(nullptr, 8); }).empty());
}

TEST_P(Conformance, FreeMemoryIsPartOfAll) {
  const std::uint64_t free = device->free_memory();
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, device->info().memory_bytes);
}

TEST_P(Conformance, CopiesOfParts) {
  const Buffer<std::uint8_t> a(*device, 1000);
  queue->fill(a.span(), 0xEE, 1);
  std::vector<std::uint8_t> data(100);
  std::iota(data.begin(), data.end(), 1);
  queue->copy(a.span().sub(450, 100), Span::host(data.data(), 100));
  queue->copy(a.span().sub(1, 7), a.span().sub(452, 7));
  queue->copy(a.span(), Span::host(data.data(), 0));
  std::vector<std::uint8_t> expected(1000, 0xEE);
  std::copy(data.begin(), data.end(), expected.begin() + 450);
  std::copy_n(data.begin() + 2, 7, expected.begin() + 1);
  EXPECT_EQ(a.read(*queue), expected);
}

TEST_P(Conformance, CopiesThatDoNotFitAreRefused) {
  const Buffer<std::uint8_t> a(*device, 100);
  std::vector<std::uint8_t> data(200);
  expect_error(ErrorCode::invalid_argument, [&] { queue->copy(a.span(), Span::host(data.data(), 101)); });
  // A span that reaches past its allocation.
  expect_error(ErrorCode::invalid_argument, [&] {
    queue->copy(a.span().sub(50, 51), Span::host(data.data(), 51));
    queue->synchronize();
  });
  expect_error(ErrorCode::invalid_argument, [&] {
    queue->copy(Span::host(data.data(), 200), a.span().sub(0, 101));
    queue->synchronize();
  });
  expect_error(ErrorCode::invalid_argument, [&] {
    queue->fill(a.span().sub(96, 8), 0, 4);
    queue->synchronize();
  });
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(Conformance, Fills) {
  const Buffer<std::uint8_t> a(*device, 1'000'000);
  queue->fill(a.span(), 0x11, 1);
  queue->fill(a.span().sub(8, 100), 0x2233, 2);
  queue->fill(a.span().sub(400'000, 400'000), 0x44556677, 4);
  const auto bytes = a.read(*queue);
  std::vector<std::uint8_t> expected(1'000'000, 0x11);
  const auto repeat = [&](std::size_t from, std::size_t count, std::vector<std::uint8_t> pattern) {
    for (std::size_t i = 0; i < count; ++i) expected[from + i] = pattern[i % pattern.size()];
  };
  repeat(8, 100, {0x33, 0x22});
  repeat(400'000, 400'000, {0x77, 0x66, 0x55, 0x44});
  EXPECT_EQ(bytes, expected);
  expect_error(ErrorCode::invalid_argument, [&] { queue->fill(a.span(), 0, 3); });
  expect_error(ErrorCode::invalid_argument, [&] { queue->fill(a.span().sub(0, 6), 0, 4); });
}

TEST_P(Conformance, InfoSaysWhatThereIs) {
  const device::DeviceInfo& info = device->info();
  EXPECT_FALSE(info.id.empty());
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.processors, 1u);
  EXPECT_EQ(info.warp_size, 32u);
  EXPECT_GT(info.memory_bytes, 0u);
  EXPECT_GT(device->measured_bandwidth(), 0.0);
}

}  // namespace
}  // namespace heddle::conformance
