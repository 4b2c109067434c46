#include "compile/source_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace heddle::compile {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_word(char c) { return begins_word(c) || is_digit(c); }

bool is_raw_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}

class Reader {
 public:
  Reader(std::string_view source, bool preprocessor) : source_(source), preprocessor_(preprocessor) {}

  std::vector<SourceToken> read() {
    while (at_ < source_.size()) token();
    return std::move(made_);
  }

 private:
  char look(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void token() {
    const char c = look();
    if (c == '\n') {
      line_begins_ = true;
      directive_ = 0;
      ++at_;
    } else if (c == '\\' && (look(1) == '\n' || (look(1) == '\r' && look(2) == '\n'))) {
      at_ += look(1) == '\n' ? 2 : 3;  // the line goes on
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\' || c == '\0') {
      ++at_;
    } else if (c == '/' && look(1) == '/') {
      skip_line(false);
    } else if (c == '/' && look(1) == '*') {
      at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
    } else if (c == '#' && line_begins_ && !preprocessor_) {
      skip_line(true);
    } else {
      if (c == '#' && line_begins_) directive_ = ++directives_;
      line_begins_ = false;
      visible();
    }
  }

  void visible() {
    const std::size_t begin = at_;
    const char c = look();
    if (begins_word(c)) {
      while (in_word(look())) ++at_;
      const std::string_view word = source_.substr(begin, at_ - begin);
      if (look() != '"' || !is_raw_prefix(word)) return add(SourceToken::Kind::word, begin);
      raw_text();
    } else if (is_digit(c)) {
      while (in_word(look()) || look() == '.' || (look() == '\'' && in_word(look(1)))) ++at_;
      return add(SourceToken::Kind::number, begin);
    } else if (c == '"' || c == '\'') {
      quoted(c);
    } else {
      at_ += c == ':' && look(1) == ':' ? 2 : 1;
      return add(SourceToken::Kind::sign, begin);
    }
    add(SourceToken::Kind::text, begin);
  }

  void add(SourceToken::Kind kind, std::size_t begin) {
    at_ = std::min(at_, source_.size());
    made_.push_back({kind, source_.substr(begin, at_ - begin), directive_});
  }

  // To the end of the line, which a backslash moves, and in the preprocessor's lines a comment.
  void skip_line(bool comments) {
    while (at_ < source_.size() && look() != '\n') {
      if (comments && look() == '/' && look(1) == '*') {
        at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
        continue;
      }
      if (look() == '\\' && look(1) == '\r' && look(2) == '\n') ++at_;
      at_ += look() == '\\' ? 2 : 1;
    }
  }

  void quoted(char end) {
    ++at_;
    while (at_ < source_.size() && look() != end && look() != '\n') {
      const bool continues = look() == '\\' && look(1) == '\r' && look(2) == '\n';
      at_ += continues ? 3 : look() == '\\' ? 2 : 1;
    }
    ++at_;
  }

  // R"delimiter(...)delimiter"
  void raw_text() {
    const std::size_t open = source_.find('(', at_);
    if (open == source_.npos) {
      at_ = source_.size();
      return;
    }
    const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t found = source_.find(end, open);
    at_ = found == source_.npos ? source_.size() : found + end.size();
  }

  std::string_view source_;
  const bool preprocessor_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::uint32_t directive_ = 0, directives_ = 0;  // the one that is read; how many there were
  std::vector<SourceToken> made_;
};

}  // namespace

std::vector<SourceToken> source_tokens(std::string_view source, bool preprocessor) {
  return Reader(source, preprocessor).read();
}

}  // namespace heddle::compile
