#include "device/cpu/fiber.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <new>
#include <utility>

#include "device/cpu/sanitizer.hpp"

namespace heddle::device::cpu {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t page = 4096;
constexpr std::size_t smallest_stack = 16 * 1024;
// Stacks mapped at a time: few system calls for big blocks, little waste for small ones.
constexpr std::size_t slab_stacks = 16;
constexpr std::size_t slab_bytes_limit = 32 << 20;

}  // namespace

std::size_t StackPool::rounded(std::size_t bytes) {
  bytes += Stack::colors * Stack::color_bytes;
  if (bytes <= smallest_stack) return smallest_stack;
  if (bytes <= (1u << 20)) return std::bit_ceil(bytes);
  return (bytes + page - 1) / page * page;
}

StackPool::~StackPool() {
  for (const Mapping& mapping : mappings_) {
#ifdef HEDDLE_ASAN
    ASAN_UNPOISON_MEMORY_REGION(mapping.address, mapping.size);  // whoever gets these addresses next has no part in it
#endif
    ::munmap(mapping.address, mapping.size);
  }
}

StackPool::Class& StackPool::class_of(std::size_t size) {
  for (const auto& known : classes_)
    if (known->size == size) return *known;
  classes_.push_back(std::make_unique<Class>());
  classes_.back()->size = size;
  return *classes_.back();
}

bool StackPool::grow(Class& size_class) {
  const std::size_t stride = size_class.size + Stack::guard_bytes;
  const std::size_t count = std::clamp<std::size_t>(slab_bytes_limit / stride, 1, slab_stacks);
  const std::size_t stacks = size_class.all.size() + count;
  size_class.all.reserve(stacks);
  size_class.free.reserve(stacks);  // so that give() needs no memory
  mappings_.reserve(mappings_.size() + 1);
  // Reserve everything without access, then open the stacks: what stays closed is the guards.
  void* slab = ::mmap(nullptr, stride * count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab == MAP_FAILED) return false;
  std::size_t opened = 0;
  for (; opened < count; ++opened) {
    std::byte* low = static_cast<std::byte*>(slab) + opened * stride + Stack::guard_bytes;
    if (::mprotect(low, size_class.size, PROT_READ | PROT_WRITE) != 0) break;
    // A huge page under each stack would cost 2 MiB where a few KiB are used.
    ::madvise(low, size_class.size, MADV_NOHUGEPAGE);
    const auto color = static_cast<unsigned>(size_class.all.size() % Stack::colors);
    auto* const stack = new (std::nothrow) Stack(low, size_class.size, color);
    if (stack == nullptr) break;
    size_class.all.emplace_back(stack);
    size_class.free.push_back(stack);
  }
  if (opened == 0) {
    ::munmap(slab, stride * count);
    return false;
  }
  mappings_.push_back({slab, stride * count});
  return true;
}

Stack* StackPool::take(std::size_t bytes) noexcept {
  try {
    const std::lock_guard guard(lock_);
    Class& size_class = class_of(rounded(bytes));
    if (size_class.free.empty() && !grow(size_class)) return nullptr;
    Stack* stack = size_class.free.back();
    size_class.free.pop_back();
    return stack;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void StackPool::give(Stack* stack) noexcept {
  const std::lock_guard guard(lock_);
  class_of(stack->size()).free.push_back(stack);
}

// First code on a new stack. The argument of every transfer is the fiber that was left, whose context is stored on
// arrival.
struct Fiber::Entry {
  struct Start {
    Fiber* from;
    Fiber* to;
  };
  static void arrive(Fiber& from, [[maybe_unused]] Fiber& self, void* context) {
    from.context_ = context;
#ifdef HEDDLE_ASAN
    const void* low = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(self.asan_fake_stack_, &low, &size);
    if (from.stack_ == nullptr) {
      from.asan_low_ = low;
      from.asan_size_ = size;
    }
#endif
  }
  static void main(transfer_t transfer) {
    const Start* start = static_cast<Start*>(transfer.data);
    Fiber& self = *start->to;
    arrive(*start->from, self, transfer.fctx);
    self.main_(self.argument_);
  }
};

Fiber::~Fiber() { forget_sanitizer_state(); }

void Fiber::forget_sanitizer_state() {
#ifdef HEDDLE_TSAN
  if (owns_tsan_fiber_) __tsan_destroy_fiber(tsan_fiber_);
#endif
  tsan_fiber_ = nullptr;
  owns_tsan_fiber_ = false;
}

void Fiber::reset(Stack& stack, Main main, void* argument) {
  forget_sanitizer_state();
  stack_ = &stack;
  main_ = main;
  argument_ = argument;
  const std::size_t size = static_cast<std::size_t>(stack.start() - stack.low());
  context_ = make_fcontext(stack.start(), size, &Entry::main);
#ifdef HEDDLE_ASAN
  ASAN_UNPOISON_MEMORY_REGION(stack.low(), stack.size());
  asan_fake_stack_ = nullptr;
  asan_low_ = stack.low();
  asan_size_ = stack.size();
#endif
#ifdef HEDDLE_TSAN
  tsan_fiber_ = __tsan_create_fiber(0);
  owns_tsan_fiber_ = true;
#endif
}

void Fiber::swap(Fiber& other) {
  std::swap(context_, other.context_);
  std::swap(stack_, other.stack_);
  std::swap(main_, other.main_);
  std::swap(argument_, other.argument_);
  std::swap(tsan_fiber_, other.tsan_fiber_);
  std::swap(owns_tsan_fiber_, other.owns_tsan_fiber_);
  std::swap(asan_fake_stack_, other.asan_fake_stack_);
  std::swap(asan_low_, other.asan_low_);
  std::swap(asan_size_, other.asan_size_);
}

void Fiber::adopt_thread() {
#ifdef HEDDLE_TSAN
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
  Entry::Start start{&from, &to};
#ifdef HEDDLE_ASAN
  __sanitizer_start_switch_fiber(&from.asan_fake_stack_, to.asan_low_, to.asan_size_);
#endif
#ifdef HEDDLE_TSAN
  __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
  const transfer_t back = jump_fcontext(to.context_, &start);
  Entry::arrive(*static_cast<Entry::Start*>(back.data)->from, from, back.fctx);
}

HEDDLE_NO_SANITIZE void Fiber::abandon_to(Fiber& from, Fiber& to) {
  Entry::Start start{&from, &to};
#ifdef HEDDLE_ASAN
  ASAN_UNPOISON_MEMORY_REGION(&start, sizeof start);  // the stack may have marks of frames that were abandoned here
  __sanitizer_start_switch_fiber(nullptr, to.asan_low_, to.asan_size_);
#endif
#ifdef HEDDLE_TSAN
  __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
  jump_fcontext(to.context_, &start);
  __builtin_unreachable();
}

}  // namespace heddle::device::cpu
