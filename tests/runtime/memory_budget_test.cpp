// What messages say where the memory for arrays does not suffice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "heddle/runtime.hpp"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* fill = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 p) {
  .reg .b64 %p<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %p1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %p2, %r1, 4;
  add.u64 %p1, %p1, %p2;
  st.global.u32 [%p1], %r1;
  ret;
}
)";

class MemoryBudget : public testing::Test {
 protected:
  static constexpr std::size_t mib = std::size_t{1} << 20;

  std::string refusal_of_large_array() {
    Array<int> large = runtime_.array<int>(2 * mib / sizeof(int));
    try {
      runtime_.launch(kernel_, {.grid = {1}, .block = {32}}, large).wait();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      return error.what();
    }
    ADD_FAILURE() << "the array has found memory";
    return {};
  }

  Runtime runtime_{{.devices = "interp", .memory_budget = mib}};
  Kernel kernel_ = runtime_.load_ptx(fill, "fill").kernel("fill");
};

TEST_F(MemoryBudget, TheMessageNamesArraysAndAllocationsOfTheProgram) {
  std::optional<Memory> own = runtime_.device(0).allocate(3 * mib);
  Array<int> small = runtime_.array<int>(mib / 4 / sizeof(int));
  runtime_.launch(kernel_, {.grid = {1}, .block = {32}}, small).wait();
  EXPECT_THAT(refusal_of_large_array(), AllOf(HasSubstr("kernel fill needs 2.00 MiB more on interp"),
                                              HasSubstr("1 allocation of the program takes 3.00 MiB")));
  own.reset();
  EXPECT_THAT(refusal_of_large_array(), Not(HasSubstr("of the program")));
}

}  // namespace
}  // namespace heddle
