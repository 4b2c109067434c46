#include "cuda_api/driver_support.hpp"

namespace heddle::tests {

const char* const add_ptx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter[4] = {1, 2, 3};
.visible .entry add(.param .u64 add_p, .param .u32 add_value)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<4>;
  ld.param.u64 %rd1, [add_p];
  ld.param.u32 %r1, [add_value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry add_counter(.param .u32 add_counter_value)
{
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [add_counter_value];
  ld.global.u32 %r2, [counter];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [counter], %r2;
  ret;
}
)";

}  // namespace heddle::tests
