// The figures of one experiment: a table with the paper's beside ours, and rows for the results' file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/results.hpp"

namespace heddle::bench::lithos_gpu {

class Table {
 public:
  Table(Results& results, std::string prefix) : results_(results), prefix_(std::move(prefix)) {}
  // `paper`: as text, empty where it has no such figure.
  void add(const std::string& what, double value, const std::string& unit, std::optional<Bar> bar = std::nullopt,
           const std::string& paper = "", const std::string& peer = "");
  // Prints what was added since the last call.
  void print(const std::string& title);

 private:
  struct Row {
    std::string what, paper, bar, ours, holds;
  };
  Results& results_;
  const std::string prefix_;
  std::vector<Row> rows_;
};

}  // namespace heddle::bench::lithos_gpu
