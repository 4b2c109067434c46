#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/fail.hpp"

namespace heddle::bench::sim_policies {

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < rows_[r].size(); ++i) text += fmt::format("| {:<{}} ", rows_[r][i], widths[i]);
    text += "|\n";
    if (r != 0) continue;
    for (const std::size_t width : widths) text += "|" + std::string(width + 2, '-');
    text += "|\n";
  }
  return text;
}

std::string number(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }
std::string gain(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

void write_page(const std::string& file, const std::string& text) {
  constexpr std::string_view begin = "<!-- figures -->\n", end = "<!-- end of figures -->";
  std::ifstream in(file);
  std::stringstream all;
  all << in.rdbuf();
  std::string page = all.str();
  const std::size_t from = page.find(begin), to = page.find(end);
  if (from == page.npos || to == page.npos)
    base::fail(ErrorCode::io_error, "{} has no place for figures, between {} and {}", file, begin, end);
  page = page.substr(0, from + begin.size()) + "\n" + text + "\n" + page.substr(to);
  std::ofstream out(file);
  out << page;
  if (!out.flush()) base::fail(ErrorCode::io_error, "cannot write {}", file);
}

unsigned number_of(int argc, char** argv, std::string_view option, unsigned otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (argv[i] == option) return static_cast<unsigned>(std::atoi(argv[i + 1]));
  return otherwise;
}

std::string text_of(int argc, char** argv, std::string_view option) {
  for (int i = 1; i + 1 < argc; ++i)
    if (argv[i] == option) return argv[i + 1];
  return {};
}

bool has_option(int argc, char** argv, std::string_view option) {
  return std::any_of(argv + 1, argv + argc, [&](const char* one) { return one == option; });
}

}  // namespace heddle::bench::sim_policies
