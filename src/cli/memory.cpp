#include "cli/memory.hpp"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <span>

#include "base/memory_limit.hpp"
#include "cli/command.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {
namespace {

std::atomic<std::size_t> wanted{0};  // 0: not known

void write_line(const char* text) {
  for (const char* const part : {"heddle: ", text, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

[[noreturn]] void on_terminate() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    write_line(out_of_memory_text());
    ::_exit(exit_memory);
  } catch (const Error& error) {
    write_line(error.what());
    ::_exit(error.code() == ErrorCode::out_of_memory ? exit_memory : exit_error);
  } catch (const std::exception& error) {
    write_line(error.what());
  } catch (...) {
  }
  std::abort();  // a mistake in Heddle, for a debugger
}

}  // namespace

const char* out_of_memory_text() noexcept {
  static char text[240];
  int length = std::snprintf(text, sizeof text, "out of memory");
  const std::size_t bytes = wanted;
  if (bytes > 0 && bytes < (1 << 10)) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length),
                            ": %zu byte%s more %s wanted", bytes, bytes == 1 ? "" : "s", bytes == 1 ? "was" : "were");
  } else if (bytes > 0) {
    const char* const unit = bytes < (1 << 20) ? "KiB" : bytes < (1 << 30) ? "MiB" : "GiB";
    const double scale = bytes < (1 << 20) ? 1 << 10 : bytes < (1 << 30) ? 1 << 20 : 1 << 30;
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), ": %.1f %s more were wanted",
                            static_cast<double>(bytes) / scale, unit);
  }
  base::memory_limit_note(std::span(text).subspan(static_cast<std::size_t>(length)));
  return text;
}

void end_in_order_without_memory() { std::set_terminate(on_terminate); }

}  // namespace heddle::cli

// As the C++ library's own, and notes what was wanted. Sanitizers have theirs.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HEDDLE_OTHER_ALLOCATOR
#endif
#endif
#if !defined(HEDDLE_OTHER_ALLOCATOR) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Not inline: GCC would warn of free() for memory of new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    heddle::cli::wanted = bytes;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
