// What tests of several host threads share: kernels of one array, and threads whose failures are the test's.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::tests {

// add(value, x): x[i] += value, with so many turns of an empty loop before; copy(x, y): y[i] = x[i]. A thread of the
// grid has one place. Kernels of the test's own may follow.
inline std::string thread_kernels(unsigned turns = 0) {
  return R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry add(.param .u32 p_value, .param .u64 p_x) {
  .reg .pred %p; .reg .b32 %r<7>; .reg .b64 %rd<3>;
  mov.u32 %r5, 0;
again:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p, %r5, )" +
         std::to_string(turns) + R"(;
  @%p bra again;
  ld.param.u32 %r1, [p_value];
  ld.param.u64 %rd1, [p_x];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r6, %ntid.x;
  mad.lo.u32 %r2, %r3, %r6, %r2;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r4, [%rd2];
  add.u32 %r4, %r4, %r1;
  st.global.u32 [%rd2], %r4;
  ret;
}
.visible .entry copy(.param .u64 p_x, .param .u64 p_y) {
  .reg .b32 %r<5>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u64 %rd2, [p_y];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r1, %r2, %r4, %r1;
  mad.wide.u32 %rd3, %r1, 4, %rd1;
  mad.wide.u32 %rd4, %r1, 4, %rd2;
  ld.global.u32 %r3, [%rd3];
  st.global.u32 [%rd4], %r3;
  ret;
}
)";
}

// f(thread) in so many threads; what they throw is a failure of the test.
template <class F>
void in_threads(std::uint32_t hosts, const F& f) {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::vector<std::string> thrown;
  threads.reserve(hosts);
  for (std::uint32_t h = 0; h < hosts; ++h)
    threads.emplace_back([&, h] {
      try {
        f(h);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        thrown.emplace_back(error.what());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(thrown, testing::IsEmpty());
}

}  // namespace heddle::tests
