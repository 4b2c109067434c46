#include "kernelet/journal.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"

namespace heddle::bench::kernelet {

Journal::Journal(std::filesystem::path file, const std::string& key) : file_(std::move(file)) {
  const std::string text = base::read_file_if_there(file_).value_or("");
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != key) {
    base::write_file_atomic(file_, std::string_view(key + "\n"));
    return;
  }
  // The last line may be half of one.
  while (std::getline(lines, line) && !lines.eof()) {
    const std::size_t tab = line.find('\t');
    if (tab != line.npos) values_[line.substr(tab + 1)] = std::stod(line.substr(0, tab));
  }
}

std::optional<double> Journal::find(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::nullopt : std::optional(at->second);
}

void Journal::keep(const std::string& name, double value) {
  values_[name] = value;
  std::ofstream out(file_, std::ios::app);
  out << fmt::format("{}\t{}\n", value, name) << std::flush;
  if (!out) base::fail(ErrorCode::io_error, "{} cannot be written", file_.string());
}

void Journal::remove() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  values_.clear();
}

std::string journal_key(const std::string& options) {
  const std::string program = base::read_file("/proc/self/exe", std::numeric_limits<std::uint64_t>::max() / 2);
  return fmt::format("{:016x} {}", base::hash64(program), options);
}

}  // namespace heddle::bench::kernelet
