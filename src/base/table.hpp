// Tables of text with aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace heddle::base {

enum class Align { left, right };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells are empty. Throws invalid_argument for more cells than columns.
  void add_row(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }
  // Title line, a rule, the rows; columns two spaces apart, no space at line ends. Width counts UTF-8 characters.
  std::string text() const;
  std::string markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle::base
