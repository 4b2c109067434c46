// How fast devices are: a micro-benchmark of integer and floating-point arithmetic, where Marrow's paper uses SHOC
// (section 3.1).
#include <algorithm>
#include <cmath>

#include "skeleton/platforms.hpp"

namespace heddle::skeleton {
namespace {

// In PTX, so that executors need no compiler of CUDA C++. Each thread has two chains of dependent operations.
constexpr const char* speed_kernels = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry integers(.param .u64 out, .param .u32 rounds)
{
	.reg .pred %p;
	.reg .b32 %a, %b, %k, %i, %block, %threads, %thread;
	.reg .b64 %to, %at;
	ld.param.u64 %to, [out];
	ld.param.u32 %k, [rounds];
	cvta.to.global.u64 %to, %to;
	mov.u32 %block, %ctaid.x;
	mov.u32 %threads, %ntid.x;
	mov.u32 %thread, %tid.x;
	mad.lo.s32 %i, %block, %threads, %thread;
	or.b32 %a, %i, 1;
	add.s32 %b, %i, 7;
again:
	mad.lo.s32 %a, %a, 1664525, %b;
	mad.lo.s32 %b, %b, 22695477, %a;
	mad.lo.s32 %a, %a, 1664525, %b;
	mad.lo.s32 %b, %b, 22695477, %a;
	add.s32 %k, %k, -1;
	setp.gt.s32 %p, %k, 0;
	@%p bra again;
	xor.b32 %a, %a, %b;
	mul.wide.u32 %at, %i, 4;
	add.s64 %at, %to, %at;
	st.global.u32 [%at], %a;
	ret;
}

.visible .entry floats(.param .u64 out, .param .u32 rounds)
{
	.reg .pred %p;
	.reg .b32 %k, %i, %block, %threads, %thread;
	.reg .f32 %a, %b;
	.reg .b64 %to, %at;
	ld.param.u64 %to, [out];
	ld.param.u32 %k, [rounds];
	cvta.to.global.u64 %to, %to;
	mov.u32 %block, %ctaid.x;
	mov.u32 %threads, %ntid.x;
	mov.u32 %thread, %tid.x;
	mad.lo.s32 %i, %block, %threads, %thread;
	cvt.rn.f32.u32 %a, %i;
	mov.f32 %b, 0f3F800000;
again:
	fma.rn.f32 %a, %a, 0f3F7FBE77, %b;
	fma.rn.f32 %b, %b, 0f3F000000, %a;
	fma.rn.f32 %a, %a, 0f3F7FBE77, %b;
	fma.rn.f32 %b, %b, 0f3F000000, %a;
	add.s32 %k, %k, -1;
	setp.gt.s32 %p, %k, 0;
	@%p bra again;
	add.rn.f32 %a, %a, %b;
	mul.wide.u32 %at, %i, 4;
	add.s64 %at, %to, %at;
	st.global.f32 [%at], %a;
	ret;
}
)";

constexpr int operations = 4;  // of a round

template <typename T>
double rate(Runtime& runtime, const Kernel& kernel, const DeviceInfo& device) {
  // Several blocks for each SM of a GPU, whose latencies hide each other.
  const unsigned blocks = device.processors * (device.capability != 0 ? 8 : 2);
  const int rounds = device.simulated ? 32 : 2048;
  auto out = runtime.array<T>(std::size_t{blocks} * 256);
  double best = 0;
  for (int repeat = 0; repeat < (device.simulated ? 1 : 3); ++repeat) {
    const Launch launch =
        runtime.launch(kernel, {.grid = {blocks}, .block = {256}, .device = device.id, .timed = true}, out, rounds);
    launch.wait();
    best = std::max(best, static_cast<double>(operations) * rounds * blocks * 256 / std::max(launch.seconds(), 1e-9));
  }
  return best;
}

}  // namespace

double measure_speed(Runtime& runtime, const DeviceInfo& device) {
  const Module module = runtime.load_ptx(speed_kernels, "speed");
  return std::sqrt(rate<unsigned>(runtime, module.kernel("integers"), device) *
                   rate<float>(runtime, module.kernel("floats"), device));
}

double measured_speed(Runtime& runtime, std::string_view device) {
  return measure_speed(runtime, runtime.device(device).info());
}

}  // namespace heddle::skeleton
