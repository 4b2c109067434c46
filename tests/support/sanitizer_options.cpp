// What the sanitizers do in tests unless ASAN_OPTIONS, TSAN_OPTIONS and UBSAN_OPTIONS say otherwise. They call these
// functions, by these names, before main().

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
// Some tests ask for more memory than there is, to see it refused: to the program, not by ending it.
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1:halt_on_error=1:second_deadlock_stack=1"; }
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
