#include "gpu/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace heddle::bench::lithos_gpu {

void Table::add(const std::string& what, double value, const std::string& unit, std::optional<Bar> bar,
                const std::string& paper, const std::string& peer) {
  results_.add({prefix_ + what, value, unit, bar, peer});
  rows_.push_back({what, paper, bar ? bar->text() : "", fmt::format("{:.3f} {}", value, unit),
                   bar ? (bar->holds(value) ? "holds" : "FALLS SHORT") : ""});
}

void Table::print(const std::string& title) {
  std::size_t width = 10;
  for (const Row& row : rows_) width = std::max(width, row.what.size());
  fmt::print("\n{}\n  {:{}}  {:>10}  {:>9}  {:>14}\n", title, "what", width, "paper", "bar", "ours");
  for (const Row& row : rows_)
    fmt::print("  {:{}}  {:>10}  {:>9}  {:>14}  {}\n", row.what, width, row.paper, row.bar, row.ours, row.holds);
  std::fflush(stdout);
  rows_.clear();
}

}  // namespace heddle::bench::lithos_gpu
