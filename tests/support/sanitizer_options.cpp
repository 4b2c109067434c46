// What the sanitizers do in tests unless ASAN_OPTIONS, TSAN_OPTIONS and UBSAN_OPTIONS say otherwise. They call these
// functions, by these names, before main().

#ifdef __SANITIZE_THREAD__
#include <dlfcn.h>
#endif

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
// Some tests ask for more memory than there is, to see it refused: to the program, not by ending it.
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1:halt_on_error=1:second_deadlock_stack=1"; }
const char* __ubsan_default_options() { return "print_stacktrace=1"; }

#ifdef __SANITIZE_THREAD__
// Threads that are told of the same failure share one exception. libstdc++ counts its owners with atomics, which
// ThreadSanitizer does not see, because libstdc++ is not instrumented: it takes the end of the last owner, which frees
// the exception, for a race with what the other owners have read before. (A dozen lines of the standard library alone
// show this.) So what is written while an owner ends is not looked at.
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void release_exception(void* pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");

void release_exception(void* pointer) {
  static const auto next =
      reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"));
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  next(pointer);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}
void __cxa_end_catch() {
  static const auto next = reinterpret_cast<void (*)()>(dlsym(RTLD_NEXT, "__cxa_end_catch"));
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  next();
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}
#endif
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
