#include "device/sim/record/trace_events.hpp"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "ptx/printer.hpp"

namespace heddle::device::sim {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// Texts of instructions, each made once.
class Texts {
 public:
  explicit Texts(const ptx::Module& module) : module_(module) {}
  const std::string& of(const machine::Code& code, std::uint32_t pc) {
    std::string& text = texts_[(std::uint64_t{code.index} << 32) + pc];
    if (text.empty())
      text = pc < code.operations.size() ? quoted(ptx::print(module_, *code.function, *code.operations[pc].instruction))
                                         : std::string("\"ret\"");
    return text;
  }

 private:
  const ptx::Module& module_;
  std::unordered_map<std::uint64_t, std::string> texts_;
};

}  // namespace

void TraceEvents::open(Cycle begin, Cycle cycles, std::size_t most) {
  events_.clear();
  end_ = begin + cycles;
  most_ = most;
  cut_ = false;
}

void TraceEvents::add(const TraceEvent& event) {
  if (events_.size() < most_)
    events_.push_back(event);
  else
    cut_ = true;
}

std::string trace_json(const TraceEvents& events, const ptx::Module& module, Cycle begin, std::uint64_t process,
                       const std::string& process_name) {
  if (events.events().empty()) return {};
  Texts texts(module);
  std::string text =
      fmt::format("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}},\n", process,
                  quoted(process_name + (events.cut() ? " (cut: more events than are kept)" : "")));
  std::set<std::uint32_t> warps;
  for (const TraceEvent& event : events.events()) {
    if (warps.insert(event.warp).second)
      text += fmt::format(
          "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"warp {}\"}}}},\n",
          process, event.warp, event.warp);
    const std::string place = fmt::format("\"pid\":{},\"tid\":{},\"ts\":{}", process, event.warp,
                                          event.begin >= begin ? event.begin - begin : 0);
    if (event.kind == TraceEvent::Kind::exit)
      text += fmt::format("{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"exit\",\"cat\":\"exit\",{}}},\n", place);
    else if (event.kind == TraceEvent::Kind::wait)
      text += fmt::format(
          "{{\"ph\":\"X\",\"name\":\"{0}\",\"cat\":\"wait\",{1},\"dur\":{2},\"args\":{{\"before\":{3}}}}},\n",
          name(static_cast<WarpUse>(event.detail)), place, event.cycles, texts.of(*event.code, event.pc));
    else
      text += fmt::format(
          "{{\"ph\":\"X\",\"name\":{0},\"cat\":\"issue\",{1},\"dur\":{2},\"args\":{{\"pipe\":\"{3}\",\"lanes\":{4},"
          "\"mask\":\"{5:08x}\"}}}},\n",
          texts.of(*event.code, event.pc), place, event.cycles, name(static_cast<PipeClass>(event.detail)),
          std::popcount(event.lanes), event.lanes);
  }
  return text;
}

}  // namespace heddle::device::sim
