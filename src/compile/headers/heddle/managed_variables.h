// Host code: where the program's, or a library's, __managed__ variables lie. Heddle's runtime is told before the first
// constructor runs. Each file has this function, and the linker keeps one of them.
#pragma once
#pragma clang system_header

#if !defined(__CUDA_ARCH__)
// Never in the program. Whoever declares one const is told by its name: the section can be written to.
static __attribute__((section("heddle_managed"), unused)) char managed_variables_cannot_be_const;

extern "C" {
// Of the linker; null where there are no such variables.
__attribute__((weak, visibility("hidden"))) extern char __start_heddle_managed[];
__attribute__((weak, visibility("hidden"))) extern char __stop_heddle_managed[];
// Null with NVIDIA's runtime.
__attribute__((weak)) void __cudaHeddleManaged(const void* begin, const void* end);
long __heddle_write(int file, const void* text, unsigned long size) __asm__("write");
__attribute__((noreturn)) void __heddle_exit(int code) __asm__("_exit");

__attribute__((weak, visibility("hidden"), constructor(101))) void __heddle_managed_variables() {
  if (__start_heddle_managed == __stop_heddle_managed) return;
  if (__cudaHeddleManaged) {
    __cudaHeddleManaged(__start_heddle_managed, __stop_heddle_managed);
    return;
  }
  static const char text[] =
      "heddle: the program has __managed__ variables, which NVIDIA's libcudart does not find in programs of heddle cc; "
      "start it with heddle run, or use cudaMallocManaged\n";
  __heddle_write(2, text, sizeof text - 1);
  __heddle_exit(1);
}
}
#endif
