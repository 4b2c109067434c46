#include "base/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"

namespace heddle::base {
namespace {

constexpr std::uint64_t most_rows = std::numeric_limits<std::int32_t>::max();

class Parser {
 public:
  Parser(std::string_view text, std::string_view where) : rest_(without_byte_order_mark(text)), where_(where) {}

  SparseMatrix parse() {
    header();
    size();
    // What the file says is not believed before it is seen: the shortest entry is "1 1" and a line's end.
    matrix_.entries.reserve(std::min<std::uint64_t>(wanted_, rest_.size() / 4 + 1) * (symmetric_ ? 2 : 1));
    std::uint64_t seen = 0;
    while (next_line()) {
      if (seen == wanted_) wrong("there are more entries than the {} that the size line says", wanted_);
      entry();
      ++seen;
    }
    if (seen < wanted_) wrong("the file ends after {} of {} entries", seen, wanted_);
    return std::move(matrix_);
  }

 private:
  template <class... Arguments>
  [[noreturn]] void wrong(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    fail(ErrorCode::parse_error, "{}, line {}: {}", where_, line_number_,
         fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  [[noreturn]] void unsupported(std::string_view what, std::string_view word, std::string_view those) const {
    fail(ErrorCode::unsupported, "{}: the {} '{}' of Matrix Market files is not supported; {} are", where_, what, word,
         those);
  }

  // The next line that is no comment and not empty, once the header has been read.
  bool next_line() {
    while (raw_line()) {
      if (line_.empty() || line_.front() == '%') continue;
      if (line_.find_first_not_of(" \t") != line_.npos) return true;
    }
    return false;
  }
  bool raw_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++line_number_;
    return true;
  }
  std::string_view word() {
    const std::size_t begin = std::min(line_.find_first_not_of(" \t"), line_.size());
    line_.remove_prefix(begin);
    const std::string_view found = line_.substr(0, std::min(line_.find_first_of(" \t"), line_.size()));
    line_.remove_prefix(found.size());
    return found;
  }
  std::string lower_word() {
    std::string found(word());
    for (char& c : found) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return found;
  }

  void header() {
    if (!raw_line()) wrong("the file is empty; it must begin with %%MatrixMarket");
    if (lower_word() != "%%matrixmarket") wrong("the file does not begin with %%MatrixMarket");
    if (const std::string object = lower_word(); object != "matrix")
      unsupported("object", object, "matrices ('matrix')");
    if (const std::string format = lower_word(); format != "coordinate")
      unsupported("format", format, "lists of entries ('coordinate')");
    const std::string field = lower_word();
    if (field != "real" && field != "integer" && field != "pattern")
      unsupported("field", field, "'real', 'integer' and 'pattern'");
    pattern_ = field == "pattern";
    integer_ = field == "integer";
    const std::string symmetry = lower_word();
    if (symmetry != "general" && symmetry != "symmetric")
      unsupported("symmetry", symmetry, "'general' and 'symmetric'");
    symmetric_ = symmetry == "symmetric";
    end_of_line();
  }

  std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most) {
    const std::string_view text = word();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) wrong("the {} is missing", what);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      wrong("the {} is '{}', which is no whole number", what, text);
    if (error != std::errc() || value < least || value > most)
      wrong("the {} is {}, and must be from {} to {}", what, text, least, most);
    return value;
  }
  double value() {
    std::string_view text = word();
    if (text.empty()) wrong("the value is missing");
    const std::string_view shown = text;
    if (text.front() == '+') text.remove_prefix(1);
    double found = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(found))
      wrong("the value is '{}', which is no number that a double holds", shown);
    if (integer_ && found != std::floor(found)) wrong("the value is '{}' in a file of integers", shown);
    return found;
  }
  void end_of_line() {
    if (const std::string_view more = word(); !more.empty()) wrong("'{}' does not belong on this line", more);
  }

  void size() {
    if (!next_line()) wrong("the file ends before the line with rows, columns and entries");
    matrix_.rows = static_cast<std::uint32_t>(number("number of rows", 0, most_rows));
    matrix_.columns = static_cast<std::uint32_t>(number("number of columns", 0, most_rows));
    wanted_ = number("number of entries", 0, std::numeric_limits<std::int64_t>::max());
    end_of_line();
    if (symmetric_ && matrix_.rows != matrix_.columns)
      wrong("a symmetric matrix of {} x {} is not square", matrix_.rows, matrix_.columns);
  }

  void entry() {
    MatrixEntry made;
    made.row = static_cast<std::uint32_t>(number("row", 1, matrix_.rows) - 1);
    made.column = static_cast<std::uint32_t>(number("column", 1, matrix_.columns) - 1);
    if (!pattern_) made.value = value();
    end_of_line();
    if (symmetric_ && made.column > made.row)
      wrong("the entry {} {} of a symmetric matrix is above the diagonal", made.row + 1, made.column + 1);
    matrix_.entries.push_back(made);
    if (symmetric_ && made.row != made.column) matrix_.entries.push_back({made.column, made.row, made.value});
  }

  std::string_view rest_, where_, line_;
  std::uint64_t line_number_ = 0, wanted_ = 0;
  bool pattern_ = false, integer_ = false, symmetric_ = false;
  SparseMatrix matrix_;
};

}  // namespace

SparseMatrix read_matrix_market(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  return parse_matrix_market(text, path.string());
}

SparseMatrix parse_matrix_market(std::string_view text, std::string_view where) { return Parser(text, where).parse(); }

}  // namespace heddle::base
