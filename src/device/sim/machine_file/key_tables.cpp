#include "device/sim/machine_file/key_tables.hpp"

#include "base/fail.hpp"
#include "base/table.hpp"
#include "device/sim/machine_file/fields.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::string_view heading = "## Keys\n\n";

base::Table new_table() { return base::Table({{"key"}, {"allowed"}, {"unit"}, {"meaning"}}); }

std::string title(std::string_view section) {
  return section.empty() ? "### At the top of the file\n\n" : fmt::format("### `[{}]`\n\n", section);
}

}  // namespace

std::string key_tables() {
  std::string text;
  std::string_view section = "none";
  base::Table table = new_table();
  const auto finish = [&] {
    if (table.rows() != 0) text += table.markdown() + "\n";
    table = new_table();
  };
  for_each_field([&](const Field& field) {
    if (field.section != section) {
      finish();
      section = field.section;
      text += title(section);
    }
    table.add_row(
        {fmt::format("`{}`", field.key), field.allowed(), std::string(field.unit), std::string(field.meaning)});
  });
  finish();
  return text;
}

std::string with_key_tables(const std::string& page) {
  const std::size_t begin = page.find(heading);
  const std::size_t next = begin == std::string::npos ? begin : page.find("\n## ", begin + heading.size() - 1);
  if (next == std::string::npos) {
    base::fail(ErrorCode::invalid_argument, "the page has no section 'Keys' that another one follows");
  }
  return page.substr(0, begin) + std::string(heading) + key_tables() + page.substr(next + 1);
}

}  // namespace heddle::device::sim
