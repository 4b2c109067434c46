#include "conformance/conformance.hpp"

namespace heddle::conformance {

const char* const kernels = R"ptx(
.version 7.0
.target sm_70
.address_size 64

.global .align 4 .u32 counter = 41;
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 8 .u64 pointer = counter;
.global .align 4 .f32 zeros[16];
.extern .shared .align 4 .b8 dynamic[];

// Every thread writes where its local variables lie, one of them in a function.
.func (.param .b64 address) aligned_place(.param .b32 value) {
  .local .align 128 .b8 own[20];
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u32 %r1, [value];
  mov.u64 %rd1, own;
  st.local.u32 [%rd1], %r1;
  cvta.local.u64 %rd2, %rd1;
  st.param.b64 [address], %rd2;
  ret;
}
.visible .entry aligned_locals(.param .u64 p_out) {
  .local .align 4 .b8 before[12];
  .local .align 256 .b8 wide[40];
  .reg .b32 %r<4>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [p_out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 16;
  add.u64 %rd1, %rd1, %rd2;
  mov.u64 %rd3, wide;
  st.local.u32 [%rd3], %r1;
  mov.u64 %rd6, before;
  st.local.u32 [%rd6], %r1;
  cvta.local.u64 %rd4, %rd3;
  st.global.u64 [%rd1], %rd4;
  { .param .b32 a; .param .b64 r;
    st.param.b32 [a], %r1;
    call.uni (r), aligned_place, (a);
    ld.param.b64 %rd5, [r]; }
  st.global.u64 [%rd1+8], %rd5;
  ret;
}

// Every thread writes its indices to its place in the grid and counts itself.
.visible .entry indices(.param .u64 p_out, .param .u64 p_count) {
  .reg .b32 %r<24>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %tid.x;
  mov.u32 %r5, %tid.y;
  mov.u32 %r6, %tid.z;
  mov.u32 %r7, %nctaid.x;
  mov.u32 %r8, %nctaid.y;
  mov.u32 %r9, %ntid.x;
  mov.u32 %r10, %ntid.y;
  mov.u32 %r11, %ntid.z;
  mad.lo.u32 %r12, %r3, %r8, %r2;
  mad.lo.u32 %r12, %r12, %r7, %r1;       // linear block
  mad.lo.u32 %r13, %r6, %r10, %r5;
  mad.lo.u32 %r13, %r13, %r9, %r4;       // linear thread
  mul.lo.u32 %r14, %r9, %r10;
  mul.lo.u32 %r14, %r14, %r11;
  mad.lo.u32 %r15, %r12, %r14, %r13;     // place
  mad.lo.u32 %r16, %r2, 1000, %r1;
  mad.lo.u32 %r17, %r5, 1000, %r4;
  mul.wide.u32 %rd3, %r15, 16;
  add.u64 %rd4, %rd1, %rd3;
  st.global.v4.u32 [%rd4], {%r16, %r3, %r17, %r6};
  mul.wide.u32 %rd5, %r15, 4;
  add.u64 %rd6, %rd2, %rd5;
  atom.global.add.u32 %r18, [%rd6], 1;
  ret;
}

// to[i] = from[(i + blockDim + 1) mod n] + 1 for i < n; some blocks take longer between reading and writing
.visible .entry turn(.param .u64 p_from, .param .u64 p_to, .param .u32 p_n) {
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_from];
  ld.param.u64 %rd2, [p_to];
  ld.param.u32 %r1, [p_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  add.u32 %r6, %r5, %r3;
  add.u32 %r6, %r6, 1;
  rem.u32 %r6, %r6, %r1;
  mul.wide.u32 %rd3, %r6, 4;
  add.u64 %rd3, %rd1, %rd3;
  ld.global.u32 %r7, [%rd3];
  add.u32 %r7, %r7, 1;
  mul.wide.u32 %rd4, %r5, 4;
  add.u64 %rd4, %rd2, %rd4;
  and.b32 %r8, %r2, 7;
  shl.b32 %r8, %r8, 3;
  mov.u32 %r9, 0;
waiting:
  setp.ge.u32 %p2, %r9, %r8;
  @%p2 bra write;
  add.u32 %r9, %r9, 1;
  nanosleep.u32 20;
  bra waiting;
write:
  st.global.u32 [%rd4], %r7;
done:
  ret;
}

// x[i] += 1 for i < n
.visible .entry add_one(.param .u64 p_x, .param .u32 p_n) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u32 %r1, [p_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  add.u32 %r7, %r6, 1;
  st.global.u32 [%rd3], %r7;
DONE:
  ret;
}

// Spins until so much time has passed; the first thread of each block notes that it was there.
.visible .entry spin_ns(.param .u64 p_out, .param .u64 p_ns) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_ns];
  mov.u64 %rd3, %globaltimer;
TURN:
  mov.u64 %rd4, %globaltimer;
  sub.u64 %rd5, %rd4, %rd3;
  setp.lt.u64 %p1, %rd5, %rd2;
  @%p1 bra TURN;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra DONE;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd6, %r2, 4;
  add.u64 %rd7, %rd1, %rd6;
  st.global.u32 [%rd7], 1;
DONE:
  ret;
}

// Block `p_block` traps; the others count themselves.
.visible .entry trap_block(.param .u64 p_count, .param .u32 p_block) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_count];
  ld.param.u32 %r1, [p_block];
  mov.u32 %r2, %ctaid.x;
  setp.ne.u32 %p1, %r1, %r2;
  @%p1 bra GOOD;
  trap;
