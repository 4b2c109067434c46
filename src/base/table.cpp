#include "base/table.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/printable.hpp"

namespace heddle::base {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t to, Align align) {
  const std::string fill(to - std::min(to, width(cell)), ' ');
  return align == Align::left ? cell + fill : fill + cell;
}

void append_line(std::string& out, const std::string& line) {
  out += line.substr(0, line.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) {
    fail(ErrorCode::invalid_argument, "a row of {} cells in a table of {} columns", cells.size(), columns_.size());
  }
  for (std::string& cell : cells) cell = printable(cell);  // one line each, whatever a file's names have in them
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = width(columns_[c].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[c]));
    widths.push_back(widest);
  }
  std::string out, titles, rule;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string gap = c == 0 ? "" : "  ";
    titles += gap + padded(columns_[c].title, widths[c], columns_[c].align);
    rule += gap + std::string(widths[c], '-');
  }
  append_line(out, titles);
  append_line(out, rule);
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      line += (c == 0 ? "" : "  ") + padded(row[c], widths[c], columns_[c].align);
    }
    append_line(out, line);
  }
  return out;
}

std::string Table::markdown() const {
  std::string out = "|", rule = "|";
  for (const Column& column : columns_) {
    out += " " + column.title + " |";
    rule += column.align == Align::left ? "---|" : "---:|";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : rows_) {
    out += "|";
    for (const auto& cell : row) out += " " + cell + " |";
    out += "\n";
  }
  return out;
}

}  // namespace heddle::base
