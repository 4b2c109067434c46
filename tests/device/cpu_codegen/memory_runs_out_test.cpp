// Memory that runs out anywhere inside a compilation ends it with an exception, and never ends the process.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "device/cpu/codegen/codegen.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);
extern "C" void* __libc_realloc(void* old, std::size_t bytes);

namespace {

constexpr long unlimited = std::numeric_limits<long>::max();
thread_local constinit long left = unlimited;  // allocations until none succeeds

bool take() {
  if (left == unlimited) return true;
  if (left == 0) return false;
  --left;
  return true;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
// In place of the C library's, for LLVM too.
extern "C" void* malloc(std::size_t bytes) { return take() ? __libc_malloc(bytes) : nullptr; }
extern "C" void* calloc(std::size_t count, std::size_t bytes) { return take() ? __libc_calloc(count, bytes) : nullptr; }
extern "C" void* realloc(void* old, std::size_t bytes) { return take() ? __libc_realloc(old, bytes) : nullptr; }
#endif

namespace heddle::device::cpu::test {
namespace {

constexpr const char* source = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 p, .param .u32 n) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %q;
  .shared .align 4 .b8 window[64];
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r3, 0;
again:
  ld.global.u32 %r4, [%rd1];
  add.u32 %r3, %r3, %r4;
  bar.sync 0;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %q, %r1, 0;
  @%q bra again;
  st.global.u32 [%rd1], %r3;
  ret;
}
)ptx";

enum class Outcome { done = 0, refused = 10 };

// Compiles in a child process in which `allocations` succeed: one that ends with a signal does not end the test.
int outcome(const ptx::Module& module, long allocations) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = static_cast<int>(Outcome::done);
    left = allocations;
    try {
      compile_kernel(module, module.functions.front(), {.block = {64}});
    } catch (const std::bad_alloc&) {
      code = static_cast<int>(Outcome::refused);
    } catch (const Error& error) {
      code = error.code() == ErrorCode::out_of_memory ? static_cast<int>(Outcome::refused) : 1;
    }
    left = unlimited;
    ::_exit(code);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(MemoryRunsOut, AnywhereInACompilation) {
  if (sanitized) GTEST_SKIP() << "sanitizers have their own malloc";
  const ptx::Module module = ptx::parse(source, "test.ptx");
  // What LLVM and the C library make once is there from here on.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
  compile_kernel(module, module.functions.front(), {.block = {64}});
  ASSERT_EQ(outcome(module, unlimited), 0);
  long refusals = 0, allocations = 0;
  std::vector<std::pair<long, int>> wrong;
  for (;; allocations += 1 + allocations / 200) {
    const int code = outcome(module, allocations);
    if (code == 0) break;
    ++refusals;
    if (code != static_cast<int>(Outcome::refused)) wrong.emplace_back(allocations, code);
  }
  for (const auto& [number, code] : wrong)
    ADD_FAILURE() << "after " << number << " allocations: " << (code < 0 ? "signal " : "code ") << std::abs(code);
  EXPECT_GT(refusals, 300);
}

}  // namespace
}  // namespace heddle::device::cpu::test
