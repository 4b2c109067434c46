#include "modules/signature.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::modules {
namespace {

using Kind = SignatureParameter::Kind;

struct Scalar {
  std::string_view name;
  Kind kind;
  std::uint64_t bytes;
  std::string_view source;  // its name in C++; empty: integers that may be signed or not, or are no numbers there
};
constexpr Scalar scalars[] = {{"bool", Kind::integer, 1, "bool"},
                              {"char", Kind::integer, 1, "char"},
                              {"sint8", Kind::integer, 1, "signed char"},
                              {"uint8", Kind::integer, 1, "unsigned char"},
                              {"char8", Kind::integer, 1, ""},
                              {"sint16", Kind::integer, 2, "short"},
                              {"uint16", Kind::integer, 2, "unsigned short"},
                              {"char16", Kind::integer, 2, ""},
                              {"sint32", Kind::integer, 4, "int"},
                              {"uint32", Kind::integer, 4, "unsigned int"},
                              {"char32", Kind::integer, 4, ""},
                              {"wchar", Kind::integer, 4, ""},
                              {"sint64", Kind::integer, 8, "long"},
                              {"uint64", Kind::integer, 8, "unsigned long"},
                              {"sll64", Kind::integer, 8, "long long"},
                              {"ull64", Kind::integer, 8, "unsigned long long"},
                              {"float", Kind::floating, 4, "float"},
                              {"double", Kind::floating, 8, "double"}};
constexpr const char* types =
    "a type (pointer, sint8 to sint64, uint8 to uint64, bool, char, float, double, struct[N])";

const Scalar* scalar(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(scalars), std::end(scalars), [&](const Scalar& known) { return known.name == name; });
  return found == std::end(scalars) ? nullptr : found;
}

Direction direction_of(std::string_view word) {
  if (word == "in" || word == "const") return Direction::in;
  if (word == "out") return Direction::out;
  return word == "inout" ? Direction::inout : Direction::found;
}

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool in_word(char c) { return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

// For messages: one line, and not too much of it.
std::string printable(std::string_view text) {
  std::string made(text.substr(0, 400));
  std::replace_if(made.begin(), made.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return made + (text.size() > 400 ? "..." : "");
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { skip(); }

  Signature run() {
    Signature made;
    const std::size_t start = at_;
    std::string_view first = word();
    if (first == "cxx") first = word();  // GrCUDA's mark of a name that is mangled: names are found either way
    const bool nidl = peek() == '(';
    if (!nidl) {
      at_ = start;
      if (!done()) parameters(made);
    } else {
      made.kernel = first;
      take('(');
      if (peek() != ')') parameters(made);
      take(')', "',' or ')'");
      if (peek() == ':') result();
    }
    if (!done()) fail(nidl ? "the end" : "',' or the end");
    return made;
  }

 private:
  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  void skip() {
    while (!done() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  // Empty where there is none.
  std::string_view word() {
    const std::size_t start = at_;
    if (!begins_word(peek())) return {};
    while (!done() && in_word(text_[at_])) ++at_;
    const std::string_view found = text_.substr(start, at_ - start);
    skip();
    return found;
  }
  void take(char wanted, const char* expected = nullptr) {
    if (peek() != wanted) fail(expected != nullptr ? expected : fmt::format("'{}'", wanted));
    ++at_;
    skip();
  }

  [[noreturn]] void fail(std::string_view expected) const { fail_at(at_, expected); }
  [[noreturn]] void fail_at(std::size_t at, std::string_view expected) const {
    std::size_t end = at;
    while (end < text_.size() && in_word(text_[end]) && end - at < 40) ++end;
    if (end == at && end < text_.size()) ++end;
    const std::string found =
        at == text_.size() ? "the end" : fmt::format("'{}'", printable(text_.substr(at, end - at)));
    base::fail(ErrorCode::parse_error, "signature \"{}\": at character {} stands {}, where {} was expected",
               printable(text_), at + 1, found, expected);
  }

  void parameters(Signature& made) {
    made.parameters.push_back(parameter());
    while (peek() == ',') {
      take(',');
      made.parameters.push_back(parameter());
    }
  }

  SignatureParameter parameter() {
    SignatureParameter made;
    made.at = at_ + 1;
    const std::size_t start = at_;
    const std::string_view first = word();
    if (!first.empty() && peek() == ':') {
      take(':');
      made.name = first;
    } else {
      at_ = start;
    }
    std::size_t here = at_;
    std::string_view type = word();
    made.direction = direction_of(type);
    const bool annotated = made.direction != Direction::found;
    if (annotated) {
      here = at_;
      type = word();
      if (type != "pointer") fail_at(here, "'pointer', which alone has a direction,");
    }
    set_type(made, type, here, annotated || !made.name.empty());
    return made;
  }

  void set_type(SignatureParameter& made, std::string_view type, std::size_t here, bool no_direction) {
    made.type = type;
    if (type == "pointer") {
      made.kind = Kind::pointer;
      made.bytes = 8;
      const std::size_t behind = at_;
      const std::string_view element = word();
      if (!element.empty() && element != "void" && element != "pointer" && scalar(element) == nullptr)
        fail_at(behind, "what the pointer points to (sint32, float, ...), ',' or ')'");
      made.element = element;
    } else if (type == "struct") {
      made.kind = Kind::structure;
      take('[', "'[' and the structure's size in bytes");
      made.bytes = number();
      take(']');
    } else if (const Scalar* known = scalar(type)) {
      made.kind = known->kind;
      made.bytes = known->bytes;
    } else {
      fail_at(here, no_direction ? std::string(types) : fmt::format("a name with ':', a direction, or {}", types));
    }
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value == 0) fail("a number of bytes");
    at_ += static_cast<std::size_t>(end - begin);
    skip();
    return value;
  }

  void result() {
    take(':');
    const std::size_t here = at_;
    if (word() != "void") fail_at(here, "'void', as kernels return nothing,");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Signature parse_signature(std::string_view text) { return Parser(text).run(); }

std::string source_type_of(const SignatureParameter& parameter) {
  const bool pointer = parameter.kind == Kind::pointer;
  if (pointer && parameter.element == "void") return "void*";
  const Scalar* const known = scalar(pointer ? parameter.element : parameter.type);
  if (known == nullptr || known->source.empty()) return {};
  return std::string(known->source) + (pointer ? "*" : "");
}

std::string to_text(const Signature& signature) {
  std::string text = signature.kernel + "(";
  for (const SignatureParameter& parameter : signature.parameters) {
    if (text.back() != '(') text += ", ";
    if (!parameter.name.empty()) text += parameter.name + ": ";
    if (parameter.direction != Direction::found) text += std::string(name(parameter.direction)) + " ";
    text += parameter.type;
    if (parameter.kind == Kind::structure) text += fmt::format("[{}]", parameter.bytes);
    if (!parameter.element.empty()) text += " " + parameter.element;
  }
  return text + ")";
}

}  // namespace heddle::modules
