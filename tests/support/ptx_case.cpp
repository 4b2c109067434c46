#include "support/ptx_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "base/fail.hpp"
#include "ptx/semantics/convert.hpp"

namespace heddle::test {
namespace {

using ptx::Type;
namespace semantics = ptx::semantics;

// The words of one directive.
class Words {
 public:
  Words(std::string text, std::string where) : stream_(std::move(text)), where_(std::move(where)) {}
  bool more() { return (stream_ >> std::ws).good() && stream_.peek() != std::char_traits<char>::eof(); }
  std::string next(const char* expected) {
    std::string word;
    if (!(stream_ >> word)) fail(fmt::format("expected {}", expected));
    return word;
  }
  bool take(const std::string& wanted) {
    const auto at = stream_.tellg();
    std::string word;
    if (more() && stream_ >> word && word == wanted) return true;
    stream_.clear();
    stream_.seekg(at);
    return false;
  }
  bool number_follows() {
    if (!more()) return false;
    const int c = stream_.peek();
    return (c >= '0' && c <= '9') || c == '-';
  }
  std::uint64_t number(const char* expected) {
    const std::string word = next(expected);
    try {
      return std::stoull(word, nullptr, 0);
    } catch (const std::exception&) {
      fail(fmt::format("expected {}, found '{}'", expected, word));
    }
  }
  // "text" with \n, \" and \\.
  std::string quoted() {
    if (!more() || stream_.get() != '"') fail("expected a text in quotes");
    std::string text;
    for (int c; (c = stream_.get()) != '"';) {
      if (c == std::char_traits<char>::eof()) fail("expected a closing quote");
      if (c == '\\') {
        c = stream_.get();
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
      text += static_cast<char>(c);
    }
    return text;
  }
  [[noreturn]] void fail(const std::string& what) const {
    base::fail(ErrorCode::invalid_argument, "{}: {}", where_, what);
  }

 private:
  std::istringstream stream_;
  std::string where_;
};

std::uint64_t real_bits(Type type, double value) {
  return semantics::convert(type, Type::f64, std::bit_cast<std::uint64_t>(value), {});
}

bool is_real(Type type) { return ptx::is_float(type) && ptx::element_count(type) == 1; }

std::uint64_t parse_value(Type type, const std::string& word, const Words& words) {
  try {
    std::size_t used = 0;
    std::uint64_t bits = 0;
    const bool hexadecimal = word.starts_with("0x");
    if (is_real(type) && !hexadecimal) {
      bits = real_bits(type, std::stod(word, &used));
    } else if (word.starts_with("-")) {
      bits = static_cast<std::uint64_t>(std::stoll(word, &used, 0));
    } else {
      bits = std::stoull(word, &used, 0);
    }
    if (used != word.size()) words.fail(fmt::format("'{}' is no value", word));
    return semantics::truncate(type, bits);
  } catch (const std::logic_error&) {
    words.fail(fmt::format("'{}' is no value of this type", word));
  }
}

std::vector<std::uint64_t> special_values(Type type) {
  const unsigned width = ptx::bit_width(type);
  std::vector<std::uint64_t> result;
  if (is_real(type)) {
    const semantics::Format f = semantics::format_of(type);
    const std::uint64_t least = std::uint64_t{1} << f.fraction_bits;
    for (std::uint64_t magnitude :
         {std::uint64_t{0}, std::uint64_t{1}, least - 1, least, f.one() - 1, f.one(), f.one() + 1, f.one() + least / 2,
          f.one() + least, f.max_finite(), f.infinity(), f.infinity() + least / 2})
      for (std::uint64_t sign : {std::uint64_t{0}, f.sign_bit()}) result.push_back(magnitude | sign);
  } else {
    const std::uint64_t half = std::uint64_t{1} << (width - 1);
    for (std::uint64_t base : {std::uint64_t{0}, half})
      for (std::uint64_t d : {0ull, 1ull, 2ull, ~0ull, ~1ull}) result.push_back(semantics::truncate(type, base + d));
  }
  return result;
}

std::vector<std::uint64_t> random_values(Type type, std::uint64_t count, Words& words) {
  std::mt19937_64 random(words.number("a seed"));
  double low = 0, high = 1;
  const bool bounded = words.number_follows();
  if (bounded) {
    low = std::stod(words.next("a lower bound"));
    high = std::stod(words.next("an upper bound"));
  }
  std::vector<std::uint64_t> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    if (is_real(type))
      result.push_back(real_bits(type, low + (high - low) * unit));
    else if (bounded)
      result.push_back(semantics::truncate(
          type, static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(low + (high - low + 1) * unit)))));
    else
      result.push_back(semantics::truncate(type, random()));
  }
  return result;
}