GOOD:
  red.global.add.u32 [%rd1], 1;
  ret;
}

.visible .entry store_to(.param .u64 p_address) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_address];
  st.global.u32 [%rd1], 7;
  ret;
}

// F: matrix[row][column] = row * n + column + p_base, after a delay that differs from block to block. Row = block.
.visible .entry write_rows(.param .u64 p_matrix, .param .u32 p_n, .param .u32 p_base) {
  .reg .pred %p<3>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_matrix];
  ld.param.u32 %r1, [p_n];
  ld.param.u32 %r2, [p_base];
  mov.u32 %r3, %ctaid.x;
  mul.lo.u32 %r4, %r3, 2654435761;
  shr.u32 %r4, %r4, 24;                  // 0 to 255 turns
  mov.u32 %r5, 0;
DELAY:
  mov.u64 %rd2, %globaltimer;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, %r4;
  @%p1 bra DELAY;
  mov.u32 %r6, %tid.x;
  mov.u32 %r7, %ntid.x;
COLUMN:
  setp.ge.u32 %p2, %r6, %r1;
  @%p2 bra DONE;
  mad.lo.u32 %r8, %r3, %r1, %r6;
  add.u32 %r9, %r8, %r2;
  mul.wide.u32 %rd3, %r8, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r9;
  add.u32 %r6, %r6, %r7;
  bra COLUMN;
DONE:
  ret;
}

// G: out[row][column] = in[column][row]. Row = block.
.visible .entry read_transposed(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n) {
  .reg .pred %p<2>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_in];
  ld.param.u64 %rd2, [p_out];
  ld.param.u32 %r1, [p_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
COLUMN:
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra DONE;
  mad.lo.u32 %r5, %r3, %r1, %r2;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r6, [%rd4];
  mad.lo.u32 %r7, %r2, %r1, %r3;
  mul.wide.u32 %rd5, %r7, 4;
  add.u64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r6;
  add.u32 %r3, %r3, %r4;
  bra COLUMN;
DONE:
  ret;
}

// out = {counter, table[2], *pointer, zeros[15]}, then counter += 1
.visible .entry use_variables(.param .u64 p_out) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  ld.global.u32 %r1, [counter];
  ld.const.u32 %r2, [table+8];
  ld.global.u64 %rd2, [pointer];
  ld.global.u32 %r3, [%rd2];
  ld.global.u32 %r4, [zeros+60];
  st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
  add.u32 %r5, %r1, 1;
  st.global.u32 [counter], %r5;
  ret;
}

// out[block * ntid + t] = in[block * ntid + ntid - 1 - t], through dynamic shared memory
.visible .entry reverse(.param .u64 p_in, .param .u64 p_out) {
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_in];
  ld.param.u64 %rd2, [p_out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r5, [%rd4];
  shl.b32 %r6, %r3, 2;
  mov.u32 %r7, dynamic;
  add.u32 %r8, %r7, %r6;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  sub.u32 %r9, %r2, %r3;
  sub.u32 %r9, %r9, 1;
  shl.b32 %r9, %r9, 2;
  add.u32 %r10, %r7, %r9;
  ld.shared.u32 %r11, [%r10];
  add.u64 %rd5, %rd2, %rd3;
  st.global.u32 [%rd5], %r11;
  ret;
}

// *sum += value of the block, in any order
.visible .entry accumulate(.param .u64 p_sum) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_sum];
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r2, %r1, %r1, 1;
  red.global.add.u32 [%rd1], %r2;
  ret;
}

// *state = *state * 3 + block: depends on the order of blocks
.visible .entry fold(.param .u64 p_state) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p_state];
  mov.u32 %r1, %ctaid.x;
  ld.global.u32 %r2, [%rd1];
  mad.lo.u32 %r3, %r2, 3, %r1;
  st.global.u32 [%rd1], %r3;
  ret;
}

// Parameters of many sizes, copied out one after the other in words.
.visible .entry parameters(.param .u8 p_byte, .param .u64 p_out, .param .u16 p_half, .param .f64 p_double,
                           .param .align 16 .b8 p_struct[20], .param .u32 p_last) {
  .reg .b16 %rs<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u8 %rs1, [p_byte];
  cvt.u32.u16 %r1, %rs1;
  ld.param.u16 %rs2, [p_half];
  cvt.u32.u16 %r2, %rs2;
  ld.param.b64 %rd2, [p_double];
  mov.b64 {%r3, %r4}, %rd2;
  ld.param.u32 %r5, [p_struct];
  ld.param.u32 %r6, [p_struct+16];
  ld.param.u32 %r7, [p_last];
  st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
  st.global.v2.u32 [%rd1+16], {%r5, %r6};
  st.global.u32 [%rd1+24], %r7;
  ret;
}

.visible .entry nothing() { ret; }
.visible .entry only_64() .reqntid 64, 1, 1 { ret; }
.visible .entry at_most_128() .maxntid 128, 1, 1 { ret; }
)ptx";

const char* const much_shared = R"ptx(
.version 8.0
.target sm_80
.address_size 64
.visible .entry much_shared() {
  .shared .align 16 .b8 big[240000];
  .reg .b32 %r<2>;
  mov.u32 %r1, big;
  st.shared.u32 [%r1], %r1;
  ret;
}
)ptx";

}  // namespace heddle::conformance
