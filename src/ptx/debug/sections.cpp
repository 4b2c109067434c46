#include "ptx/debug/sections.hpp"

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "ptx/lexer.hpp"

namespace heddle::ptx {
namespace {

// A place that gets the offset of a label when all labels are known.
struct Reference {
  std::string* section;
  std::size_t at;
  std::size_t bytes;
  std::string_view label;
  std::uint64_t factor;  // 1, or -1 where it is subtracted
};

class Reader {
 public:
  explicit Reader(std::string_view text) : lexer_(text) { next(); }

  SectionBytes read() {
    while (token_.kind != TokenKind::end) section();
    for (const Reference& reference : references_)
      if (const auto found = labels_.find(reference.label); found != labels_.end())
        add(*reference.section, reference.at, reference.bytes, reference.factor * found->second);
    return std::move(made_);
  }

 private:
  void next() { lexer_.next(token_); }
  [[noreturn]] void fail(std::string_view expected) const {
    base::fail(ErrorCode::parse_error, "line {}, column {} of the debug sections: expected {}", token_.line,
               token_.column, expected);
  }
  void take(TokenKind kind) {
    if (token_.kind != kind) fail(describe(kind));
    next();
  }

  void section() {
    if (token_.kind != TokenKind::word || token_.text != "section") fail(".section");
    next();
    std::string name = (token_.kind == TokenKind::word ? "." : "") + std::string(token_.text);
    next();
    std::string& bytes = made_[std::move(name)];
    take(TokenKind::left_brace);
    while (token_.kind != TokenKind::right_brace) {
      if (token_.kind == TokenKind::word) {
        data(bytes);
      } else if (token_.kind == TokenKind::identifier) {
        labels_[token_.text] = bytes.size();
        next();
        take(TokenKind::colon);
      } else {
        fail("data, a label or '}'");
      }
    }
    next();
  }

  void data(std::string& bytes) {
    const std::size_t size = token_.text == "b8"    ? 1
                             : token_.text == "b16" ? 2
                             : token_.text == "b32" ? 4
                             : token_.text == "b64" ? 8
                                                    : 0;
    if (size == 0) fail(".b8, .b16, .b32 or .b64");
    do {
      next();
      const std::size_t at = bytes.size();
      bytes.append(size, '\0');
      value(bytes, at, size);
    } while (token_.kind == TokenKind::comma);
  }

  // "12", "-1", ".debug_info", "$L__begin+4", "b-a".
  void value(std::string& bytes, std::size_t at, std::size_t size) {
    std::uint64_t factor = 1;
    for (bool first = true;; first = false) {
      if (token_.kind == TokenKind::minus || token_.kind == TokenKind::plus) {
        factor = token_.kind == TokenKind::minus ? ~std::uint64_t{0} : 1;
        next();
      } else if (!first) {
        return;
      }
      if (token_.kind == TokenKind::integer) {
        add(bytes, at, size, factor * number());
      } else if (token_.kind == TokenKind::identifier) {
        references_.push_back({&bytes, at, size, token_.text, factor});
      } else if (token_.kind != TokenKind::word) {  // the beginning of a section is 0
        fail("a number or a label");
      }
      next();
    }
  }

  std::uint64_t number() const {
    std::string_view digits = token_.text;
    while (digits.ends_with('U') || digits.ends_with('u')) digits.remove_suffix(1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
    } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
      base = 2;
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
    }
    if (base == 16 || base == 2) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size()) fail("a number of 64 bits");
    return value;
  }

  // Little endian.
  static void add(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t value) {
    std::uint64_t sum = 0;
    for (std::size_t i = size; i-- > 0;) sum = sum << 8 | static_cast<unsigned char>(bytes[at + i]);
    sum += value;
    for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(sum >> (8 * i));
  }

  Lexer lexer_;
  Token token_;
  SectionBytes made_;
  std::map<std::string_view, std::size_t> labels_;
  std::vector<Reference> references_;
};

}  // namespace

SectionBytes read_sections(std::string_view text) { return Reader(text).read(); }

}  // namespace heddle::ptx
