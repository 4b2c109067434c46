// Variables of modules in the program's own memory, and what they begin with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.extern .global .align 8 .b8 elsewhere[16];
.visible .global .align 4 .u32 counter = 41;
.visible .global .align 4 .u32 zero;
.visible .global .align 2 .v2 .u16 pair = {3, 4};
.visible .global .align 8 .f64 real = 0d4004000000000000;
.visible .global .align 4 .b8 bytes[6] = {1, 2, 0, 7};
.visible .global .align 4 .u32 own = 9;
.visible .global .align 8 .u64 pointers[4] = {5, generic(counter), generic(own)+4, generic(elsewhere)+8};
.visible .global .align 1 .b8 packed[9] = {1, 0xFF(generic(counter)), 0xFF00(generic(counter)), 0xFF0000(generic(counter)),
  0xFF000000(generic(counter)), 0xFF00000000(generic(counter)), 0xFF0000000000(generic(counter)),
  0xFF000000000000(generic(counter)), 0xFF00000000000000(generic(counter))};
.visible .func twice() { ret; }
.visible .global .align 8 .u64 function = twice;
)";

template <class T>
PlacedVariable place(const char* name, T& value) {
  std::memset(&value, 0xEE, sizeof value);
  return {name, &value, sizeof value};
}

TEST(PlacedVariables, BeginWithWhatThePtxSays) {
  std::uint32_t counter, zero;
  std::array<std::uint16_t, 2> pair;
  double real;
  std::array<std::uint8_t, 8> bytes;
  std::uint64_t function;
  std::array<std::uint8_t, 9> packed;
  std::vector<unsigned char> other(16, 1);
  std::vector<PlacedVariable> placed = {place("counter", counter), place("zero", zero),
                                        place("pair", pair),       place("real", real),
                                        place("bytes", bytes),     place("function", function),
                                        place("packed", packed),   {"elsewhere", other.data(), other.size()}};
  std::array<std::uint64_t, 4> pointers;
  placed.push_back(place("pointers", pointers));
  const std::vector<OpenAddress> open = write_initial_values(source, placed);
  EXPECT_EQ(counter, 41u);
  EXPECT_EQ(zero, 0u);
  EXPECT_EQ(pair, (std::array<std::uint16_t, 2>{3, 4}));
  EXPECT_EQ(real, 2.5);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 8>{1, 2, 0, 7}));
  const auto address = reinterpret_cast<std::uint64_t>(&counter), there = reinterpret_cast<std::uint64_t>(other.data());
  EXPECT_EQ(pointers, (std::array<std::uint64_t, 4>{5, address, address_of_device, there + 8}));
  EXPECT_EQ(packed[0], 1);
  EXPECT_EQ(std::memcmp(packed.data() + 1, &address, 8), 0);
  EXPECT_EQ(function, address_of_device);
  EXPECT_EQ(other, std::vector<unsigned char>(16, 1));  // it is declared only
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].place, &pointers[2]);
  EXPECT_EQ(open[0].name, "own");
  EXPECT_EQ(open[0].offset, 4);
  EXPECT_EQ(open[1].place, &function);
  EXPECT_EQ(open[1].name, "twice");
}

std::string error_of(ErrorCode code, const PlacedVariable& variable) {
  try {
    write_initial_values(source, {&variable, 1});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

TEST(PlacedVariables, MemoryThatDoesNotFitIsRefused) {
  std::array<std::uint8_t, 9> packed;
  EXPECT_THAT(error_of(ErrorCode::invalid_argument, {"packed", packed.data(), 8}),
              HasSubstr("'packed' has 9 bytes, and is given memory of 8"));
  // Nobody knows where the device has it.
  EXPECT_THAT(error_of(ErrorCode::unsupported, {"packed", packed.data(), 9}),
              AllOf(HasSubstr("'packed'"), HasSubstr("'counter'")));
  EXPECT_EQ(error_of(ErrorCode::unsupported, {"nobodys", packed.data(), 9}), "no error");
}

constexpr const char* counting = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 total = 5;
.visible .entry count(.param .u64 p) {
  .reg .b32 %r<2>;
  ld.global.u32 %r1, [total];
  add.u32 %r1, %r1, 1;
  st.global.u32 [total], %r1;
  ret;
}
)";

TEST(PlacedVariables, KernelsUseThemWhereTheyAre) {
  Runtime runtime({.devices = "cpu", .check = true});
  const Device device = runtime.device(0);
  alignas(8) std::uint32_t total = 0;
  const std::vector<PlacedVariable> placed = {{"total", &total, sizeof total}};
  const Module module = runtime.load_ptx(counting, "counting.ptx");
  write_initial_values(module.ptx(), placed);
  EXPECT_EQ(total, 5u);
  const Memory registered = device.register_host(&total, sizeof total);
  device.load(module, {}, placed);
  EXPECT_EQ(device.variable(module, "total").address, reinterpret_cast<std::uint64_t>(&total));
  const Queue queue = device.queue();
  const std::vector<std::byte> nothing(8);
  total = 10;
  queue.launch(device.load(module.kernel("count")), {}, nothing);
  queue.synchronize();
  EXPECT_EQ(total, 11u);
  EXPECT_EQ(module.variable<std::uint32_t>("total"), 11u);
  try {
    device.load(module, {}, placed);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("counting.ptx was loaded on cpu before its variables were placed"));
  }
}

// A source that is compiled alone has no variable of the host's.
TEST(PlacedVariables, ManagedOnesOfASourceAreTheModules) {
  Runtime runtime({.devices = "cpu"});
  Module module = runtime.compile("__managed__ int total = 5;\n__global__ void count() { total += 2; }", "count.cu");
  EXPECT_EQ(module.variable<int>("total"), 5);
  module.set_variable("total", 20);
  runtime.launch(module.kernel("count"), {});
  EXPECT_EQ(module.variable<int>("total"), 22);
}

}  // namespace
}  // namespace heddle
