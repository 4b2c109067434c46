#include "support/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/table.hpp"
#include "support/folders.hpp"
#include "support/machine.hpp"

namespace heddle::bench {
namespace {

std::string number(double value) { return fmt::format("{:.4g}", value); }

nlohmann::ordered_json json_rows(const std::vector<Result>& results, const std::string& machine) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::string commit = commit_text();
  for (const Result& r : results) {
    nlohmann::ordered_json row = {{"name", r.name},   {"value", r.value}, {"unit", r.unit},     {"bar", nullptr},
                                  {"holds", nullptr}, {"peer", nullptr},  {"machine", machine}, {"commit", commit}};
    if (r.bar) {
      row["bar"] = r.bar->text();
      row["holds"] = r.bar->holds(r.value);
    }
    if (!r.peer.empty()) row["peer"] = r.peer;
    list.push_back(std::move(row));
  }
  return list;
}

// What the file holds under other names than these; nothing when it cannot be read.
nlohmann::ordered_json other_rows(const std::filesystem::path& file, const std::vector<Result>& results) {
  nlohmann::ordered_json kept = nlohmann::ordered_json::array();
  const auto text = base::read_file_if_there(file);
  const auto rows = nlohmann::ordered_json::parse(text.value_or("[]"), nullptr, false);
  if (!rows.is_array()) return kept;
  for (const auto& row : rows) {
    const std::string name = row.is_object() ? row.value("name", "") : "";
    const bool ours = std::any_of(results.begin(), results.end(), [&](const Result& r) { return r.name == name; });
    if (!name.empty() && !ours) kept.push_back(row);
  }
  return kept;
}

}  // namespace

std::string Bar::text() const { return (kind == Kind::at_least ? ">= " : "<= ") + number(value); }

bool Results::hold() const {
  return std::all_of(results_.begin(), results_.end(), [](const Result& r) { return !r.bar || r.bar->holds(r.value); });
}

std::string Results::table() const {
  base::Table table({{"what"}, {"value", base::Align::right}, {"unit"}, {"bar"}, {"holds"}, {"compared with"}});
  for (const Result& r : results_) {
    table.add_row({r.name, number(r.value), r.unit, r.bar ? r.bar->text() : "-",
                   r.bar ? (r.bar->holds(r.value) ? "yes" : "NO") : "-", r.peer});
  }
  return table.text();
}

std::string Results::machine() const { return machine_text() + (device_.empty() ? "" : ", " + device_); }

std::string Results::json() const { return json_rows(results_, machine()).dump(2) + "\n"; }

std::filesystem::path Results::write() const {
  const std::filesystem::path file = results_folder() / (name_ + ".json");
  nlohmann::ordered_json rows = other_rows(file, results_);
  for (auto& row : json_rows(results_, machine())) rows.push_back(std::move(row));
  base::write_file_atomic(file, std::string_view(rows.dump(2) + "\n"));
  return file;
}

int Results::finish() const {
  const std::filesystem::path file = write();
  fmt::print("{}\nmachine: {}\ncommit:  {}\nwritten: {}\n", table(), machine(), commit_text(), file.string());
  return 0;
}

}  // namespace heddle::bench
