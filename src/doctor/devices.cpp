// Whether devices do what they should.
#include <fmt/format.h>

#include <exception>
#include <new>
#include <span>

#include "base/format.hpp"
#include "base/memory_limit.hpp"
#include "base/variables.hpp"
#include "doctor/checks.hpp"
#include "heddle/error.hpp"
#include "heddle/runtime.hpp"

namespace heddle::doctor {
namespace {

// Each thread hands its number to the other end of its block through shared memory.
constexpr const char* reverse = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry reverse(.param .u64 out) {
  .reg .b64 %p, %at;
  .reg .b32 %t, %n, %b, %s, %x;
  .shared .align 4 .b8 line[256];
  ld.param.u64 %p, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %n, %ntid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %s, line;
  mad.lo.u32 %x, %t, 4, %s;
  mad.lo.u32 %b, %b, %n, %t;
  st.shared.u32 [%x], %b;
  bar.sync 0;
  sub.u32 %n, %n, 1;
  sub.u32 %x, %n, %t;
  mad.lo.u32 %x, %x, 4, %s;
  ld.shared.u32 %x, [%x];
  mad.wide.u32 %at, %b, 4, %p;
  st.global.u32 [%at], %x;
  ret;
}
)";
constexpr unsigned blocks = 8, threads = 64;

// What is wrong with the result; empty when nothing is.
std::string run_on(Runtime& runtime) {
  const Module module = runtime.load_ptx(reverse, "doctor.ptx");
  Array<unsigned> out = runtime.array<unsigned>(blocks * threads);
  runtime.launch(module.kernel("reverse"), {.grid = {blocks}, .block = {threads}}, out);
  const std::span<const unsigned> got = out.read();
  for (unsigned i = 0; i < got.size(); ++i) {
    const unsigned want = i / threads * threads + (threads - 1 - i % threads);
    if (got[i] != want) return fmt::format("a small kernel gives {} where it should give {}", got[i], want);
  }
  return {};
}

std::string describe(const DeviceInfo& info) {
  std::string text = info.name;
  if (info.vector_bits > 0) text += fmt::format(", vectors of {} bits", info.vector_bits);
  if (info.memory_bytes > 0) text += ", " + base::format_bytes(info.memory_bytes);
  return text;
}

std::string mend_of(const std::string& id) {
  if (!id.starts_with("cuda")) return "HEDDLE_LOG=debug shows more.";
  return "nvidia-smi shows whether the GPU is healthy and who uses it; a reset or a newer driver may help.";
}

}  // namespace

Finding check_device(const std::string& id, const std::string& subject) {
  try {
    base::check_variables();
  } catch (const Error&) {  // no fault of the device's; the check of the environment names it
    return {subject, Mark::missing, "it was not tried, since a variable of the environment has a wrong value.",
            "Set the variable as the line about the environment says.", false};
  }
  try {
    Runtime runtime({.devices = id});
    const DeviceInfo info = runtime.devices().at(0);
    const std::string problem = run_on(runtime);
    if (problem.empty()) return good(subject, describe(info) + "; a small kernel gives the right result");
    return {subject, Mark::wrong, info.name + ": " + problem + ".", mend_of(id), false};
  } catch (const Error& error) {
    if (id == "cpu" && error.code() == ErrorCode::not_found)  // its library, which the sentence names
      return {subject, Mark::missing, error.what() + std::string("."), "Install Heddle with all of its files.", false};
    return {subject, Mark::wrong, error.what(), mend_of(id), false};
  } catch (const std::bad_alloc&) {
    return {subject, Mark::wrong, "there is no memory for it" + base::memory_limit_note() + ".", more_memory, false};
  } catch (const std::exception& error) {
    return {subject, Mark::wrong, error.what(), mend_of(id), false};
  }
}

}  // namespace heddle::doctor
