// Which thread is running a function of a task (Runtime::call). Such a function must not use the runtime: other tasks
// wait for it, so a wait inside it might never end.
#pragma once

namespace heddle::core {

class Core;

// Exists while such a function runs.
class InCall {
 public:
  explicit InCall(const Core& core);
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

  // Throws invalid_argument if this thread runs a function of a task of this core.
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

}  // namespace heddle::core
