#include "trace/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "base/xml_text.hpp"
#include "trace/colours.hpp"

namespace heddle::trace {
namespace {

using base::xml;
using Kind = base::TraceEvent::Kind;
using Way = base::TraceEvent::Way;

constexpr double left = 120, right = 20, row_height = 30, box_height = 22, letter = 6.1;
constexpr double narrow = 2;      // pixels; what is narrower is merged with its neighbours
constexpr std::size_t kinds = 7;  // that have colours of their own
constexpr std::array<const char*, kinds> kind_names = {
    "kernel", "copy to device", "copy to host", "copy between devices", "copy within a memory",
    "fill",   "host function"};
constexpr std::array<Colour, kinds> kind_colours = {{{"#b6d4ee", "#2f6fab"},
                                                     {"#f9cfa0", "#b45f06"},
                                                     {"#b7dcae", "#3f7f3a"},
                                                     {"#dcc3e8", "#7a4a9c"},
                                                     {"#f2e3a6", "#9c7c00"},
                                                     {"#d5d9de", "#6b737c"},
                                                     {"#f3c4d4", "#a64d79"}}};

std::size_t kind_number(const Command& command) {
  if (command.kind == Kind::launch) return 0;
  if (command.kind == Kind::fill) return 5;
  if (command.kind == Kind::call) return 6;
  return command.way == Way::to_device         ? 1
         : command.way == Way::to_host         ? 2
         : command.way == Way::between_devices ? 3
                                               : 4;
}

std::string seconds(std::uint64_t ns) { return base::format_duration(static_cast<double>(ns) * 1e-9); }

// One or several commands of a row.
struct Box {
  double x = 0, width = 0;
  std::array<std::size_t, kinds> count{};
  std::array<std::uint64_t, kinds> time_ns{};
  const Command* only = nullptr;  // of a single one
  bool failed = false;

  std::size_t kind() const {
    return static_cast<std::size_t>(std::max_element(time_ns.begin(), time_ns.end()) - time_ns.begin());
  }
  void add(const Command& command) {
    const std::size_t kind = kind_number(command);
    ++count[kind];
    time_ns[kind] += std::max<std::uint64_t>(command.end_ns - command.begin_ns, 1);
    failed = failed || command.failed;
  }
};

// Where a command is in the picture.
struct Spot {
  std::size_t row = 0, box = 0;
  double begin = 0, end = 0;
};

class Drawing {
 public:
  Drawing(const Timeline& timeline, const PictureLimits& limits) : timeline_(timeline), limits_(limits) {
    begin_ns_ = ~std::uint64_t{0};
    for (const Command& command : timeline.commands) {
      begin_ns_ = std::min(begin_ns_, command.begin_ns);
      end_ns_ = std::max(end_ns_, command.end_ns);
    }
    if (timeline.commands.empty()) begin_ns_ = 0;
    if (end_ns_ <= begin_ns_) end_ns_ = begin_ns_ + 1;
    scale_ = (limits.width - left - right) / static_cast<double>(end_ns_ - begin_ns_);
    choose_rows();
    make_boxes();
  }

  std::string draw() {
    std::string body = draw_rows() + draw_curves() + draw_boxes() + draw_axis();
    const double top = 52 + 16 * static_cast<double>(notes_.size());
    std::string head = draw_head();
    const double height = top + height_ + 40;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\">\n"
        "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n{2}<g transform=\"translate(0 {3:.0f})\">\n{4}"
        "</g>\n</svg>\n",
        limits_.width, height, head, top, body);
  }

 private:
  double x_of(std::uint64_t ns) const { return left + static_cast<double>(ns - begin_ns_) * scale_; }

