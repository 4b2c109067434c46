#include "trace/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "graph/dag.hpp"

namespace heddle::trace {
namespace {

using Json = nlohmann::json;
using Kind = base::TraceEvent::Kind;
using Way = base::TraceEvent::Way;

std::optional<Kind> kind_of(const std::string& category) {
  for (const Kind kind : {Kind::launch, Kind::copy, Kind::fill, Kind::call})
    if (base::name(kind) == category) return kind;
  return std::nullopt;
}

Way way_of(const std::string& text) {
  for (const Way way : {Way::to_device, Way::to_host, Way::between_devices})
    if (name_of(Kind::copy, way) == text) return way;
  return Way::within;
}

std::uint64_t nanoseconds(const Json& microseconds) {
  const double ns = microseconds.get<double>() * 1e3;
  return ns > 0 ? static_cast<std::uint64_t>(std::llround(ns)) : 0;
}

// As the scheduler would have found them had nothing ended before all was launched.
void find_dependences(std::vector<Command>& commands) {
  std::map<std::uint64_t, Command*> tasks;  // by number; of a task with several commands, the one that tells of it
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (Command& command : commands) {
    command.depends = command.behind;
    if (command.task == 0 || command.uses.empty()) continue;
    tasks.emplace(command.task, &command);
    for (const Use& use : command.uses) sizes[use.copy] = std::max(sizes[use.copy], use.end);
  }
  graph::Dag dag;
  std::map<std::uint64_t, graph::ObjectId> objects;
  for (const auto& [copy, size] : sizes) objects[copy] = dag.add_object(std::max<std::uint64_t>(size, 1));
  std::vector<std::uint64_t> numbers{0};  // of the DAG's tasks
  for (auto& [number, command] : tasks) {
    std::vector<graph::Access> accesses;
    accesses.reserve(command->uses.size());
    for (const Use& use : command->uses)
      accesses.push_back(
          {objects.at(use.copy), use.modifies ? graph::Mode::read_write : graph::Mode::read, use.begin, use.end});
    const graph::TaskRef ref = dag.append(accesses);
    dag[ref].queue = static_cast<std::uint32_t>(command->row);
    numbers.push_back(number);
    command->depends.clear();
    for (const graph::TaskRef& parent : dag[ref].parents) command->depends.push_back(numbers[parent.id]);
  }
}

class Reader {
 public:
  Timeline read(const Json& events) {
    for (const Json& event : events) {
      const std::string phase = event.value("ph", "");
      if (phase == "M") metadata(event);
      if (phase == "X") command(event);
    }
    return sorted();
  }

 private:
  using Place = std::pair<std::int64_t, std::int64_t>;  // a queue's numbers in the file

  void metadata(const Json& event) {
    const std::string what = event.value("name", "");
    const Json& told = event.at("args");
    const auto device = event.at("pid").get<std::int64_t>();
    if (what == "process_name") devices_[device] = told.at("name").get<std::string>();
    if (what == "process_labels") device_names_[device] = told.at("labels").get<std::string>();
    if (what == "thread_name") queues_[{device, event.at("tid").get<std::int64_t>()}] = told.at("name");
  }

  void command(const Json& event) {
    const auto kind = kind_of(event.value("cat", ""));
    if (!kind) return;  // of somebody else's making
    Command made;
    made.kind = *kind;
    made.name = event.at("name").get<std::string>();
    made.begin_ns = nanoseconds(event.at("ts"));
    made.end_ns = made.begin_ns + nanoseconds(event.at("dur"));
    if (event.contains("args")) details(event["args"], made);
    const Place place(event.at("pid").get<std::int64_t>(), event.at("tid").get<std::int64_t>());
    queues_.try_emplace(place, "queue " + std::to_string(place.second));
    places_.push_back(place);
    timeline_.commands.push_back(std::move(made));
  }

  static void details(const Json& told, Command& made) {
    made.way = way_of(told.value("kind", ""));
    made.bytes = told.value("bytes", std::uint64_t{0});
    made.grid = told.value("grid", "");
    made.block = told.value("block", "");
    made.shared = told.value("shared", std::uint64_t{0});
    made.blocks = told.value("blocks", std::uint64_t{0});
    made.failed = told.value("failed", false);
    made.task = told.value("task", std::uint64_t{0});
    made.behind = told.value("behind", std::vector<std::uint64_t>());
    made.waits = told.value("waits", std::vector<std::uint64_t>());
    made.by_streams = told.value("order", "") == "streams";
    if (!told.contains("uses")) return;
    for (const Json& use : told["uses"])
      made.uses.push_back({use.at(0).get<std::string>(), use.at(1).get<std::string>() == "modifies",
                           use.at(2).get<std::uint64_t>(), use.at(3).get<std::uint64_t>(),
                           use.at(4).get<std::uint64_t>()});
  }

