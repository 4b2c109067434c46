#include "base/npy.hpp"

#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstring>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/format.hpp"

namespace heddle::base {
namespace {

static_assert(std::endian::native == std::endian::little, "files and arrays are little-endian here");

struct TypeRow {
  NpyType type;
  std::string_view name, descr;  // ours, and NumPy's without the byte order
  std::size_t bytes;
};
constexpr std::array<TypeRow, 14> types = {{{NpyType::b1, "b1", "b1", 1},
                                            {NpyType::i8, "i8", "i1", 1},
                                            {NpyType::i16, "i16", "i2", 2},
                                            {NpyType::i32, "i32", "i4", 4},
                                            {NpyType::i64, "i64", "i8", 8},
                                            {NpyType::u8, "u8", "u1", 1},
                                            {NpyType::u16, "u16", "u2", 2},
                                            {NpyType::u32, "u32", "u4", 4},
                                            {NpyType::u64, "u64", "u8", 8},
                                            {NpyType::f16, "f16", "f2", 2},
                                            {NpyType::f32, "f32", "f4", 4},
                                            {NpyType::f64, "f64", "f8", 8},
                                            {NpyType::c64, "c64", "c8", 8},
                                            {NpyType::c128, "c128", "c16", 16}}};

const TypeRow& row(NpyType type) { return types[static_cast<std::size_t>(type)]; }

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_dimensions = 32;  // NumPy's own limit

// The product of the shape and the element size, or nothing when that is no size_t.
std::optional<std::uint64_t> checked_bytes(const NpyArray& array) {
  std::uint64_t total = byte_size(array.type);
  for (const std::uint64_t extent : array.shape) {
    if (__builtin_mul_overflow(total, extent, &total)) return std::nullopt;
  }
  return total;
}

// Reads the header: a Python dictionary literal with the keys descr, fortran_order and shape.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  NpyArray parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      value_of(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) bad("there is text after its closing brace");
    if (!have_descr_ || !have_order_ || !have_shape_) bad("it lacks one of descr, fortran_order and shape");
    if (fortran_ && array_.shape.size() > 1) {
      fail(ErrorCode::unsupported,
           "{} is in Fortran (column-major) order; save it in C order, with numpy.ascontiguousarray", where_);
    }
    return std::move(array_);
  }

 private:
  [[noreturn]] void bad(std::string_view what) const {
    fail(ErrorCode::invalid_argument, "{} has a bad .npy header: {}", where_, what);
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad(fmt::format("'{}' expected at byte {}", c, at_));
  }
  std::string_view string() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
      bad(fmt::format("a quoted string expected at byte {}", at_));
    }
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) bad("a string does not end");
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }
  void value_of(std::string_view key) {
    if (key == "descr") {
      skip_space();
      if (at_ < text_.size() && text_[at_] == '[') {
        fail(ErrorCode::unsupported, "{} holds records with named fields; only arrays of plain numbers are read",
             where_);
      }
      descr(string());
    } else if (key == "fortran_order") {
      boolean();
    } else if (key == "shape") {
      shape();
    } else {
      bad(fmt::format("the key '{}' is unknown", key));
    }
  }
  void descr(std::string_view text) {
    have_descr_ = true;
    if (text.size() < 2) bad(fmt::format("the type '{}' is unknown", text));
    const char order = text[0];
    for (const TypeRow& candidate : types) {
      if (candidate.descr != text.substr(1)) continue;
      if (order == '>' && candidate.bytes > 1) {
        fail(ErrorCode::unsupported, "{} is big-endian ('{}'); save it with a little-endian type", where_, text);
      }
      if (order != '<' && order != '|' && order != '=' && order != '>') break;
      array_.type = candidate.type;
      return;
    }
    fail(ErrorCode::unsupported,
         "{} holds elements of type '{}'; only booleans, integers, floats and complex numbers "
         "are read",
         where_, text);
  }
  void boolean() {
    skip_space();
    have_order_ = true;
    for (const bool candidate : {false, true}) {
      const std::string_view word = candidate ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      fortran_ = candidate;
      at_ += word.size();
      return;
    }
    bad("fortran_order is neither True nor False");
  }
  void shape() {
    expect('(');
    have_shape_ = true;
    array_.shape.clear();
    while (!accept(')')) {
      if (array_.shape.size() == max_dimensions) bad(fmt::format("more than {} dimensions", max_dimensions));
      array_.shape.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }
  std::uint64_t number() {
    skip_space();
    const std::size_t start = at_;
    std::uint64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(text_[at_] - '0'), &value)) {
        bad("an extent is too large");
      }
      ++at_;
    }
    if (at_ == start) bad(fmt::format("a number expected at byte {}", start));
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }

  std::string_view text_, where_;
  std::size_t at_ = 0;
  bool have_descr_ = false, have_order_ = false, have_shape_ = false, fortran_ = false;
  NpyArray array_;
};

}  // namespace