  // Rows with commands, those of one device together, in the order in which they begin; a line with the device's name
  // above them.
  void choose_rows() {
    std::vector<std::size_t> used;
    std::map<std::string, std::size_t> devices;
    std::set<std::size_t> known;
    for (const Command& command : timeline_.commands) {
      if (!known.insert(command.row).second) continue;
      used.push_back(command.row);
      devices.emplace(timeline_.rows[command.row].device, devices.size());
    }
    std::stable_sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) {
      return devices[timeline_.rows[a].device] < devices[timeline_.rows[b].device];
    });
    std::size_t left_out = 0;
    std::string device;
    for (const std::size_t row : used) {
      if (places_.size() == limits_.rows) {
        ++left_out;
        continue;
      }
      const Row& told = timeline_.rows[row];
      if (told.device != device) {
        device = told.device;
        headings_.emplace_back(height_, told.device_name.empty() ? device : device + ": " + told.device_name);
        height_ += 20;
      }
      places_[row] = height_;
      height_ += row_height;
    }
    if (left_out > 0) notes_.push_back(base::counted(left_out, "queue") + " more are left out");
  }

  void make_boxes() {
    spots_.resize(timeline_.commands.size());
    std::size_t merged = 0;
    for (std::size_t i = 0; i < timeline_.commands.size(); ++i) {
      const Command& command = timeline_.commands[i];
      if (!places_.contains(command.row)) continue;
      std::vector<Box>& row = boxes_[command.row];
      const double x = x_of(command.begin_ns), width = static_cast<double>(command.end_ns - command.begin_ns) * scale_;
      const bool joins = width < narrow && !row.empty() && row.back().width < narrow + 1 &&
                         x - (row.back().x + row.back().width) < 0.5 && x + width - row.back().x < narrow + 1;
      if (joins) {
        merged += row.back().only ? 2 : 1;
        row.back().width = std::max(row.back().width, x + width - row.back().x);
        row.back().only = nullptr;
      } else {
        row.push_back({x, width, {}, {}, &command, false});
      }
      row.back().add(command);
      spots_[i] = {command.row, row.size(), x, x + width};
      if (command.task != 0) tasks_.emplace(command.task, i);
    }
    if (merged > 0)
      notes_.push_back(base::format_count(merged) +
                       " commands are too short to be told apart at this scale and are drawn "
                       "together; heddle timeline --from and --to look closer");
  }

  std::string draw_head() const {
    std::size_t kernels = 0, transfers = 0;
    std::array<bool, kinds> there{};
    for (const Command& command : timeline_.commands) {
      kernels += command.is_kernel();
      transfers += command.is_transfer();
      there[kind_number(command)] = true;
    }
    std::string text = fmt::format("<text x=\"10\" y=\"20\" font-size=\"13\" fill=\"#1f2328\">{}, {}, {}</text>\n",
                                   base::counted(kernels, "kernel"),
                                   transfers == 1 ? "1 copy or fill" : fmt::format("{} copies and fills", transfers),
                                   seconds(end_ns_ - begin_ns_));
    double x = 10;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (!there[kind]) continue;
      text += fmt::format(
          "<rect x=\"{:.0f}\" y=\"31\" width=\"12\" height=\"12\" fill=\"{}\" stroke=\"{}\"/>"
          "<text x=\"{:.0f}\" y=\"41\" fill=\"#1f2328\">{}</text>\n",
          x, kind_colours[kind].fill, kind_colours[kind].line, x + 17, kind_names[kind]);
      x += 36 + letter * static_cast<double>(std::string_view(kind_names[kind]).size());
    }
    if (curves_ > 0)
      text += fmt::format(
          "<path d=\"M{0:.0f},41 C{1:.0f},41 {1:.0f},33 {2:.0f},33\" fill=\"none\" stroke=\"#57606a\"/>"
          "<text x=\"{3:.0f}\" y=\"41\" fill=\"#1f2328\">comes behind</text>\n",
          x, x + 10, x + 20, x + 25);
    double y = 57;
    for (const std::string& note : notes_) {
      text += fmt::format("<text x=\"10\" y=\"{:.0f}\" fill=\"#9a3412\">{}</text>\n", y, xml(note));
      y += 16;
    }
    return text;
  }

  std::string draw_rows() const {
    std::string text;
    for (const auto& [y, name] : headings_)
      text += fmt::format("<text x=\"10\" y=\"{:.0f}\" font-weight=\"bold\" fill=\"#1f2328\">{}</text>\n", y + 14,
                          xml(name));
    for (const auto& [row, y] : places_)
      text += fmt::format(
          "<text x=\"10\" y=\"{0:.0f}\" fill=\"#57606a\">{1}</text>"
          "<line x1=\"{2:.0f}\" x2=\"{3:.0f}\" y1=\"{4:.1f}\" y2=\"{4:.1f}\" stroke=\"#e6e8eb\"/>\n",
          y + 19, xml(timeline_.rows[row].queue), left, limits_.width - right, y + row_height / 2);
    return text;
  }

  static std::string tooltip(const Box& box) {
    if (box.only) {
      const Command& command = *box.only;
      std::string text = command.is_kernel() ? command.name : std::string(name_of(command.kind, command.way));
      text += ", " + seconds(command.end_ns - command.begin_ns);
      if (command.is_transfer()) text += ", " + base::format_bytes(command.bytes);
      if (command.is_kernel()) text += ", grid " + command.grid + ", block " + command.block;
      return text + (command.failed ? ", failed" : "");
    }
    std::string text;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (box.count[kind] == 0) continue;
      text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", box.count[kind], kind_names[kind]);
    }
    return text;
  }

  static std::string label(const Box& box) {
    if (!box.only) return {};
    const Command& command = *box.only;
    std::string text = command.is_kernel() ? command.name : base::format_bytes(command.bytes);
    if (command.kind == Kind::call) text = "host function";
    const auto room = static_cast<std::size_t>(std::max(0.0, (box.width - 8) / letter));
    if (text.size() <= room) return text;
    return room < 5 || !command.is_kernel() ? std::string() : text.substr(0, room - 2) + "..";
  }

  std::string draw_boxes() const {
    std::string text;
    for (const auto& [row, boxes] : boxes_) {
      const double y = places_.at(row) + (row_height - box_height) / 2;
      for (const Box& box : boxes) {
        const Colour& colour = kind_colours[box.kind()];
        text += fmt::format(
            "<g><title>{}</title><rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"{}\" "
            "stroke=\"{}\" stroke-width=\"{}\"/>",
            xml(tooltip(box)), box.x, y, std::max(box.width, 0.5), box_height, colour.fill,
            box.failed ? "#d1242f" : colour.line, box.failed ? 2 : 0.7);
        const std::string inside = label(box);
        if (!inside.empty())
          text +=
              fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#1f2328\">{}</text>", box.x + 4, y + 15, xml(inside));
        text += "</g>\n";
      }
    }
    return text;
  }

  std::string draw_curves() {
    std::string text;
    std::size_t all = 0;
    std::set<std::array<std::size_t, 4>> drawn;  // between merged boxes once
    for (std::size_t i = 0; i < timeline_.commands.size(); ++i) {
      const Command& child = timeline_.commands[i];
      if (!places_.contains(child.row)) continue;
      for (const std::uint64_t task : child.depends) {
        const auto parent = tasks_.find(task);
        if (parent == tasks_.end()) continue;
        const Spot &from = spots_[parent->second], &to = spots_[i];
        if (from.row == to.row && (child.by_streams || from.box == to.box)) continue;
        if (!drawn.insert({from.row, from.box, to.row, to.box}).second) continue;
        ++all;
        if (curves_ == limits_.curves) continue;
        ++curves_;
        text += curve(from, to);
      }
    }
    if (all > curves_)
      notes_.push_back(fmt::format("the first {} of {} dependences are drawn", base::format_count(curves_),
                                   base::format_count(all)));
    return text.empty() ? text : "<g fill=\"none\" stroke=\"#57606a\" stroke-width=\"0.8\">\n" + text + "</g>\n";
  }

  std::string curve(const Spot& from, const Spot& to) const {
    const double y1 = places_.at(from.row) + row_height / 2, y2 = places_.at(to.row) + row_height / 2;
    const double reach = std::clamp(std::abs(to.begin - from.end) / 2, 6.0, 60.0);
    return fmt::format("<path d=\"M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n", from.end, y1,
                       from.end + reach, y1, to.begin - reach, y2, to.begin, y2);
  }

  std::string draw_axis() const {
    const double y = height_ + 4;
    std::string text =
        fmt::format("<line x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.0f}\" y2=\"{:.0f}\" stroke=\"#57606a\"/>\n", left,
                    limits_.width - right, y, y);
    const auto length = static_cast<double>(end_ns_ - begin_ns_);
    double step = std::pow(10, std::floor(std::log10(length / 5)));
    for (const double factor : {2.0, 2.5, 2.0})
      if (length / step > 10) step *= factor;
    const struct {
      double ns;
      const char* name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    const auto* unit = units;
    while (unit->ns > 1 && length < unit->ns) ++unit;
    step = std::max(step, 1.0);
    const double first = std::ceil(static_cast<double>(begin_ns_) / step) * step;
    for (double at = first; at <= static_cast<double>(end_ns_); at += step) {
      const double x = left + (at - static_cast<double>(begin_ns_)) * scale_;
      text += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" stroke=\"#57606a\"/>"
          "<text x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"middle\" fill=\"#1f2328\">{4:.6g} {5}</text>\n",
          x, y, y + 5, y + 18, at / unit->ns, unit->name);
    }
    return text;
  }

  const Timeline& timeline_;
  const PictureLimits& limits_;
  std::uint64_t begin_ns_ = 0, end_ns_ = 0;
  double scale_ = 1, height_ = 0;
  std::map<std::size_t, double> places_;  // of rows: where they begin
  std::vector<std::pair<double, std::string>> headings_;
  std::map<std::size_t, std::vector<Box>> boxes_;  // by row
  std::vector<Spot> spots_;                        // of each command
  std::map<std::uint64_t, std::size_t> tasks_;     // their first commands
  std::vector<std::string> notes_;
  std::size_t curves_ = 0;
};

}  // namespace

std::string picture(const Timeline& timeline, const PictureLimits& limits) { return Drawing(timeline, limits).draw(); }

}  // namespace heddle::trace
