// heddle cc: what nvcc takes and clang does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/cc_fixture.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Cc, LaunchesMayHaveBlanksBetweenTheirSigns) {
  file("launch.cuh", "template <class T> void run(T* p) { k<T> << <1, 32 >> > (p); }\n");
  file("a.cu", R"(#include <cstdio>
template <class T> __global__ void k(T* p) { p[threadIdx.x] = threadIdx.x; }
#include "launch.cuh"
int main() {
  int *p, there[32];
  cudaMalloc(&p, sizeof there);
  run(p);
  k << <1, 16 >> > (p + 16);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %s %d\n", there[15], there[31], __FILE__, __LINE__);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "15 15 a.cu 10\n");
  // Mistakes are named by the program's own files.
  file("launch.cuh", "void run(int* p) { k << <1, 32 >> > (q); }\n");
  EXPECT_THAT(cc("a.cu -o program").output, AllOf(HasSubstr("launch.cuh:1:38: error"), HasSubstr("(q)")));
}

TEST_F(Cc, ListsInBracesMacrosOfPragmasAndCopiesOfThreadIdxAreTaken) {
  file("launch.cuh",
       "#define UNROLL #pragma unroll\nextern \"C\"__global__ void k(int* p) {\n"
       "  UNROLL\n  for (auto t = threadIdx; t.x < 4; t.x += 2) p[t.x] = blockDim.y;\n}\n");
  file("a.cu", R"(#include "launch.cuh"
#include <cstdio>
int main() {
  int *p, there[4], two = 2;
  cudaMalloc(&p, sizeof there);
  k<<<1, {(unsigned)two, 3}, 0, {}>>>(p);
  k<<<{1}, {2, 3, 1}>>>(p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", there[0], there[3], __LINE__);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "3 3 9\n");
  file("b.cu", "#include \"launch.cuh\"\n#define GRID {2, 1}\nvoid run() { k<<<GRID, {1, 2}>>>(q); }\n");
  EXPECT_THAT(cc("-c b.cu").output, AllOf(HasSubstr("b.cu:3:"), HasSubstr("identifier 'q'"), HasSubstr("1 error")));
}

TEST_F(Cc, DeductionGuidesAndProgrammaticDependentLaunches) {
  file("a.cu", R"(#include <cstdio>
template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;
template <class T> struct Box {
  T value;
  template <class U> __host__ __device__ Box(U a, U b) : value(a + b) {}
};
template <class U> explicit Box(U, U) -> Box<U>;
__global__ void first(int* p) {
  const auto f = Overloaded{[](int x) { return x + 1; }, [](float x) { return int(x * 10); }};
  p[threadIdx.x] = f(int(threadIdx.x)) + f(1.5f) + Box(1, 2).value;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int* p) {
  cudaGridDependencySynchronize();
  p[threadIdx.x] *= 2;
}
int main() {
  int *p, there[4];
  cudaMalloc(&p, sizeof there);
  first<<<1, 4>>>(p);
  cudaLaunchConfig_t launch{};
  launch.gridDim = 1;
  launch.blockDim = 4;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  cudaLaunchKernelEx(&launch, second, p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", there[0], there[3], Box(3, 4).value);
}
)");
  const Ran built = cc("-arch=sm_90 a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "38 44 7\n");
}

TEST_F(Cc, AsmMayNameRegistersWithOneSign) {
  file("lane.cuh", "__device__ unsigned lane() { unsigned r; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(r)); return r; }\n");
  file("a.cu", R"(#include <cstdio>
#include "lane.cuh"
__global__ void k(unsigned* p) { unsigned t; asm("mov.u32 %0, %tid.x;" : "=r"(t)); p[t] = lane(); }
int main() {
  unsigned *p, there[64];
  cudaMalloc(&p, sizeof there);
  k<<<1, 64>>>(p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%u %u\n", there[31], there[32]);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "31 0\n");
}

TEST_F(Cc, AttributesMayFollowKeywords) {
  file("a.cu", R"(struct S { __host__ __device__ [[nodiscard]] int f() const { return 3; } };
__global__ void k(int* p) {
  __shared__ alignas(128) int s[32];
  extern __shared__ alignas(16) char t[];
  s[threadIdx.x] = S().f();
  p[threadIdx.x] = s[31 - threadIdx.x] + t[0];
}
)");
  const Ran built = cc("-c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(Cc, WhatNvccOnlyWarnsOfIsNoError) {
  file("a.cu", R"(#include <cstdio>
#define UNIT "s"
__global__ void k(int* p) { register int x = threadIdx.x; p[x] = int2{threadIdx.x, 1}.x; }
int main() { register int n = 1; std::printf("%d "UNIT"\n", n); }
)");
  const Ran built = cc("-c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_THAT(built.output, AllOf(HasSubstr("Wregister"), HasSubstr("user-defined-literal")));
}

TEST_F(Cc, ClassesMayHavePureVirtualFunctions) {
  file("a.cu", R"(
struct A { __device__ A(); __device__ virtual int f() = 0; };
__device__ __noinline__ A::A() {}
struct B : A { __device__ int f() override { return 7; } };
__global__ void make(A** a) { *a = new B; }
)");
  const Ran built = cc("-c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(Cc, FunctionsOfSmallFloatsMayBeNamed) {
  file("a.cu", R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class R, class T, R (*F)(T)> __global__ void k(R* r, T* t) { *r = F(*t); }
template __global__ void k<__half2, __half2, h2exp>(__half2*, __half2*);
template <class R, class T> int same(R (*f)(T), T t, R want) { return f(t) == want; }
int main() {
  k<float, __half, __half2float><<<1, 1>>>(nullptr, nullptr);
  k<float, __nv_bfloat162, __low2float><<<1, 1>>>(nullptr, nullptr);
  k<short, __half, __half2short_rd><<<1, 1>>>(nullptr, nullptr);
  k<__half, __half, hrint><<<1, 1>>>(nullptr, nullptr);
  k<__nv_bfloat16, __nv_bfloat16, hrint><<<1, 1>>>(nullptr, nullptr);
  k<__half, const __half*, __ldg><<<1, 1>>>(nullptr, nullptr);
  const __half h(-2.5f), huge(60000.0f), nan = __ushort_as_half(0x7fff);
  const bool right = same<int, __half>(__half2int_rn, h, -2) && same<int, __half>(__half2int_rz, h, -2) &&
                     same<int, __half>(__half2int_ru, h, -2) && same<int, __half>(__half2int_rd, h, -3) &&
                     same<unsigned, __half>(__half2uint_rd, h, 0) && same<short, __half>(__half2short_rn, huge, 32767) &&
                     same<long long, __half>(__half2ll_rn, huge, 60000) && same<int, __half>(__half2int_rn, nan, 0) &&
                     same<int, __nv_bfloat16>(__bfloat162int_rn, __nv_bfloat16(1e30f), 0x7fffffff);
  return right ? 0 : 1;
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

TEST_F(Cc, LanesThatAreTogetherKnowEachOtherInKernelsWithThreadsThatWait) {
  file("a.cu", R"(#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(volatile unsigned* flag, unsigned* out) {
  __syncthreads();
  if (threadIdx.x < 8) {
    unsigned together = __activemask(), sum = threadIdx.x;
    for (int i = 1; i < 8; i <<= 1) {
      const unsigned other = __shfl_up_sync(together, sum, i);
      if (threadIdx.x >= i) sum += other;
    }
    out[threadIdx.x] = together == 0xff ? sum : 1000;
  }
  if (threadIdx.x % 2 == 1) {
    const auto group = cg::coalesced_threads();
    out[32 + threadIdx.x] = group.size() * 100 + group.thread_rank();
  }
  __syncthreads();
  for (int p = blockIdx.x; p >= 0;) {
    const unsigned f = flag[threadIdx.x + p * 64];
    if (f == 2) break;
    if (f == 1) --p;
  }
}
int main() {
  unsigned *p, there[128];
  for (unsigned& one : there) one = 2;
  cudaMalloc(&p, 2 * sizeof there);
  cudaMemcpy(p, there, sizeof there, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(p, p + 128);
  cudaMemcpy(there, p + 128, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", there[1], there[7], there[32 + 1], there[32 + 63]);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device " + device +
                          " ./program");
    EXPECT_EQ(ran.output, "1 28 1600 1615\n") << device;
  }
}

TEST_F(Cc, MemberTemplatesNeedNoKeywordAndGroupsBringAtomics) {
  file("a.cu", R"(#include <cooperative_groups.h>
#include <cstdio>
#include <memory>
template <class A> struct Pool { using type = typename std::allocator_traits<A>::rebind_alloc<double>; };
__global__ void count(int* p) { cuda::atomic_ref<int>(*p).fetch_add(2, cuda::memory_order_relaxed); }
int main() {
  int *p, there;
  cudaMalloc(&p, sizeof there);
  cudaMemset(p, 0, sizeof there);
  count<<<2, 3>>>(p);
  cudaMemcpy(&there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", there, int(sizeof(*Pool<std::allocator<int>>::type().allocate(1))));
}
)");
  const Ran built = cc("-std=c++17 a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "12 8\n");
}

}  // namespace
}  // namespace heddle::tests
