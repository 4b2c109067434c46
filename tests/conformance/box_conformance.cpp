// Copies and fills of boxes: rows and planes.
#include <cstdint>
#include <vector>

#include "conformance/conformance.hpp"
#include "device/box.hpp"

namespace heddle::conformance {
namespace {

using device::BoxExtent;
using device::BoxPlace;
using testing::HasSubstr;

constexpr std::size_t size = 4096;

// Bytes of one side, each another.
std::vector<std::uint8_t> pattern() {
  std::vector<std::uint8_t> data(size);
  for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return data;
}

std::vector<std::uint8_t> bytes_of(Queue& queue, Span span) {
  std::vector<std::uint8_t> data(span.size);
  queue.copy(Span::host(data.data(), data.size()), span);
  queue.synchronize();
  return data;
}

TEST_P(Conformance, BoxesAreCopiedToAndFro) {
  const auto data = pattern();
  const struct {
    BoxExtent extent;
    std::size_t to_row, to_plane, from_row, from_plane;
  } cases[] = {
      {{20, 10, 1}, 64, 0, 20, 0},     {{20, 10, 3}, 32, 400, 24, 240}, {{1, 50, 2}, 3, 151, 2, 100},
      {{64, 4, 4}, 64, 256, 64, 256},  {{100, 1, 1}, 0, 0, 0, 0},       {{7, 3, 5}, 10, 33, 8, 40},
      {{100, 1, 8}, 100, 300, 0, 200}, {{0, 5, 5}, 8, 40, 8, 40},
  };
  for (const auto& c : cases) {
    std::vector<std::uint8_t> expected(size, 0xee);
    for (std::size_t z = 0; z < c.extent.depth; ++z)
      for (std::size_t y = 0; y < c.extent.height; ++y)
        for (std::size_t x = 0; x < c.extent.width; ++x)
          expected[5 + z * c.to_plane + y * c.to_row + x] = data[3 + z * c.from_plane + y * c.from_row + x];
    // Host to device, device to device, device to host.
    const Buffer<std::uint8_t> first(*device, size), second(*device, size);
    std::vector<std::uint8_t> host(size, 0xee);
    queue->fill(first.span(), 0xee, 1);
    queue->fill(second.span(), 0xee, 1);
    const auto at = [&](Span span, std::size_t offset, std::size_t row, std::size_t plane) {
      return BoxPlace{span.device, span.address + offset, row, plane};
    };
    const Span source = Span::host(data.data(), size);
    queue->copy_box(at(first.span(), 5, c.to_row, c.to_plane), at(source, 3, c.from_row, c.from_plane), c.extent);
    EXPECT_EQ(bytes_of(*queue, first.span()), expected);
    queue->copy_box(at(second.span(), 5, c.to_row, c.to_plane), at(first.span(), 5, c.to_row, c.to_plane), c.extent);
    EXPECT_EQ(bytes_of(*queue, second.span()), expected);
    queue->copy_box(at(Span::host(host.data(), size), 5, c.to_row, c.to_plane),
                    at(second.span(), 5, c.to_row, c.to_plane), c.extent);
    queue->synchronize();
    EXPECT_EQ(host, expected);
  }
}

TEST_P(Conformance, BoxesAreFilled) {
  for (const unsigned value_bytes : {1u, 2u, 4u}) {
    const BoxExtent extent{24, 5, 3};
    const Buffer<std::uint8_t> there(*device, size);
    queue->fill(there.span(), 0xee, 1);
    queue->fill_box({there.span().device, there.span().address + 8, 40, 320}, extent, 0x44332211, value_bytes);
    std::vector<std::uint8_t> expected(size, 0xee);
    for (std::size_t z = 0; z < 3; ++z)
      for (std::size_t y = 0; y < 5; ++y)
        for (std::size_t x = 0; x < 24; ++x)
          expected[8 + z * 320 + y * 40 + x] = static_cast<std::uint8_t>(0x11 * (1 + x % value_bytes));
    EXPECT_EQ(bytes_of(*queue, there.span()), expected);
  }
}

TEST_P(Conformance, BoxesLargeOnes) {
  const std::size_t row = 5000, rows = 3000, width = 4097;
  const Buffer<std::uint8_t> there(*device, row * rows);
  std::vector<std::uint8_t> data(width * rows), back(width * rows);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i % 251);
  const BoxExtent extent{width, rows, 1};
  queue->copy_box({there.span().device, there.span().address, row, 0},
                  {nullptr, Span::host(data.data(), 1).address, width, 0}, extent);
  queue->copy_box({nullptr, Span::host(back.data(), 1).address, width, 0},
                  {there.span().device, there.span().address, row, 0}, extent);
  queue->synchronize();
  EXPECT_EQ(back, data);
}

TEST_P(Conformance, BoxesThatCannotBeAreRefused) {
  const Buffer<std::uint8_t> there(*device, size);
  const BoxPlace all{there.span().device, there.span().address, 64, 640};
  const auto refused = [&](const BoxPlace& to, const BoxExtent& extent) {
    return expect_error(ErrorCode::invalid_argument, [&] { queue->fill_box(to, extent, 0, 1); });
  };
  EXPECT_THAT(refused({all.device, all.address, 10, 0}, {20, 2, 1}), HasSubstr("overlap"));
  EXPECT_THAT(refused({all.device, all.address, 64, 100}, {20, 4, 2}), HasSubstr("overlap"));
  EXPECT_THAT(refused(all, {64, 10, 7}), HasSubstr("allocation"));
  EXPECT_THAT(refused({all.device, all.address, ~std::size_t{0} / 2, 0}, {20, 4, 1}),
              HasSubstr("larger than any memory"));
  EXPECT_FALSE(expect_error(ErrorCode::invalid_argument, [&] {
                 queue->copy_box(all, {all.device, 0, 64, 640}, {4, 1, 1});
               }).empty());
  queue->synchronize();
}

}  // namespace
}  // namespace heddle::conformance
