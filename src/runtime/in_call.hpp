// Functions that a runtime is in the middle of calling (Runtime::call), by thread: such a function must not use the
// runtime, whose lock is held on GPUs, and whose queue stands still behind it elsewhere.
#pragma once

namespace heddle::runtime {

class Core;

// There while such a function runs.
class InCall {
 public:
  explicit InCall(const Core& core);
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

  // Throws invalid_argument where this thread is in a function that this core calls.
  static void refuse(const Core& core) {
    if (innermost != nullptr) [[unlikely]]
      refuse_if_same(core);
  }

 private:
  static void refuse_if_same(const Core& core);
  // Every launch reads it: no lazy allocation.
  static constinit thread_local const InCall* innermost __attribute__((tls_model("initial-exec")));

  const Core& core_;
  const InCall* outer_;
};

}  // namespace heddle::runtime
