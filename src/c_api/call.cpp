// Tasks that are no kernels.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "c_api/arguments.hpp"
#include "c_api/function_error.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "c_api/thread_text.hpp"

namespace {

using heddle::c_api::argument_list;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::known;
using heddle::c_api::text_or;

// What the function that runs in this thread has said of its failure.
heddle::c_api::ThreadText sentence;

// A function of C as one that throws.
heddle::CallFunction wrapped(heddle_function function, void* user, const char* name) {
  return [function, user, name](const heddle::Call& call) {
    const std::string device(call.device());
    std::vector<void*> data;
    std::vector<std::size_t> bytes;
    for (std::size_t i = 0; i < call.size(); ++i) {
      data.push_back(call.data<void>(i));
      bytes.push_back(call.bytes(i));
    }
    const heddle_call_data given{sizeof given, device.c_str(), call.stream(), call.size(), data.data(), bytes.data()};
    heddle::c_api::forget_sentence();
    heddle::c_api::check_function(function(user, &given), "the function given to " + std::string(name));
  };
}

}  // namespace

namespace heddle::c_api {

void forget_sentence() { sentence.set(""); }

void check_function(std::int32_t result, const std::string& name) {
  if (result == 0) return;
  const std::string said = sentence.get();
  forget_sentence();
  if (!said.empty()) refuse(said);
  refuse(name + " returned " + std::to_string(result));
}

}  // namespace heddle::c_api

extern "C" {

void heddle_function_error(const char* text) {
  if (text != nullptr) sentence.set(text);
}

heddle_status heddle_call(heddle_runtime* runtime, const heddle_call_options* options, heddle_function function,
                          void* user, const heddle_argument* arrays, size_t count, heddle_launch** launch) {
  return guarded([&] {
    const char* const name = "heddle_call";
    auto& on = given(runtime, name, "the runtime").runtime;
    if (function == nullptr) heddle::c_api::refuse("heddle_call: the function is NULL");
    const std::vector<heddle::Argument> list = argument_list(arrays, count, name);
    const heddle_call_options chosen = known(options, name);
    // Before the call: it must not be made and its handle then be lost.
    auto handle = launch != nullptr ? std::make_unique<heddle_launch>(heddle_launch{heddle::Launch(nullptr)}) : nullptr;
    heddle::Launch made = on.call_list({.device = text_or(chosen.device), .timed = chosen.timed != 0},
                                       wrapped(function, user, name), list);
    if (!handle) return;
    handle->launch = std::move(made);
    *launch = handle.release();
  });
}

heddle_status heddle_call_host(heddle_runtime* runtime, heddle_function function, void* user,
                               const heddle_argument* arrays, size_t count) {
  return guarded([&] {
    const char* const name = "heddle_call_host";
    auto& on = given(runtime, name, "the runtime").runtime;
    if (function == nullptr) heddle::c_api::refuse("heddle_call_host: the function is NULL");
    on.call_host_list(wrapped(function, user, name), argument_list(arrays, count, name));
  });
}
}