std::vector<std::uint64_t> bit_values(Type type, std::uint64_t count, Words& words, bool special) {
  std::mt19937_64 random(words.number("a seed"));
  std::vector<std::uint64_t> result;
  if (special) result = special_values(type);
  result.resize(std::min<std::size_t>(result.size(), count));
  while (result.size() < count) result.push_back(semantics::truncate(type, random()));
  // Every special value meets every other one when two arguments are shuffled by different seeds.
  if (special) std::shuffle(result.begin(), result.end(), random);
  return result;
}

std::vector<std::uint64_t> iota_values(Type type, std::uint64_t count, Words& words) {
  std::vector<std::uint64_t> result;
  const std::string start = words.next("a start"), step = words.next("a step");
  for (std::uint64_t i = 0; i < count; ++i) {
    if (is_real(type))
      result.push_back(real_bits(type, std::stod(start) + std::stod(step) * static_cast<double>(i)));
    else
      result.push_back(
          semantics::truncate(type, parse_value(Type::s64, start, words) + parse_value(Type::s64, step, words) * i));
  }
  return result;
}

std::vector<std::uint64_t> parse_list(Type type, std::uint64_t count, Words& words) {
  if (words.take("iota")) return iota_values(type, count, words);
  if (words.take("fill")) return std::vector<std::uint64_t>(count, parse_value(type, words.next("a value"), words));
  if (words.take("random")) return random_values(type, count, words);
  if (words.take("bits")) return bit_values(type, count, words, false);
  if (words.take("special")) return bit_values(type, count, words, true);
  std::vector<std::uint64_t> result;
  while (words.more()) {
    const std::string word = words.next("a value");
    const std::size_t times = word.find('*');
    const std::uint64_t repeat = times == std::string::npos ? 1 : std::stoull(word.substr(times + 1));
    result.insert(result.end(), repeat, parse_value(type, word.substr(0, times), words));
  }
  if (result.size() != count) words.fail(fmt::format("{} values; {} are needed", result.size(), count));
  return result;
}

Dim3 parse_extent(Words& words) {
  Dim3 extent;
  extent.x = static_cast<std::uint32_t>(words.number("an extent"));
  if (words.number_follows()) extent.y = static_cast<std::uint32_t>(words.number("an extent"));
  if (words.number_follows()) extent.z = static_cast<std::uint32_t>(words.number("an extent"));
  return extent;
}

void parse_launch(PtxCase& c, Words& words) {
  c.kernel = words.next("a kernel");
  while (words.more()) {
    if (words.take("grid"))
      c.grid = parse_extent(words);
    else if (words.take("block"))
      c.block = parse_extent(words);
    else if (words.take("shared"))
      c.shared = static_cast<std::uint32_t>(words.number("bytes"));
    else if (words.take("cooperative"))
      c.cooperative = true;
    else if (words.take("poison"))
      c.poison = true;
    else if (words.take("check"))
      c.check = true;
    else if (words.take("blocks"))
      c.blocks = BlockRange{words.number("a block"), words.number("a block")};
    else
      words.fail(fmt::format("unknown word '{}' in a launch", words.next("a word")));
  }
}