std::size_t byte_size(NpyType type) { return row(type).bytes; }
std::string_view name(NpyType type) { return row(type).name; }

std::optional<NpyType> npy_type_from_name(std::string_view text) {
  for (const TypeRow& candidate : types) {
    if (candidate.name == text) return candidate.type;
  }
  return std::nullopt;
}

std::uint64_t NpyArray::count() const {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : shape) product *= extent;
  return product;
}

std::string NpyArray::shape_text() const { return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, "x")); }

namespace {

struct Header {
  NpyArray array;  // without its data
  std::size_t data_at = 0;
};

// `text` has at least the header of the file, which has `size` bytes.
Header parse_header(std::string_view text, std::uint64_t size, std::string_view where) {
  if (text.size() < magic.size() + 4 || text.substr(0, magic.size()) != magic) {
    fail(ErrorCode::invalid_argument, "{} is no .npy file: it does not begin with \\x93NUMPY", where);
  }
  const unsigned major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3) fail(ErrorCode::unsupported, "{} has .npy version {}; 1 to 3 are known", where, major);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t header_at = magic.size() + 2 + length_bytes;
  if (text.size() < header_at) fail(ErrorCode::invalid_argument, "{} is cut short within its header", where);
  std::uint32_t header_length = 0;
  std::memcpy(&header_length, text.data() + 8, length_bytes);
  if (header_length > text.size() - header_at) {
    fail(ErrorCode::invalid_argument, "{} is cut short within its header", where);
  }
  Header header{HeaderParser(text.substr(header_at, header_length), where).parse(), header_at + header_length};
  const NpyArray& array = header.array;
  const std::uint64_t there = size - header.data_at;
  const std::optional<std::uint64_t> needed = checked_bytes(array);
  if (!needed || *needed != there) {
    fail(ErrorCode::invalid_argument, "{} says {} elements of type {} ({}) but holds {} of data", where,
         array.shape_text(), name(array.type), needed ? counted(*needed, "byte") : "too many bytes",
         counted(there, "byte"));
  }
  return header;
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Header header = parse_header(text, text.size(), where);
  header.array.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header.data_at), bytes.end());
  return std::move(header.array);
}

NpyArray read_npy_header(const std::filesystem::path& path) {
  constexpr std::size_t longest_header = 1 << 20;
  const std::string beginning = read_beginning(path, longest_header);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  return parse_header(beginning, error ? beginning.size() : size, path.string()).array;
}

NpyArray read_npy(const std::filesystem::path& path) {
  // A file that is not an array, or whose length differs from what its header says, may be too long to be read.
  read_npy_header(path);
  const std::string content = read_file(path, most_file_bytes);
  return parse_npy(std::as_bytes(std::span(content.data(), content.size())), path.string());
}

std::string format_npy(const NpyArray& array) {
  const std::optional<std::uint64_t> needed = checked_bytes(array);
  if (!needed || *needed != array.data.size()) {
    fail(ErrorCode::invalid_argument, "an array of {} elements of type {} with {} of data", array.shape_text(),
         name(array.type), counted(array.data.size(), "byte"));
  }
  std::string shape;
  for (const std::uint64_t extent : array.shape) shape += std::to_string(extent) + ", ";
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   byte_size(array.type) == 1 ? '|' : '<', row(array.type).descr, shape);
  // The data begin at a multiple of 64 bytes; the header ends with a newline.
  const std::size_t before = magic.size() + 4;
  const std::size_t unpadded = before + header.size() + 1;
  header += std::string((64 - unpadded % 64) % 64, ' ') + '\n';
  std::string out(magic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return out;
}

void write_npy(const std::filesystem::path& path, const NpyArray& array) { write_users_file(path, format_npy(array)); }

}  // namespace heddle::base