  // The rows that the queues have become, and the commands in order.
  Timeline sorted() {
    std::map<Place, std::size_t> rows;
    for (const auto& [place, name] : queues_) {
      rows[place] = timeline_.rows.size();
      const auto device = devices_.find(place.first);
      timeline_.rows.push_back({device == devices_.end() ? "device " + std::to_string(place.first) : device->second,
                                device_names_[place.first], name});
    }
    std::uint64_t first = ~std::uint64_t{0};
    for (const Command& command : timeline_.commands) first = std::min(first, command.begin_ns);
    for (std::size_t i = 0; i < timeline_.commands.size(); ++i) {
      Command& command = timeline_.commands[i];
      command.row = rows.at(places_[i]);
      command.begin_ns -= first;
      command.end_ns -= first;
    }
    std::stable_sort(timeline_.commands.begin(), timeline_.commands.end(),
                     [](const Command& a, const Command& b) { return a.begin_ns < b.begin_ns; });
    find_dependences(timeline_.commands);
    return std::move(timeline_);
  }

  Timeline timeline_;
  std::vector<Place> places_;  // of each command
  std::map<std::int64_t, std::string> devices_, device_names_;
  std::map<Place, std::string> queues_;
};

}  // namespace

std::string_view name_of(Kind kind, Way way) {
  if (kind == Kind::launch) return "kernel";
  if (kind == Kind::fill) return "fill";
  if (kind == Kind::call) return "host function";
  switch (way) {
    case Way::to_device: return "copy to device";
    case Way::to_host: return "copy to host";
    case Way::between_devices: return "copy between devices";
    case Way::within: break;
  }
  return "copy";
}

std::uint64_t Timeline::end_ns() const {
  std::uint64_t end = 0;
  for (const Command& command : commands) end = std::max(end, command.end_ns);
  return end;
}

Timeline parse_timeline(std::string_view text, const std::string& name) {
  try {
    const Json parsed = Json::parse(text);
    const bool wrapped = parsed.is_object() && parsed.contains("traceEvents");
    const Json& events = wrapped ? parsed["traceEvents"] : parsed;
    if (!events.is_array())
      base::fail(ErrorCode::parse_error,
                 "{} is no trace: a list of events is expected, as heddle run --trace writes it", name);
    for (std::size_t i = 0; i < events.size(); ++i)
      if (!events[i].is_object())
        base::fail(ErrorCode::parse_error,
                   "{} is no trace as heddle run --trace writes it: event {} is no object but {}", name, i + 1,
                   events[i].is_array() ? "a list" : events[i].dump().substr(0, 40));
    return Reader().read(events);
  } catch (const Json::parse_error& error) {
    if (text.substr(0, text.find('\n')).find(R"("kind":"machine")") != text.npos)
      base::fail(ErrorCode::parse_error,
                 "{} is no trace, but a report of a simulated device; heddle sim report shows it", name);
    const std::string_view before = base::without_byte_order_mark(text.substr(0, error.byte > 0 ? error.byte - 1 : 0));
    base::fail(ErrorCode::parse_error,
               "{} is no trace as heddle run --trace writes it: it is no JSON at line {}, column {}", name,
               std::count(before.begin(), before.end(), '\n') + 1, before.size() - (before.rfind('\n') + 1) + 1);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();  // "[json.exception.type_error.302] type must be ..."
    base::fail(ErrorCode::parse_error, "{} is no trace as heddle run --trace writes it: {}", name,
               what.substr(what.find("] ") + 2));
  }
}

Timeline read_timeline(const std::filesystem::path& file) {
  constexpr std::size_t some = 4096;
  constexpr std::uint64_t most = std::uint64_t{16} << 30;
  const std::string beginning = base::read_beginning(file, some);
  const std::string_view begin = base::without_byte_order_mark(beginning);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first != begin.npos && begin[first] != '[' && begin[first] != '{')
    return parse_timeline(beginning, file.string());  // says where it is no JSON
  return parse_timeline(base::read_file(file, most), file.string());
}

Timeline part_of(const Timeline& timeline, std::uint64_t begin_ns, std::uint64_t end_ns) {
  Timeline part;
  part.rows = timeline.rows;
  for (const Command& command : timeline.commands)
    if (command.begin_ns < end_ns && command.end_ns > begin_ns) part.commands.push_back(command);
  return part;
}

std::vector<base::Interval> intervals(const Timeline& timeline) {
  std::vector<base::Interval> all;
  for (const Command& command : timeline.commands) {
    if (!command.is_kernel() && !command.is_transfer()) continue;
    all.push_back({command.is_kernel() ? base::Interval::Kind::kernel : base::Interval::Kind::transfer,
                   command.begin_ns, command.end_ns});
  }
  return all;
}

std::vector<std::string> arrays_between(const Command& parent, const Command& child) {
  std::vector<std::string> found;
  for (const Use& earlier : parent.uses) {
    for (const Use& later : child.uses) {
      if (earlier.array != later.array || !(earlier.modifies || later.modifies)) continue;
      if (earlier.begin >= later.end || later.begin >= earlier.end) continue;
      if (std::find(found.begin(), found.end(), later.array) == found.end()) found.push_back(later.array);
    }
  }
  return found;
}

}  // namespace heddle::trace
