// What tests of commands launch: each thread writes its number.
#pragma once

namespace heddle::tests {

inline constexpr const char* kernel = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry one(.param .u64 a)
{
  .reg .u64 %p, %q; .reg .u32 %t;
  ld.param.u64 %p, [a];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %q, %t, 4;
  add.u64 %p, %p, %q;
  st.global.u32 [%p], %t;
  ret;
}
)";

}  // namespace heddle::tests
