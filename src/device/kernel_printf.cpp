#include "device/kernel_printf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace heddle::device {
namespace {

constexpr int most_arguments = 32;
// Widths and precisions beyond this are cut: a kernel shall not make the host write megabytes of blanks.
constexpr int widest = 4096;
constexpr int largest_number = 1'000'000'000;
constexpr std::string_view all_flags = "#+-0 ";

class ArgumentReader {
 public:
  explicit ArgumentReader(KernelPrintfSource& source) : source_(source) {}
  std::int32_t word() { return static_cast<std::int32_t>(next(4)); }
  std::uint64_t long_word() { return next(8); }
  int taken() const { return std::min(taken_, most_arguments); }

 private:
  std::uint64_t next(unsigned bytes) {
    if (++taken_ > most_arguments) return 0;
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = source_.argument(offset_, bytes);
    offset_ += bytes;
    return value;
  }

  KernelPrintfSource& source_;
  std::uint64_t offset_ = 0;
  int taken_ = 0;
};

// A place in the format, and the character there.
class Cursor {
 public:
  Cursor(KernelPrintfSource& source, std::uint64_t at) : source_(source), at_(at), here_(source.character(at)) {}
  char operator*() const { return here_; }
  void operator++() { here_ = source_.character(++at_); }
  std::uint64_t at() const { return at_; }
  bool is_digit() const { return here_ >= '0' && here_ <= '9'; }

 private:
  KernelPrintfSource& source_;
  std::uint64_t at_;
  char here_;
};

// One conversion specification, %[flags][width][.precision][size]type.
struct Conversion {
  std::array<bool, all_flags.size()> flags{};
  int width = -1, precision = -1;
  bool width_argument = false, precision_argument = false;
  unsigned longs = 0;   // number of l, or another size that stands for 64 bits
  unsigned shorts = 0;  // number of h
  char type = 0;

  bool& left() { return flags[all_flags.find('-')]; }
  bool left() const { return flags[all_flags.find('-')]; }
};

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

int read_number(Cursor& p) {
  int value = 0;
  for (; p.is_digit(); ++p) value = value < largest_number / 10 ? value * 10 + (*p - '0') : largest_number;
  return value;
}

void read_size(Cursor& p, Conversion& c) {
  for (;; ++p) {
    if (*p == 'h') {
      ++c.shorts;
    } else if (is_one_of(*p, "lLqjzt")) {
      ++c.longs;
    } else {
      return;
    }
  }
}

// Reads what follows a %; false when it is no conversion.
bool read_conversion(Cursor& p, Conversion& c) {
  for (; is_one_of(*p, all_flags); ++p) c.flags[all_flags.find(*p)] = true;
  if (*p == '*') {
    c.width_argument = true;
    ++p;
  } else if (p.is_digit()) {
    c.width = read_number(p);
  }
  if (*p == '.') {
    ++p;
    if (*p == '*') {
      c.precision_argument = true;
      ++p;
    } else {
      c.precision = read_number(p);
    }
  }
  read_size(p, c);
  c.type = *p;
  if (!is_one_of(c.type, "%diouxXcsSpeEfFgGaA")) return false;
  ++p;
  return true;
}

// Calls snprintf with a format rebuilt from the parsed parts, so that nothing of the kernel's text is trusted.
template <class T>
void append(std::string& out, const Conversion& c, const char* size, char type, T value) {
  std::array<char, 32> format{};
  char* f = format.data();
  *f++ = '%';
  for (std::size_t i = 0; i < all_flags.size(); ++i)
    if (c.flags[i]) *f++ = all_flags[i];
  *f++ = '*';
  *f++ = '.';
  *f++ = '*';
  for (; *size != 0; ++size) *f++ = *size;
  *f++ = type;
  std::array<char, 128> small{};
  // A negative precision counts as none given.
  const int width = std::clamp(c.width, 0, widest), precision = std::min(c.precision, widest);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(small.data(), small.size(), format.data(), width, precision, value);
  if (length < 0) return;
  if (static_cast<std::size_t>(length) < small.size()) {
    out.append(small.data(), static_cast<std::size_t>(length));
    return;
  }
  const std::size_t start = out.size();
  out.resize(start + static_cast<std::size_t>(length) + 1);
  std::snprintf(out.data() + start, static_cast<std::size_t>(length) + 1, format.data(), width, precision, value);
#pragma GCC diagnostic pop
  out.pop_back();
}

void append_string(std::string& out, const Conversion& c, std::uint64_t text, KernelPrintfSource& source) {
  constexpr std::string_view nothing{"(null)\0", 7};
  // Read byte by byte: the string may end just before memory that is not there.
  const std::size_t start = out.size();
  for (int i = 0; c.precision < 0 || i < c.precision; ++i) {
    const char letter =
        text == 0 ? nothing[static_cast<std::size_t>(i)] : source.character(text + static_cast<std::uint64_t>(i));
    if (letter == 0) break;
    out.push_back(letter);
  }
  const std::size_t length = out.size() - start;
  const auto width = static_cast<std::size_t>(std::clamp(c.width, 0, widest));
  if (length >= width) return;
  if (c.left()) {
    out.append(width - length, ' ');
  } else {
    out.insert(start, width - length, ' ');
  }
}

void append_integer(std::string& out, const Conversion& c, ArgumentReader& arguments) {
  const bool is_signed = c.type == 'd' || c.type == 'i';
  if (c.longs != 0) {  // long and long long are both 64 bits on the systems that kernels are compiled for
    const unsigned long long value = arguments.long_word();
    if (is_signed) {
      append(out, c, "ll", c.type, static_cast<long long>(value));
    } else {
      append(out, c, "ll", c.type, value);
    }
    return;
  }
  const int value = arguments.word();
  const char* size = c.shorts == 0 ? "" : c.shorts == 1 ? "h" : "hh";
  if (is_signed) {
    append(out, c, size, c.type, value);
  } else {
    append(out, c, size, c.type, static_cast<unsigned>(value));
  }
}

void append_conversion(std::string& out, Conversion& c, ArgumentReader& arguments, KernelPrintfSource& source) {
  if (c.width_argument) {
    const int given = arguments.word();
    if (given < 0) c.left() = true;  // as C has it: a minus flag and a width
    c.width = given < -widest ? widest : given < 0 ? -given : given;
  }
  if (c.precision_argument) c.precision = arguments.word();
  switch (c.type) {
    case '%': out.push_back('%'); break;
    case 'c': append(out, c, "", 'c', static_cast<int>(arguments.word())); break;
    case 's':
    case 'S': append_string(out, c, arguments.long_word(), source); break;
    case 'p': append(out, c, "", 'p', reinterpret_cast<const void*>(arguments.long_word())); break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': append_integer(out, c, arguments); break;
    default: append(out, c, "", c.type, std::bit_cast<double>(arguments.long_word())); break;
  }
}

}  // namespace

int format_kernel_printf(std::string& out, std::uint64_t format, KernelPrintfSource& source) {
  if (format == 0) return -1;
  ArgumentReader arguments(source);
  for (Cursor p(source, format); *p != 0;) {
    if (*p != '%') {
      out.push_back(*p);
      ++p;
      continue;
    }
    const std::uint64_t start = p.at();
    ++p;
    Conversion conversion;
    if (read_conversion(p, conversion)) {
      append_conversion(out, conversion, arguments, source);
    } else {
      for (std::uint64_t at = start; at < p.at(); ++at) out.push_back(source.character(at));
    }
  }
  return arguments.taken();
}

int write_kernel_output(std::FILE* file, std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size()) return 0;
  const int error = errno;
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO ? error : 0;
}

}  // namespace heddle::device
