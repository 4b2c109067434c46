// The tables of a page, between its marks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::bench::sim_policies {

// A table of Markdown, whose first row is its head; also readable on a terminal.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string number(double value, int digits = 2);
// "+12.3 %" of a ratio.
std::string gain(double ratio);

// Replaces what stands in the file between "<!-- figures -->" and "<!-- end of figures -->". Throws io_error.
void write_page(const std::string& file, const std::string& text);
// The number that follows an option; `otherwise` where it is not there.
unsigned number_of(int argc, char** argv, std::string_view option, unsigned otherwise);
// The word that follows an option; empty where it is not there.
std::string text_of(int argc, char** argv, std::string_view option);
bool has_option(int argc, char** argv, std::string_view option);

}  // namespace heddle::bench::sim_policies
