#include "device/cpu/printf.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace heddle::device::cpu {
namespace {

constexpr int most_arguments = 32;
// Widths and precisions beyond this are cut: a kernel shall not make the host write megabytes of blanks.
constexpr int widest = 4096;

class ArgumentReader {
 public:
  explicit ArgumentReader(const std::byte* data) : data_(data) {}
  template <class T>
  T next() {
    ++taken_;
    if (taken_ > most_arguments || data_ == nullptr) return T{};
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, data_ + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }
  int taken() const { return taken_ < most_arguments ? taken_ : most_arguments; }

 private:
  const std::byte* data_;
  std::size_t offset_ = 0;
  int taken_ = 0;
};

// One conversion specification, %[flags][width][.precision][size]type.
struct Conversion {
  std::string_view flags;
  int width = -1, precision = -1;
  bool width_argument = false, precision_argument = false;
  unsigned longs = 0;   // number of l
  unsigned shorts = 0;  // number of h
  char type = 0;
};

int read_number(const char*& p) {
  int value = 0;
  for (; *p >= '0' && *p <= '9'; ++p) value = value < widest ? value * 10 + (*p - '0') : widest;
  return value;
}

// Reads what follows a %; false when it is no conversion.
bool read_conversion(const char*& p, Conversion& c) {
  const char* flags = p;
  while (*p != 0 && std::strchr("#+-0 ", *p) != nullptr) ++p;
  c.flags = {flags, static_cast<std::size_t>(p - flags)};
  if (*p == '*') {
    c.width_argument = true;
    ++p;
  } else if (*p >= '0' && *p <= '9') {
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
  for (;; ++p) {
    if (*p == 'l') {
      ++c.longs;
    } else if (*p == 'h') {
      ++c.shorts;
    } else if (*p == 'z' || *p == 'j' || *p == 't') {
      c.longs = 1;
    } else {
      break;
    }
  }
  c.type = *p;
  if (c.type == 0 || std::strchr("diouxXcsSpeEfFgGaA", c.type) == nullptr) return false;
  ++p;
  return true;
}

// Calls snprintf with a format rebuilt from the parsed parts, so that nothing of the kernel's text is trusted.
template <class T>
void append(std::string& out, const Conversion& c, const char* size, char type, T value) {
  std::array<char, 32> format{};
  char* f = format.data();
  *f++ = '%';
  for (const char flag : std::string_view("#+-0 "))
    if (c.flags.find(flag) != std::string_view::npos) *f++ = flag;
  *f++ = '*';
  *f++ = '.';
  *f++ = '*';
  for (; *size != 0; ++size) *f++ = *size;
  *f++ = type;
  std::array<char, 128> small{};
  const int width = c.width < 0 ? 0 : c.width;  // a negative precision counts as none given
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(small.data(), small.size(), format.data(), width, c.precision, value);
  if (length < 0) return;
  if (static_cast<std::size_t>(length) < small.size()) {
    out.append(small.data(), static_cast<std::size_t>(length));
    return;
  }
  const std::size_t start = out.size();
  out.resize(start + static_cast<std::size_t>(length) + 1);
  std::snprintf(out.data() + start, static_cast<std::size_t>(length) + 1, format.data(), width, c.precision, value);
#pragma GCC diagnostic pop
  out.pop_back();
}

void append_string(std::string& out, const Conversion& c, const char* text, const BeforeRead& before_read) {
  const bool given = text != nullptr;
  if (!given) text = "(null)";
  // Read byte by byte: the string may end just before memory that is not there.
  const std::size_t start = out.size();
  for (int i = 0; c.precision < 0 || i < c.precision; ++i) {
    if (given && before_read) before_read(text);
    if (*text == 0) break;
    out.push_back(*text++);
  }
  const std::size_t length = out.size() - start;
  const auto width = static_cast<std::size_t>(c.width < 0 ? 0 : c.width);
  if (length >= width) return;
  if (c.flags.find('-') != std::string_view::npos) {
    out.append(width - length, ' ');
  } else {
    out.insert(start, width - length, ' ');
  }
}

void append_integer(std::string& out, const Conversion& c, ArgumentReader& arguments) {
  const bool is_signed = c.type == 'd' || c.type == 'i';
  if (c.longs != 0) {  // long and long long are both 64 bits on the systems that kernels are compiled for
    if (is_signed) {
      append(out, c, "ll", c.type, arguments.next<long long>());
    } else {
      append(out, c, "ll", c.type, arguments.next<unsigned long long>());
    }
    return;
  }
  const int value = arguments.next<int>();
  const char* size = c.shorts == 0 ? "" : c.shorts == 1 ? "h" : "hh";
  if (is_signed) {
    append(out, c, size, c.type, value);
  } else {
    append(out, c, size, c.type, static_cast<unsigned>(value));
  }
}

void append_conversion(std::string& out, Conversion& c, ArgumentReader& arguments, const BeforeRead& before_read) {
  std::string negative_flags;
  if (c.width_argument) {
    const int given = arguments.next<int>();
    c.width = given < -widest || given > widest ? widest : given;
    if (c.width < 0) {  // as C has it: a minus flag and a width
      negative_flags = std::string(c.flags) + "-";
      c.flags = negative_flags;
      c.width = -c.width;
    }
  }
  if (c.precision_argument) {
    const int given = arguments.next<int>();
    c.precision = given > widest ? widest : given;
  }
  switch (c.type) {
    case 'c': append(out, c, "", 'c', arguments.next<int>()); break;
    case 's':
    case 'S': append_string(out, c, arguments.next<const char*>(), before_read); break;
    case 'p': append(out, c, "", 'p', arguments.next<const void*>()); break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': append_integer(out, c, arguments); break;
    default: append(out, c, "", c.type, arguments.next<double>()); break;
  }
}

}  // namespace

int format_kernel_printf(std::string& out, const char* format, const std::byte* argument_data,
                         const BeforeRead& before_read) {
  if (format == nullptr) return -1;
  if (before_read) {
    const char* last = format;
    do before_read(last);
    while (*last++ != 0);
  }
  ArgumentReader arguments(argument_data);
  for (const char* p = format; *p != 0;) {
    if (*p != '%') {
      out.push_back(*p++);
      continue;
    }
    const char* start = p++;
    if (*p == '%') {
      out.push_back('%');
      ++p;
      continue;
    }
    Conversion conversion;
    if (read_conversion(p, conversion)) {
      append_conversion(out, conversion, arguments, before_read);
    } else {
      out.append(start, static_cast<std::size_t>(p - start));
    }
  }
  return arguments.taken();
}

}  // namespace heddle::device::cpu
