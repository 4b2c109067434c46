#include "trace/dot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "trace/colours.hpp"

namespace heddle::trace {
namespace {

// A quoted string of DOT, which may be printed: a trace's names may be anything. Labels have several lines.
std::string dot_text(const std::string& text) {
  std::string made = "\"";
  for (const char c : base::printable(text, "\n")) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

std::string label_of(const Command& command) {
  if (command.is_kernel()) return command.name;
  const std::string what(name_of(command.kind, command.way));
  if (!command.is_transfer()) return what;
  return what + ", " + base::format_bytes(command.bytes);
}

std::string vertex(const Command& command, std::size_t number, const Row& row) {
  const Colour& colour = colour_of_queue(command.row);
  return fmt::format(
      "  v{} [label={}, shape={}, fillcolor=\"{}\", color=\"{}\", tooltip={}];\n", number, dot_text(label_of(command)),
      command.is_kernel() ? "box" : "ellipse", colour.fill, colour.line,
      dot_text(fmt::format("{}, {}, {}", row.device, row.queue,
                           base::format_duration(static_cast<double>(command.end_ns - command.begin_ns) * 1e-9))));
}

std::string edge(std::size_t from, std::size_t to, const Command& parent, const Command& child) {
  std::string style;
  const std::string arrays = fmt::format("{}", fmt::join(arrays_between(parent, child), ", "));
  if (!arrays.empty()) style += " label=" + dot_text(arrays);
  if (std::find(child.waits.begin(), child.waits.end(), parent.task) != child.waits.end()) style += " penwidth=2";
  const bool waited = std::find(child.behind.begin(), child.behind.end(), parent.task) == child.behind.end();
  if (child.by_streams || waited) style += child.by_streams ? " style=dashed" : " style=dotted";
  return fmt::format("  v{} -> v{}{};\n", from, to, style.empty() ? "" : " [" + style.substr(1) + "]");
}

}  // namespace

std::string dot(const Timeline& timeline) {
  std::string text =
      "digraph tasks {\n  node [style=filled, fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#57606a\", fontcolor=\"#57606a\"];\n";
  // In the order in which they were launched; of a task with several commands, the first.
  std::map<std::uint64_t, std::size_t> vertices;
  std::vector<std::size_t> order(timeline.commands.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return timeline.commands[a].task < timeline.commands[b].task; });
  std::string edges;
  for (const std::size_t i : order) {
    const Command& command = timeline.commands[i];
    if (command.task != 0 && !vertices.emplace(command.task, i).second) continue;
    text += vertex(command, i, timeline.rows[command.row]);
    for (const std::uint64_t parent : command.depends) {
      const auto found = vertices.find(parent);
      if (found != vertices.end()) edges += edge(found->second, i, timeline.commands[found->second], command);
    }
  }
  return text + edges + "}\n";
}

}  // namespace heddle::trace
