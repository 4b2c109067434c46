#include "calls.hpp"

#include <atomic>
#include <map>
#include <utility>

#include "gil.hpp"

namespace heddle::python {

struct CallState {
  std::shared_ptr<WaitState> waits;
  py::function function;
  std::vector<HostSpan> spans;  // without their addresses, which the call tells
  py::object value = py::none(), raised = py::none();
};

namespace {

// Calls whose functions have not returned: what the task is given must stay until then. The handle is there once the
// task has been made.
struct Pending {
  std::shared_ptr<CallState> state;
  std::shared_ptr<heddle_launch> launch;
};
std::map<void*, Pending>& pending() {
  static auto* all = new std::map<void*, Pending>;  // outlives the interpreter
  return *all;
}
std::atomic<bool> ended{false};

void keep_failure(CallState& state, const py::error_already_set& error) {
  state.raised = error.value();
  if (error.trace()) PyException_SetTraceback(state.raised.ptr(), error.trace().ptr());
  const std::string text = py::str(error.value());
  heddle_function_error(("a function given to Runtime.call_async raised " +
                         std::string(Py_TYPE(error.value().ptr())->tp_name) + (text.empty() ? "" : ": ") + text)
                            .c_str());
}

bool run(CallState& state, const heddle_call_data& call) {
  try {
    py::tuple spans(state.spans.size());
    for (std::size_t i = 0; i < state.spans.size(); ++i) {
      state.spans[i].data = call.data[i];
      spans[i] = py::cast(state.spans[i]);
    }
    state.value = state.function(*spans);
    return true;
  } catch (const py::error_already_set& error) {
    keep_failure(state, error);
  } catch (const std::exception& error) {
    heddle_function_error(error.what());
  }
  return false;
}

// The heddle_function.
std::int32_t run_as_task(void* user, const heddle_call_data* call) {
  if (ended.load() || Py_IsInitialized() == 0) {
    heddle_function_error("the interpreter ended before a function given to Runtime.call_async was called");
    return 1;
  }
  const InTask in_task;
  const PyGILState_STATE gil = ensure_gil();
  bool well = false;
  {
    const Pending held = std::move(pending().at(user));
    pending().erase(user);
    well = run(*held.state, *call);
    // Who asks for the result has no use for these.
    held.state->function = {};
    held.state->spans.clear();
  }
  PyGILState_Release(gil);
  return well ? 0 : 1;
}

void add(std::vector<heddle_argument>& list, CallState& state, const ArrayBase& array, bool writable,
         const std::shared_ptr<RuntimeState>& runtime) {
  if (array.buffer->runtime() != runtime)
    raise(Wrong::value, "call_async was given an array of another heddle.Runtime");
  const heddle_argument whole = heddle_part(array.buffer->handle(), array.offset, array.bytes);
  list.push_back(writable ? heddle_inout(whole) : heddle_in(whole));
  state.spans.push_back({array.buffer, nullptr, array.bytes, writable});
}

// What the call needs, also when a Ctrl-C leaves it to a helper.
struct Submission {
  std::shared_ptr<RuntimeState> runtime;
  std::string device;
  std::vector<heddle_argument> arrays;
  std::vector<std::shared_ptr<Buffer>> buffers;
  void* user = nullptr;
  heddle_launch* handle = nullptr;
  ~Submission() { heddle_launch_free(handle); }
  Failure submit() {
    heddle_call_options options{};
    options.size = sizeof options;
    options.device = device.c_str();
    return failure(heddle_call(runtime->handle(), &options, &run_as_task, user, arrays.data(), arrays.size(), &handle));
  }
};

void submit(const std::shared_ptr<Submission>& submission) {
  if (submission->runtime->sync())  // waits for the function
    return wait_for(submission->runtime->waits(), [submission] { return submission->submit(); });
  Failure wrong;
  {
    const ReleasedGil released;
    wrong = submission->submit();
  }
  if (wrong) raise(wrong);
}

}  // namespace

AsyncCall::AsyncCall(const std::shared_ptr<RuntimeState>& runtime, py::function function, const std::string& device,
                     const std::vector<const ArrayBase*>& inputs, const std::vector<const ArrayBase*>& outputs)
    : state_(std::make_shared<CallState>()) {
  runtime->use();
  sweep_calls();
  state_->waits = runtime->waits();
  const auto submission = std::make_shared<Submission>();
  submission->runtime = runtime;
  submission->device = device;
  submission->user = state_.get();
  for (const ArrayBase* array : inputs) add(submission->arrays, *state_, *array, false, runtime);
  for (const ArrayBase* array : outputs) add(submission->arrays, *state_, *array, true, runtime);
  state_->function = std::move(function);
  for (const HostSpan& span : state_->spans) submission->buffers.push_back(span.buffer);
  // Before, since another thread may read meanwhile, and afterwards, since it may have done so too early.
  const auto mark = [&] {
    for (std::size_t i = 0; i < submission->buffers.size(); ++i)
      submission->buffers[i]->used(i < inputs.size() ? HEDDLE_ACCESS_READ : HEDDLE_ACCESS_READ_WRITE);
  };
  mark();
  pending()[state_.get()] = {state_, nullptr};
  try {
    submit(submission);
  } catch (...) {
    // One that was interrupted while it waits is still to be called.
    if (submission.use_count() == 1) pending().erase(state_.get());
    if (state_->raised.is_none()) throw;
  }
  if (!state_->raised.is_none() && submission->handle == nullptr) {  // where every launch waits, so does this
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(state_->raised.ptr())), state_->raised.ptr());
    throw py::error_already_set();
  }
  mark();
  launch_ = std::make_unique<Launch>(runtime, nullptr, std::exchange(submission->handle, nullptr));
  if (const auto still = pending().find(state_.get()); still != pending().end())
    still->second.launch = launch_->handle();
}

py::object AsyncCall::value() const { return state_->value; }
py::object AsyncCall::raised() const { return state_->raised; }

void sweep_calls() {
  std::vector<Pending> over;
  for (auto at = pending().begin(); at != pending().end();) {
    std::int32_t done = 0;
    const bool is_over = at->second.launch && at->second.state->waits->of_this_process() &&
                         heddle_launch_done(at->second.launch.get(), &done) == HEDDLE_OK && done != 0;
    if (is_over) over.push_back(std::move(at->second));
    at = is_over ? pending().erase(at) : std::next(at);
  }
}

void end_calls() { ended = true; }

}  // namespace heddle::python
