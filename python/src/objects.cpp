#include "objects.hpp"

#include <utility>

#include "calls.hpp"
#include "gil.hpp"

namespace heddle::python {
namespace {

std::vector<std::weak_ptr<RuntimeState>>& remembered() {
  static auto* list = new std::vector<std::weak_ptr<RuntimeState>>;  // outlives the interpreter
  return *list;
}

// Errors that nobody has asked for, and a Ctrl-C, end the waiting but not the interpreter's way out.
void finish(const std::shared_ptr<RuntimeState>& runtime) {
  if (!runtime->waits()->of_this_process()) return;
  if (runtime->waits()->abandoned.load() > 0) {  // the user would not wait for it, so the end does not either
    runtime->waits()->leak = true;
    return;
  }
  try {
    wait_for(
        runtime->waits(), [runtime] { return failure(heddle_runtime_synchronize(runtime->handle())); },
        [] {
          PySys_WriteStderr(
              "heddle: the program has ended, but kernels are in flight: waiting for them (Ctrl-C ends the wait)\n");
        });
  } catch (py::error_already_set& error) {
    if (error.matches(PyExc_Exception)) {
      const std::string message = py::str(error.value());
      PySys_FormatStderr("heddle: an error that nobody asked for: %s\n", message.c_str());
    } else {
      runtime->waits()->leak = true;
    }
  }
  heddle_runtime_write_trace(runtime->handle());
}

}  // namespace

void remember(const std::shared_ptr<RuntimeState>& runtime) {
  auto& list = remembered();
  std::erase_if(list, [](const auto& known) { return known.expired(); });
  list.push_back(runtime);
}

void finish_all() {
  for (const auto& known : remembered())
    if (const auto runtime = known.lock()) finish(runtime);
  sweep_calls();
  end_calls();
}

RuntimeState::~RuntimeState() {
  let_go(waits_, [handle = handle_] { heddle_runtime_free(handle); });
}

void RuntimeState::check_process() const {
  if (!waits_->of_this_process())
    raise(Wrong::value,
          "this heddle.Runtime was made before fork(), and a child process has none of its threads; make a Runtime in "
          "the "
          "child, or start processes with multiprocessing's method \"spawn\"");
}

heddle_runtime* RuntimeState::use() const {
  check_process();
  if (closed_) raise(Wrong::value, "this heddle.Runtime was closed; make another one");
  return handle_;
}

Buffer::Buffer(std::shared_ptr<RuntimeState> runtime, std::size_t bytes) : runtime_(std::move(runtime)), bytes_(bytes) {
  check(heddle_array_create(runtime_->use(), bytes, &handle_));
}

Buffer::~Buffer() {
  if (handle_ == nullptr) return;
  if (may_write_ && runtime_->waits()->of_this_process()) {
    heddle_array_free(handle_);  // nothing uses it
  } else {
    let_go(runtime_->waits(), [handle = handle_] { heddle_array_free(handle); });
  }
}

const void* Buffer::read(const std::shared_ptr<Buffer>& buffer) {
  buffer->runtime_->check_process();
  const void* direct = nullptr;
  if (buffer->may_read_) {
    check(heddle_array_read(buffer->handle_, &direct));
    return direct;
  }
  const std::uint64_t uses = buffer->uses_;
  const auto result = std::make_shared<const void*>(nullptr);
  wait_for(buffer->runtime_->waits(),
           [buffer, result] { return failure(heddle_array_read(buffer->handle_, result.get())); });
  // Another thread may have launched something meanwhile.
  if (uses == buffer->uses_ && !buffer->pinned_) buffer->may_read_ = true;
  return *result;
}

void* Buffer::write(const std::shared_ptr<Buffer>& buffer) {
  buffer->runtime_->check_process();
  void* direct = nullptr;
  if (buffer->may_write_) {
    check(heddle_array_write(buffer->handle_, &direct));
    return direct;
  }
  const std::uint64_t uses = buffer->uses_;
  const auto result = std::make_shared<void*>(nullptr);
  wait_for(buffer->runtime_->waits(),
           [buffer, result] { return failure(heddle_array_write(buffer->handle_, result.get())); });
  if (uses == buffer->uses_ && !buffer->pinned_) buffer->may_read_ = buffer->may_write_ = true;
  return *result;
}

const void* Buffer::read(const std::shared_ptr<Buffer>& buffer, std::size_t offset, std::size_t bytes) {
  // What may be read as a whole needs no waiting.
  if (buffer->may_read_ || (offset == 0 && bytes == buffer->bytes_))
    return static_cast<const std::byte*>(read(buffer)) + offset;
  buffer->runtime_->check_process();
  const auto result = std::make_shared<const void*>(nullptr);
  wait_for(buffer->runtime_->waits(), [buffer, offset, bytes, result] {
    return failure(heddle_array_read_part(buffer->handle_, offset, bytes, result.get()));
  });
  return *result;
}

void* Buffer::write(const std::shared_ptr<Buffer>& buffer, std::size_t offset, std::size_t bytes) {
  if (buffer->may_write_ || (offset == 0 && bytes == buffer->bytes_))
    return static_cast<std::byte*>(write(buffer)) + offset;
  buffer->runtime_->check_process();
  const auto result = std::make_shared<void*>(nullptr);
  wait_for(buffer->runtime_->waits(), [buffer, offset, bytes, result] {
    return failure(heddle_array_write_part(buffer->handle_, offset, bytes, result.get()));
  });
  return *result;
}

std::uint64_t Buffer::address(const std::string& device) {
  runtime_->use();
  used(HEDDLE_ACCESS_UNKNOWN);
  pinned_ = true;
  std::uint64_t result = 0;
  Failure wrong;
  {
    const ReleasedGil released;
    wrong = failure(heddle_array_address(handle_, device.c_str(), &result));
  }
  if (wrong) raise(wrong);
  return result;
}

void Buffer::prefetch(std::size_t offset, std::size_t bytes) {
  runtime_->use();
  Failure wrong;
  {
    const ReleasedGil released;  // the lock of the runtime may be taken
    wrong = failure(heddle_array_prefetch(handle_, offset, bytes));
  }
  if (wrong) raise(wrong);
}

Launch::Launch(std::shared_ptr<RuntimeState> runtime, std::shared_ptr<heddle_kernel> kernel, heddle_launch* handle)
    : runtime_(std::move(runtime)),
      kernel_(std::move(kernel)),
      handle_(handle, [](heddle_launch* of) { heddle_launch_free(of); }) {}

bool Launch::done() const {
  runtime_->check_process();
  std::int32_t result = 0;
  check(heddle_launch_done(handle_.get(), &result));
  return result != 0;
}

void Launch::wait() const {
  if (done()) {
    check(heddle_launch_wait(handle_.get()));
  } else {
    wait_for(runtime_->waits(),
             [kernel = kernel_, handle = handle_] { return failure(heddle_launch_wait(handle.get())); });
  }
}

double Launch::seconds() const {
  wait();
  double result = 0;
  check(heddle_launch_seconds(handle_.get(), &result));
  return result;
}

std::string Launch::device() const {
  runtime_->check_process();
  const char* id = nullptr;
  check(heddle_launch_device(handle_.get(), &id));
  return id;
}

std::string Launch::describe() const {
  std::string what = "call";
  if (kernel_) {
    heddle_kernel_info info{};
    info.size = sizeof info;
    check(heddle_kernel_get_info(kernel_.get(), &info));
    what = info.signature;
  }
  const char* const state = done() ? "done" : "in flight";
  return "<heddle.Launch " + what + " on " + device() + ", " + state + ">";
}

}  // namespace heddle::python
