#include "device/interp/printf_format.hpp"

#include <bit>
#include <cstdio>

#include "device/interp/layout.hpp"

namespace heddle::device::interp {
namespace {

// One %... of the format.
struct Conversion {
  std::string flags;  // with width and precision, * replaced by numbers
  std::string length;
  char letter = 0;
};

class Formatter {
 public:
  Formatter(std::string_view format, const PrintfArguments& arguments) : format_(format), arguments_(arguments) {}

  std::string run(int& count) {
    while (at_ < format_.size()) {
      const char c = format_[at_];
      if (c != '%') {
        result_ += c;
        ++at_;
        continue;
      }
      conversion();
    }
    count = count_;
    return std::move(result_);
  }

 private:
  std::uint64_t take(unsigned bytes) {
    offset_ = align_up(offset_, bytes);
    const std::uint64_t value = arguments_.read(offset_, bytes);
    offset_ += bytes;
    ++count_;
    return value;
  }

  // Copies characters of `set`, or a * with its argument.
  void copy(std::string_view set, std::string& to) {
    while (at_ < format_.size()) {
      const char c = format_[at_];
      if (c == '*')
        to += std::to_string(static_cast<std::int32_t>(take(4)));
      else if (set.find(c) != std::string_view::npos)
        to += c;
      else
        return;
      ++at_;
    }
  }

  void conversion() {
    const std::size_t begin = at_++;
    Conversion c;
    copy("-+ #0123456789.", c.flags);
    while (at_ < format_.size() && std::string_view("hlLqjzt").find(format_[at_]) != std::string_view::npos)
      c.length += format_[at_++];
    if (at_ >= format_.size()) {
      result_ += format_.substr(begin);
      return;
    }
    c.letter = format_[at_++];
    if (!emit(c)) result_ += format_.substr(begin, at_ - begin);
  }

  // As many characters as a string may have; without a precision, or with a negative one, any number.
  static std::size_t precision(const std::string& flags) {
    const std::size_t point = flags.find('.');
    if (point == std::string::npos || flags.compare(point, 2, ".-") == 0) return std::string::npos;
    std::size_t digits = 0;
    for (std::size_t i = point + 1; i < flags.size() && flags[i] >= '0' && flags[i] <= '9' && digits < 1'000'000; ++i)
      digits = 10 * digits + static_cast<std::size_t>(flags[i] - '0');
    return digits;
  }

  template <class T>
  void print(const std::string& format, T value) {
    const int size = std::snprintf(nullptr, 0, format.c_str(), value);
    if (size < 0) return;
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), value);
    text.pop_back();
    result_ += text;
  }

  bool emit(const Conversion& c) {
    const std::string start = "%" + c.flags;
    const bool wide = c.length.find_first_of("lLqjzt") != std::string::npos;
    switch (c.letter) {
      case '%': result_ += '%'; return true;
      case 'd':
      case 'i': {
        auto value = static_cast<std::int64_t>(take(wide ? 8 : 4));
        if (!wide) value = static_cast<std::int32_t>(value);
        if (c.length == "h") value = static_cast<std::int16_t>(value);
        if (c.length == "hh") value = static_cast<std::int8_t>(value);
        print(start + "ll" + c.letter, static_cast<long long>(value));
        return true;
      }
      case 'u':
      case 'o':
      case 'x':
      case 'X': {
        std::uint64_t value = take(wide ? 8 : 4);
        if (c.length == "h") value &= 0xffff;
        if (c.length == "hh") value &= 0xff;
        print(start + "ll" + c.letter, static_cast<unsigned long long>(value));
        return true;
      }
      case 'c': print(start + "c", static_cast<int>(take(4))); return true;
      case 'p': print(start + "p", reinterpret_cast<void*>(take(8))); return true;
      case 's': {
        const std::string text = arguments_.string(take(8), precision(c.flags));
        print(start + "s", text.c_str());
        return true;
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A': print(start + c.letter, std::bit_cast<double>(take(8))); return true;
      default: return false;
    }
  }

  std::string_view format_;
  const PrintfArguments& arguments_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
  int count_ = 0;
  std::string result_;
};

}  // namespace

std::string format_kernel_printf(std::string_view format, const PrintfArguments& arguments, int& count) {
  return Formatter(format, arguments).run(count);
}

}  // namespace heddle::device::interp
