// What barriers, atomics and pipelines of libcu++'s names do, with the hardware's barriers and without.
#include <gmock/gmock.h>

#include <climits>
#include <numeric>

#include "values/devices.hpp"

namespace heddle::compile::testing {
namespace {

class LibraryValues : public OnDevice {
 protected:
  static std::vector<int> count_up(std::size_t n, int step = 1) {
    std::vector<int> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i) * step;
    return values;
  }
  static constexpr int architectures[] = {80, 60};  // before 80 there are no barriers in memory
};

TEST_P(LibraryValues, BarriersOfABlock) {
  for (const int architecture : architectures) {
    Program program(*device_, "library_values.cu", architecture);
    const int n = 96;
    auto in = program.buffer(count_up(n, 3)), out = program.buffer(std::vector<int>(n));
    program.run("rounds", {.grid = {1}, .block = {n}}, out.address(), in.address());
    const auto got = program.read(out);
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(got[static_cast<std::size_t>(i)], 3 * ((i + (i % 2 != 0 ? 6 : 8)) % n)) << i << ", sm_" << architecture;
    auto count = program.buffer(std::vector<int>{0, -1});
    program.run("completions", {.grid = {1}, .block = {64}}, count.address());
    EXPECT_THAT(program.read(count), ::testing::ElementsAre(7, 1));
  }
}

TEST_P(LibraryValues, BarriersOfAGrid) {
  for (const int architecture : architectures) {
    Program program(*device_, "library_values.cu", architecture);
    const int n = 128;
    auto barrier = program.buffer(std::vector<unsigned long long>(1));
    auto between = program.buffer(std::vector<int>(n)), out = program.buffer(std::vector<int>(n));
    program.run("make_barrier", {.grid = {1}, .block = {1}}, barrier.address(), n);
    program.run("across_blocks", {.grid = {4}, .block = {32}}, barrier.address(), between.address(), out.address());
    const auto got = program.read(out);
    for (int i = 0; i < n; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], (n - 1 - i) * (n - 1 - i));
  }
}

TEST_P(LibraryValues, Atomics) {
  for (const int architecture : architectures) {
    Program program(*device_, "library_values.cu", architecture);
    auto a = program.buffer(std::vector<int>{5});
    auto b = program.buffer(std::vector<unsigned>{0});
    auto c = program.buffer(std::vector<float>{0});
    auto d = program.buffer(std::vector<unsigned long long>{0});
    program.run("atomics", {.grid = {1}, .block = {64}}, a.address(), b.address(), c.address(), d.address());
    EXPECT_EQ(program.read(a)[0], 5 + 64 * 3);
    EXPECT_EQ(program.read(b)[0], 63u);
    EXPECT_EQ(program.read(c)[0], 64.0f);
    EXPECT_EQ(program.read(d)[0], ~0ull);
    auto flags = program.buffer(std::vector<int>(9)), data = program.buffer(std::vector<int>(9));
    auto out = program.buffer(std::vector<int>(8));
    program.run("messages", {.grid = {8}, .block = {1}}, flags.address(), data.address(), out.address());
    EXPECT_EQ(program.read(out), count_up(8, 3));
  }
}

TEST_P(LibraryValues, AtomicLoadsOfEveryType) {
  for (const int architecture : architectures) {
    Program program(*device_, "library_values.cu", architecture);
    auto a = program.buffer(std::vector<signed char>{-3});
    auto b = program.buffer(std::vector<unsigned short>{60000});
    auto c = program.buffer(std::vector<int>{-70000});
    auto d = program.buffer(std::vector<long long>{-5});
    auto e = program.buffer(std::vector<float>{-6});
    auto f = program.buffer(std::vector<double>{7});
    auto out = program.buffer(std::vector<int>(24));
    program.run("loads", {.grid = {1}, .block = {1}}, a.address(), b.address(), c.address(), d.address(), e.address(),
                f.address(), out.address());
    std::vector<int> wanted;
    for (const int value : {-3, 60000, -70000, -5, -6, 7}) wanted.insert(wanted.end(), 4, value);
    EXPECT_EQ(program.read(out), wanted) << "sm_" << architecture;
  }
}

TEST_P(LibraryValues, PipelinesAndWhatTheLibraryHas) {
  for (const int architecture : architectures) {
    Program program(*device_, "library_values.cu", architecture);
    auto in = program.buffer(count_up(160)), out = program.buffer(std::vector<int>(32));
    program.run("piped", {.grid = {1}, .block = {32}}, out.address(), in.address(), 5);
    const auto got = program.read(out);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], 5 * i + 320);
    program.run("library", {.grid = {1}, .block = {1}}, out.address());
    const auto values = program.read(out);
    EXPECT_EQ(values[0], 6);
    EXPECT_EQ(values[1], 43);
    EXPECT_EQ(values[2], 65);
    EXPECT_EQ(values[3], INT_MAX);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LibraryValues, ::testing::ValuesIn(device_choices()), device_name);

}  // namespace
}  // namespace heddle::compile::testing
