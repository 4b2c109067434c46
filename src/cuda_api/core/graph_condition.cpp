#include "cuda_api/core/graph_condition.hpp"
#include "base/thread_safety.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace heddle::cuda_api {
namespace {

struct Conditions {
  heddle::base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::weak_ptr<GraphCondition>> all HEDDLE_GUARDED_BY(mutex);
};
Conditions& conditions() {
  static Conditions* const made = new Conditions;  // never taken down, see Process
  return *made;
}

// The name of a parameter: the last word in front of `end`.
std::string_view name_before(std::string_view text, std::size_t end) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t last = text.find_last_not_of(blanks, end - 1);
  const std::size_t before = text.find_last_of(blanks, last);
  return text.substr(before + 1, last - before);
}

}  // namespace

GraphCondition::GraphCondition(Context& context, unsigned initial, bool assigns)
    : memory_(context.device().allocate_host(sizeof(std::uint64_t))), initial_(initial), assigns_(assigns) {
  *static_cast<volatile unsigned*>(memory_.host()) = initial;
}

std::shared_ptr<GraphCondition> make_condition(Context& context, unsigned initial, bool assigns) {
  auto made = std::make_shared<GraphCondition>(context, initial, assigns);
  const base::Lock lock(conditions().mutex);
  std::erase_if(conditions().all, [](const auto& entry) { return entry.second.expired(); });
  conditions().all[made->handle()] = made;
  return made;
}

std::shared_ptr<GraphCondition> condition_of(std::uint64_t handle) {
  const base::Lock lock(conditions().mutex);
  const auto found = conditions().all.find(handle);
  std::shared_ptr<GraphCondition> condition = found == conditions().all.end() ? nullptr : found->second.lock();
  if (!condition) throw Failure(cudaErrorInvalidValue, fmt::format("{:#x} is no handle of a condition", handle));
  return condition;
}

std::string with_set_conditional(std::string_view ptx) {
  constexpr std::string_view declaration = ".extern .func cudaGraphSetConditional";
  const std::size_t begin = ptx.find(declaration);
  if (begin == std::string_view::npos) return std::string(ptx);
  const std::size_t open = ptx.find('(', begin), close = ptx.find(')', begin), comma = ptx.find(',', begin),
                    end = ptx.find(';', begin);
  // Anything else than two parameters is not the function that is meant.
  if (!(open < comma && comma < close && close < end)) return std::string(ptx);
  std::string text(ptx.substr(0, begin));
  text +=
      ptx.substr(begin + std::string_view(".extern ").size(), close + 1 - begin - std::string_view(".extern ").size());
  text += fmt::format(
      "\n{{\n\t.reg .b64 %handle;\n\t.reg .b32 %value;\n\tld.param.b64 %handle, [{}];\n\tld.param.b32 %value, [{}];\n"
      "\tst.volatile.u32 [%handle], %value;\n\tret;\n}}\n",
      name_before(ptx, comma), name_before(ptx, close));
  text += ptx.substr(end + 1);
  return text;
}

}  // namespace heddle::cuda_api
