// Which sanitizers this file is compiled with, and their fiber interfaces.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_TSAN 1
#endif
#endif

#ifdef HEDDLE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define HEDDLE_NO_SANITIZE __attribute__((no_sanitize("address", "undefined"), noinline))
#elif defined(HEDDLE_TSAN)
#include <sanitizer/tsan_interface.h>
#define HEDDLE_NO_SANITIZE __attribute__((no_sanitize("thread"), noinline))
#else
#define HEDDLE_NO_SANITIZE __attribute__((noinline))
#endif

// For calls of generated code: it has no type information in front of its functions.
#define HEDDLE_NO_FUNCTION_CHECK __attribute__((no_sanitize("undefined")))
