#include "core/in_call.hpp"

#include "base/fail.hpp"

namespace heddle::core {

constinit thread_local const InCall* InCall::innermost = nullptr;

InCall::InCall(const Core& core) : core_(core), outer_(innermost) { innermost = this; }

InCall::~InCall() { innermost = outer_; }

void InCall::refuse_if_same(const Core& core) {
  for (const InCall* call = innermost; call != nullptr; call = call->outer_)
    if (&call->core_ == &core)
      base::fail(ErrorCode::invalid_argument,
                 "a function given to Runtime::call used its own runtime, which would wait for itself for ever; call, "
                 "launch, read and wait before Runtime::call or after it, or give the function to Runtime::call_host, "
                 "where it may use the runtime");
}

}  // namespace heddle::core
