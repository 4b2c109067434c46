// x mod pi/2 for arguments too large for subtraction of multiples (Payne and Hanek's method): x is multiplied by just those
// bits of 2/pi that matter. Not inlined: hardly any argument comes here.
#pragma once
#pragma clang system_header

#include "polynomials.h"

namespace __heddle {

// 2/pi, 64 bits a word; the first word has the weight 2^-64.
__HEDDLE_TABLE__ u64 two_over_pi[] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};

// The bits of 2/pi from bit `at` on (counted from the binary point), 64 of them.
__HEDDLE_MATH__ u64 bits_of_two_over_pi(i32 at) {
  i32 word = at >> 6, shift = at & 63;
  u64 high = two_over_pi[word], low = two_over_pi[word + 1];
  return shift == 0 ? high : (high << shift) | (low >> (64 - shift));
}

// The low half is r as float bits, the high half the quadrant.
__HEDDLE_MATH_OUTLINE__ u64 reduce_large(float x) {
  u32 b = bits(x);
  i32 exponent = static_cast<i32>((b >> 23) & 0xff) - 150;  // |x| = m 2^exponent
  if (exponent == 255 - 150) return bits(nan_f());
  u64 m = (b & 0x7fffffu) | 0x800000u;
  // x 2/pi modulo 4 as a fixed-point number with two bits before the point and 62 behind it, from 2/pi's bits
  // [exponent - 2, exponent + 126): those before give multiples of 4. Here exponent may be as low as -7.
  i32 at = exponent - 2;
  u64 high, low;
  if (at >= 0) {
    high = bits_of_two_over_pi(at);
    low = bits_of_two_over_pi(at + 64);
  } else {
    high = two_over_pi[0] >> -at;
    low = (two_over_pi[0] << (64 + at)) | (two_over_pi[1] >> -at);
  }
  u64 product = m * high + mul_high(m, low);
  u32 q = static_cast<u32>(product >> 62);
  i64 fraction = static_cast<i64>(product << 2);
  q += fraction < 0;
  // pi/2 2^-64.
  float r = static_cast<float>(static_cast<double>(fraction) * 0x1.921fb54442d18p-64);
  if (b >> 31) {
    r = -r;
    q = 0u - q;
  }
  return (static_cast<u64>(q) << 32) | bits(r);
}

struct quadrant_d {
  double hi, lo;
  u32 q;
};

// The same for double: r as a sum of two.
__HEDDLE_MATH_OUTLINE__ void reduce_large(double x, quadrant_d* result) {
  u64 b = bits(x);
  i32 exponent = static_cast<i32>((b >> 52) & 0x7ff) - 1075;
  if (exponent == 2047 - 1075) {
    *result = {nan_d(), nan_d(), 0};
    return;
  }
  u64 m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
  i32 at = exponent - 2;
  u64 w[3];
  for (i32 i = 0; i < 3; ++i) {
    i32 from = at + 64 * i;
    if (from >= 0) {
      w[i] = bits_of_two_over_pi(from);
    } else if (from > -64) {
      w[i] = two_over_pi[0] >> -from;
    } else {
      w[i] = 0;
    }
  }
  // The top 128 of the product's bits modulo 2^192.
  u64 low = mul_high(m, w[2]);
  u64 middle = m * w[1];
  u64 carry = mul_high(m, w[1]);
  low += middle;
  u64 high = m * w[0] + carry + (low < middle);
  u32 q = static_cast<u32>(high >> 62);
  // The fraction, as a signed number with 128 bits behind the point.
  high = (high << 2) | (low >> 62);
  low <<= 2;
  bool negative = high >> 63;
  q += negative;
  if (negative) {
    low = 0 - low;
    high = ~high + (low == 0);
  }
  double top = static_cast<double>(high & ~0x7ffull) * 0x1p-64;
  double rest = static_cast<double>(high & 0x7ffull) * 0x1p-64 + static_cast<double>(low) * 0x1p-128;
  pair_d f = fast_two_sum(top, rest);
  pair_d p = two_product(f.hi, 0x1.921fb54442d18p+0);
  p.lo += fma(f.hi, 0x1.1a62633145c07p-54, f.lo * 0x1.921fb54442d18p+0);
  pair_d r = fast_two_sum(p.hi, p.lo);
  if (negative != static_cast<bool>(b >> 63)) r = {-r.hi, -r.lo};
  *result = {r.hi, r.lo, b >> 63 ? 0u - q : q};
}

}  // namespace __heddle
