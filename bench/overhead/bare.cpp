#include <algorithm>

#include "chain_kernels.hpp"

namespace heddle::bench {

namespace driver = device::cuda::driver;

const char* const chain_kernels = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry small(.param .u64 own, .param .u64 other, .param .u32 nanoseconds) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [own];
  ld.param.u64 %rd2, [other];
  ld.param.u32 %r1, [nanoseconds];
  setp.ne.u32 %p1, %r1, 0xffffffff;
  @%p1 bra spin;
  ld.global.u32 %r2, [%rd2];
  st.global.u32 [%rd1], %r2;
spin:
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra done;
  mov.u64 %rd3, %globaltimer;
  cvt.u64.u32 %rd4, %r1;
turn:
  mov.u64 %rd5, %globaltimer;
  sub.u64 %rd6, %rd5, %rd3;
  setp.lt.u64 %p1, %rd6, %rd4;
  @%p1 bra turn;
done:
  ret;
}
.visible .entry look(.param .u64 other, .param .u32 nanoseconds) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd2, [other];
  ld.param.u32 %r1, [nanoseconds];
  setp.ne.u32 %p1, %r1, 0xffffffff;
  @%p1 bra spin;
  ld.volatile.global.u32 %r2, [%rd2];
spin:
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra done;
  mov.u64 %rd3, %globaltimer;
  cvt.u64.u32 %rd4, %r1;
turn:
  mov.u64 %rd5, %globaltimer;
  sub.u64 %rd6, %rd5, %rd3;
  setp.lt.u64 %p1, %rd6, %rd4;
  @%p1 bra turn;
done:
  ret;
}
)ptx";

Bare::Bare(Gpu& gpu, const Shape& shape) : gpu_(gpu), cuda_(*gpu.driver) {
  check(gpu, cuda_.module_load(&loaded_, chain_kernels, 0, nullptr, nullptr), "loading the module");
  check(gpu, cuda_.module_function(&small_, loaded_, "small"), "finding a kernel");
  check(gpu, cuda_.module_function(&look_, loaded_, "look"), "finding a kernel");
  const unsigned streams = 1 + std::min(shape.followers, shape_arrays - 1);
  for (unsigned i = 0; i < streams; ++i)
    check(gpu, cuda_.stream_create(&streams_[i], driver::stream_non_blocking, 0), "a stream");
  for (auto& event : events_) check(gpu, cuda_.event_create(&event, driver::event_no_timing), "an event");
  memory_ = gpu.device->allocate(shape_arrays * shape_array_words * sizeof(std::uint32_t));
}

Bare::~Bare() {
  for (driver::EventHandle event : events_) cuda_.event_destroy(event);
  for (driver::Stream stream : streams_)
    if (stream) cuda_.stream_destroy(stream);
  cuda_.module_unload(loaded_);
}

void Bare::launch(driver::FunctionHandle kernel, unsigned stream, unsigned array, unsigned nanoseconds) {
  const driver::Address first = memory_->span().address;
  driver::Address own = first + array * shape_array_words * sizeof(std::uint32_t), other = first;
  void* modifying[] = {&own, &other, &nanoseconds};
  void* reading[] = {&other, &nanoseconds};
  check(gpu_,
        cuda_.launch(kernel, 1, 1, 1, shape_threads, 1, 1, 0, streams_[stream], kernel == look_ ? reading : modifying,
                     nullptr),
        "launching");
}

// Followers take the streams from 1 on in turns; the first in each waits for the round's first kernel.
void Bare::follow(const Shape& shape, unsigned follower, unsigned nanoseconds) {
  constexpr unsigned others = shape_arrays - 1;
  const unsigned stream = 1 + (follower - 1) % others;
  if (follower <= others) check(gpu_, cuda_.stream_wait_event(streams_[stream], events_[0], 0), "waiting");
  launch(shape.only_read ? look_ : small_, stream, stream, nanoseconds);
  if (follower + others <= shape.followers) return;  // not the last in its stream
  check(gpu_, cuda_.event_record(events_[stream], streams_[stream]), "recording");
  check(gpu_, cuda_.stream_wait_event(streams_[0], events_[stream], 0), "waiting");
}

void Bare::round(const Shape& shape, unsigned nanoseconds) {
  launch(small_, 0, 0, nanoseconds);
  if (shape.followers == 0) return;
  check(gpu_, cuda_.event_record(events_[0], streams_[0]), "recording");
  for (unsigned k = 1; k <= shape.followers; ++k) follow(shape, k, nanoseconds);
}

Took Bare::run(const Shape& shape, unsigned nanoseconds) {
  const double start = seconds();
  for (int i = 0; i < shape.repeats; ++i) round(shape, nanoseconds);
  const double handed_over = seconds();
  check(gpu_, cuda_.stream_synchronize(streams_[0]), "waiting");
  return {handed_over - start, seconds() - start};
}

Took Bare::run_launches(const Shape& shape, unsigned nanoseconds) {
  const double start = seconds();
  for (int i = 0; i < shape.launches(); ++i) launch(small_, 0, 0, nanoseconds);
  const double handed_over = seconds();
  check(gpu_, cuda_.stream_synchronize(streams_[0]), "waiting");
  return {handed_over - start, seconds() - start};
}

}  // namespace heddle::bench
