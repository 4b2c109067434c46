// Copies that report their progress to kernels that run meanwhile.
#include <cstring>

#include "base/clock.hpp"
#include "conformance/conformance.hpp"
#include "support/wait_until.hpp"

namespace heddle::conformance {
namespace {

// out[i] = in[i] + 1, where each thread first waits until the word says that in[i] is there.
constexpr const char* waiting = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry waiting(.param .u64 in, .param .u64 out, .param .u64 word, .param .u32 n) {
  .reg .pred %p<3>;
  .reg .b32 %r<7>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u64 %d3, [word];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 ret;
  mad.wide.u32 %d4, %r5, 4, %d1;
  mad.wide.u32 %d5, %r5, 4, %d2;
  add.u64 %d6, %d4, 4;
look:
  ld.acquire.sys.global.u64 %d7, [%d3];
  setp.ge.u64 %p2, %d7, %d6;
  @%p2 bra there;
  nanosleep.u32 1000;
  bra look;
there:
  ld.global.u32 %r6, [%d4];
  add.u32 %r6, %r6, 1;
  st.global.u32 [%d5], %r6;
  ret;
}
)";

TEST_P(Conformance, KernelsReadWhatHasArrivedWhileTheRestIsOnItsWay) {
  auto flag = device->progress_flag();
  if (!flag) GTEST_SKIP() << "copies to this device do not report their progress";
  constexpr std::uint32_t n = 40u << 20;  // several pieces
  const auto loaded = load(waiting);
  Function& function = loaded->function("waiting");
  const Buffer<std::uint32_t> in(*device, n), out(*device, n);
  const auto host = device->allocate_host(std::size_t{n} * 4);
  auto* const values = static_cast<std::uint32_t*>(host->host());
  const auto other = device->queue({});
  const auto announced = device->event();
  for (std::uint32_t round = 1; round <= 3; ++round) {
    for (std::uint32_t i = 0; i < n; ++i) values[i] = i * round;
    in.fill(*queue, 0xeeeeeeee);
    out.fill(*queue);
    queue->synchronize();
    queue->begin_progress(*flag, in.address());
    queue->record(*announced);
    other->wait(*announced);
    launch(*other, function, {.grid = {(n + 255) / 256}, .block = {256}}, in.address(), out.address(), flag->address(),
           n);
    queue->copy_with_progress(in.span(), host->span(), *flag);
    const std::vector<std::uint32_t> got = out.read(*other);
    queue->synchronize();
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < n; ++i) wrong += got[i] != i * round + 1 ? 1 : 0;
    EXPECT_EQ(wrong, 0u) << "round " << round;
  }
}

// Until the word is no more zero.
constexpr const char* waits = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry waits(.param .u64 word) {
  .reg .pred %p;
  .reg .b32 %r;
  .reg .b64 %d;
  ld.param.u64 %d, [word];
look:
  ld.acquire.sys.global.u32 %r, [%d];
  setp.eq.u32 %p, %r, 0;
  @%p bra look;
  ret;
}
)";

// Nothing changes for long, and that is no deadlock: the host writes in the end.
TEST_P(Conformance, KernelsWaitForALaterWriteOfTheHost) {
  constexpr std::uint64_t long_ns = 600'000'000;
  const auto loaded = load(waits);
  const Buffer<std::uint32_t> word(*device, 1);
  word.fill(*queue);
  queue->synchronize();
  launch(*queue, loaded->function("waits"), {.grid = {2}, .block = {64}}, word.address());
  tests::let_pass(base::SteadyClock(), long_ns);
  const auto other = device->queue({});
  word.write(*other, {1});
  EXPECT_NO_THROW(queue->synchronize());
}

TEST_P(Conformance, AWordSaysThatAllIsThereBehindAFailure) {
  auto flag = device->progress_flag();
  if (!flag) GTEST_SKIP() << "copies to this device do not report their progress";
  constexpr std::uint32_t n = 1000;
  const Buffer<std::uint32_t> in(*device, n);
  const auto host = device->allocate_host(std::size_t{n} * 4);
  queue->call([] { throw Error(ErrorCode::kernel_fault, "as if something had failed"); });
  queue->begin_progress(*flag, in.address());
  queue->copy_with_progress(in.span(), host->span(), *flag);
  EXPECT_THROW(queue->synchronize(), Error);
  std::uint64_t word = 0;
  queue->copy(Span::host(&word, sizeof word), {device.get(), flag->address(), sizeof word});
  queue->synchronize();
  EXPECT_EQ(word, ~std::uint64_t{0});
}

}  // namespace
}  // namespace heddle::conformance