void parse_argument(PtxCase& c, Words& words) {
  CaseArgument argument;
  argument.name = words.next("a name");
  const bool by_value = words.take("value");
  std::string text = words.next("a type");
  std::uint64_t count = 1;
  const std::size_t bracket = text.find('[');
  if (bracket != std::string::npos) {
    count = std::stoull(text.substr(bracket + 1));
    text.resize(bracket);
    argument.buffer = !by_value;
  }
  const auto type = ptx::type_from_name(text);
  if (!type) words.fail(fmt::format("'{}' is no type", text));
  argument.type = *type;
  argument.values.assign(count, 0);
  if (words.take("="))
    argument.values = parse_list(*type, count, words);
  else if (!argument.buffer)
    words.fail("expected = and a value");
  c.arguments.push_back(std::move(argument));
}

std::optional<ErrorCode> code_from_name(const std::string& text) {
  for (ErrorCode code :
       {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::parse_error, ErrorCode::unsupported,
        ErrorCode::out_of_memory, ErrorCode::kernel_fault, ErrorCode::deadlock})
    if (text == name(code)) return code;
  return std::nullopt;
}

// NAME [TOLERANCE]
Expectation parse_target(PtxCase& c, Words& words, unsigned line) {
  Expectation e;
  e.line = line;
  e.name = words.next("an argument's name");
  if (words.take("ulp")) e.tolerance.ulp = std::stod(words.next("a number"));
  if (words.take("rel")) e.tolerance.relative = std::stod(words.next("a number"));
  if (words.take("abs")) e.tolerance.absolute = std::stod(words.next("a number"));
  const auto argument =
      std::find_if(c.arguments.begin(), c.arguments.end(), [&](const auto& a) { return a.name == e.name; });
  if (argument == c.arguments.end() || !argument->buffer) words.fail(fmt::format("no buffer is called '{}'", e.name));
  return e;
}

void parse_expectation(PtxCase& c, Words& words, unsigned line) {
  if (words.take("error")) {
    const std::string code = words.next("an error code");
    c.error = code_from_name(code);
    if (!c.error) words.fail(fmt::format("'{}' is no error code", code));
    if (words.more()) c.error_text = words.quoted();
    return;
  }
  if (words.take("print")) {
    c.print = c.print.value_or("") + words.quoted();
    return;
  }
  Expectation e = parse_target(c, words, line);
  if (words.take("same-as")) {
    if (!words.take("interp")) words.fail("expected interp");
    e.same_as_interp = true;
  } else {
    if (!words.take("=")) words.fail("expected = or same-as");
    const auto argument =
        std::find_if(c.arguments.begin(), c.arguments.end(), [&](const auto& a) { return a.name == e.name; });
    e.values = parse_list(argument->type, argument->values.size(), words);
  }
  c.expectations.push_back(std::move(e));
}

struct Directive {
  std::string text;
  unsigned line = 0;
};

std::vector<Directive> directives_of(const std::string& source) {
  std::vector<Directive> result;
  std::istringstream lines(source);
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    const std::size_t at = line.find("//:");
    if (at == std::string::npos) continue;
    const std::string text = line.substr(at + 3);
    const std::size_t first = text.find_first_not_of(' ');
    if (first != std::string::npos && text[first] == '+' && !result.empty())
      result.back().text += text.substr(first + 1);
    else
      result.push_back({text, number});
  }
  return result;
}

}  // namespace

std::string PtxCase::name() const { return fmt::format("{}.{}_{}", file.stem().string(), kernel, line); }

bool PtxCase::runs_on(const std::string& device) const {
  return devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end();
}

