#include "random_programs/program.hpp"

namespace heddle::test::random_programs {

const char* const kernels = R"ptx(
.version 7.0
.target sm_70
.address_size 64

.visible .entry copy(.param .u32 delay, .param .u64 in, .param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>, %n, %b;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [delay];
wait:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra go;
  sub.u32 %r1, %r1, 1;
  bra wait;
go:
  mov.u32 %n, %ntid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r2, %b, %n, %r2;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mad.wide.u32 %rd1, %r2, 4, %rd1;
  mad.wide.u32 %rd2, %r2, 4, %rd2;
  ld.global.u32 %r3, [%rd1];
  mad.lo.u32 %r3, %r3, 3, 1;
  st.global.u32 [%rd2], %r3;
  ret;
}

.visible .entry mix(.param .u32 delay, .param .u32 a, .param .u64 data) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>, %n, %b;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [delay];
wait:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra go;
  sub.u32 %r1, %r1, 1;
  bra wait;
go:
  mov.u32 %n, %ntid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r2, %b, %n, %r2;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r4, [a];
  mad.wide.u32 %rd1, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd1];
  mad.lo.u32 %r3, %r3, 5, %r4;
  st.global.u32 [%rd1], %r3;
  ret;
}

.visible .entry cross(.param .u32 delay, .param .u64 in, .param .u64 other, .param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>, %n, %b;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [delay];
wait:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra go;
  sub.u32 %r1, %r1, 1;
  bra wait;
go:
  mov.u32 %n, %ntid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r2, %b, %n, %r2;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r5, %r5, %n;
  sub.u32 %r5, %r5, %r2;
  sub.u32 %r5, %r5, 1;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [other];
  ld.param.u64 %rd3, [out];
  mad.wide.u32 %rd1, %r2, 4, %rd1;
  mad.wide.u32 %rd2, %r5, 4, %rd2;
  mad.wide.u32 %rd3, %r2, 4, %rd3;
  ld.global.u32 %r3, [%rd1];
  ld.global.u32 %r4, [%rd2];
  mad.lo.u32 %r3, %r4, 7, %r3;
  st.global.u32 [%rd3], %r3;
  ret;
}

.visible .entry sum(.param .u32 delay, .param .u64 in, .param .u64 total) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>, %n, %b;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [delay];
wait:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra go;
  sub.u32 %r1, %r1, 1;
  bra wait;
go:
  mov.u32 %n, %ntid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r2, %b, %n, %r2;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [total];
  mad.wide.u32 %rd1, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd1];
  red.global.add.u32 [%rd2], %r3;
  ret;
}
)ptx";

}  // namespace heddle::test::random_programs