std::vector<PtxCase> read_cases(const std::filesystem::path& file, bool allow_unrecorded) {
  std::ifstream stream(file);
  if (!stream) base::fail(ErrorCode::not_found, "cannot read {}", file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_cases(text.str(), file, allow_unrecorded);
}

std::vector<PtxCase> parse_cases(const std::string& text, const std::filesystem::path& file, bool allow_unrecorded) {
  std::vector<PtxCase> cases;
  for (const Directive& directive : directives_of(text)) {
    Words words(directive.text, fmt::format("{}:{}", file.string(), directive.line));
    const std::string kind = words.next("a directive");
    if (kind == "launch") {
      PtxCase c;
      c.file = file;
      c.source = text;
      c.line = directive.line;
      parse_launch(c, words);
      cases.push_back(std::move(c));
      continue;
    }
    if (cases.empty()) words.fail("a launch directive must come first");
    PtxCase& c = cases.back();
    if (kind == "arg")
      parse_argument(c, words);
    else if (kind == "expect")
      parse_expectation(c, words, directive.line);
    else if (kind == "record")
      c.recordings.push_back(parse_target(c, words, directive.line));
    else if (kind == "on")
      while (words.more()) c.devices.push_back(words.next("a device"));
    else
      words.fail(fmt::format("unknown directive '{}'", kind));
  }
  for (const PtxCase& c : cases)
    if (c.expectations.empty() && !c.error && !c.print && !(allow_unrecorded && !c.recordings.empty()))
      base::fail(ErrorCode::invalid_argument, "{}:{}: the case expects nothing", file.string(), c.line);
  return cases;
}

std::vector<PtxCase> read_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<PtxCase> result;
  for (const auto& file : files)
    for (PtxCase& c : read_cases(file)) result.push_back(std::move(c));
  return result;
}

namespace {

double real_value(Type type, std::uint64_t bits) {
  return std::bit_cast<double>(semantics::convert(Type::f64, type, bits, {}));
}

// Distance in representable values.
double ulp_distance(const semantics::Format& format, std::uint64_t a, std::uint64_t b) {
  const auto ordinal = [&](std::uint64_t bits) {
    const auto magnitude = static_cast<double>(bits & format.magnitude_mask());
    return bits & format.sign_bit() ? -magnitude : magnitude;
  };
  return std::fabs(ordinal(a) - ordinal(b));
}

bool equal_values(Type type, std::uint64_t got, std::uint64_t want, const Tolerance& tolerance) {
  if (got == want) return true;
  const unsigned lanes = ptx::element_count(type);
  if (lanes > 1 && ptx::is_float(ptx::element(type))) {
    const Type single = ptx::element(type);
    for (unsigned i = 0; i < lanes; ++i) {
      const unsigned shift = i * ptx::bit_width(single);
      if (!equal_values(single, semantics::truncate(single, got >> shift), semantics::truncate(single, want >> shift),
                        tolerance))
        return false;
    }
    return true;
  }
  if (!is_real(type)) return false;
  const semantics::Format format = semantics::format_of(type);
  if (is_nan(format, got) && is_nan(format, want)) return true;
  if (tolerance.ulp > 0 && ulp_distance(format, got, want) <= tolerance.ulp) return true;
  const double g = real_value(type, got), w = real_value(type, want);
  return std::fabs(g - w) <= tolerance.absolute + tolerance.relative * std::fabs(w) &&
         (tolerance.absolute > 0 || tolerance.relative > 0);
}

std::string show(Type type, std::uint64_t bits) {
  if (is_real(type)) return fmt::format("{} ({:#x})", real_value(type, bits), bits);
  if (ptx::is_signed(type))
    return fmt::format("{} ({:#x})", static_cast<std::int64_t>(semantics::extend(type, bits)), bits);
  return fmt::format("{} ({:#x})", bits, bits);
}

}  // namespace

std::string compare(Type type, const std::vector<std::uint64_t>& got, const std::vector<std::uint64_t>& want,
                    const Tolerance& tolerance) {
  std::string text;
  std::size_t differences = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (equal_values(type, got[i], want[i], tolerance)) continue;
    if (++differences <= 5)
      text += fmt::format("\n  [{}] is {}, expected {}", i, show(type, got[i]), show(type, want[i]));
  }
  return differences == 0 ? "" : fmt::format("{} of {} values differ:{}", differences, want.size(), text);
}

}  // namespace heddle::test
