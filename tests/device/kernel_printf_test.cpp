#include "device/kernel_printf.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace heddle::device {
namespace {

// The test's own memory is the kernel's.
class HostSource final : public KernelPrintfSource {
 public:
  explicit HostSource(const std::vector<std::byte>& arguments) : arguments_(arguments) {}
  char character(std::uint64_t address) override { return *reinterpret_cast<const char*>(address); }
  std::uint64_t argument(std::uint64_t offset, unsigned bytes) override {
    std::uint64_t value = 0;
    EXPECT_LE(offset + bytes, arguments_.size());
    if (offset + bytes <= arguments_.size()) std::memcpy(&value, arguments_.data() + offset, bytes);
    return value;
  }

 private:
  const std::vector<std::byte>& arguments_;
};

// Lays arguments out as a kernel does.
class Arguments {
 public:
  template <class T>
  Arguments& add(T value) {
    data_.resize((data_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    data_.resize(data_.size() + sizeof(T));
    std::memcpy(data_.data() + data_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  std::string format(const char* text, int taken) const {
    std::string out;
    HostSource source(data_);
    EXPECT_EQ(format_kernel_printf(out, reinterpret_cast<std::uint64_t>(text), source), taken) << text;
    return out;
  }

 private:
  std::vector<std::byte> data_;
};

TEST(KernelPrintf, Conversions) {
  EXPECT_EQ(Arguments().format("plain\n", 0), "plain\n");
  EXPECT_EQ(Arguments().format("100%%", 0), "100%");
  EXPECT_EQ(Arguments().add(-5).add(7u).format("%d %u", 2), "-5 7");
  EXPECT_EQ(Arguments().add(255).add(255).add(8).format("%x %X %o", 3), "ff FF 10");
  EXPECT_EQ(Arguments().add(1).add(1ll << 40).format("%d %lld", 2), "1 1099511627776");
  EXPECT_EQ(Arguments().add(0xdeadbeefcafeull).format("%llx", 1), "deadbeefcafe");
  EXPECT_EQ(Arguments().add(-1l).format("%ld", 1), "-1");
  EXPECT_EQ(Arguments().add(1.5).add(1e10).add(0.0001).format("%f %e %g", 3), "1.500000 1.000000e+10 0.0001");
  EXPECT_EQ(Arguments().add(int{'A'}).format("%c", 1), "A");
  EXPECT_EQ(Arguments().add("text").format("<%s>", 1), "<text>");
  EXPECT_EQ(Arguments().add(reinterpret_cast<void*>(0x1000)).format("%p", 1), "0x1000");
  EXPECT_EQ(Arguments().add(70'000).format("%hd", 1), "4464");
  EXPECT_EQ(Arguments().add(255).add(0x18001).add(~0ll).format("%hhd %hd %ld", 3), "-1 -32767 -1");
  EXPECT_EQ(Arguments().add(5).add(0xfffffffeu).format("%d %u", 2), "5 4294967294");
  EXPECT_EQ(Arguments().add(int{'A'}).add(int{'B'}).format("%c%c", 2), "AB");
  EXPECT_EQ(Arguments().add(1.5).add(100.0).format("%5.2f %e", 2), " 1.50 1.000000e+02");
  EXPECT_EQ(Arguments().add(1).add(1.5).add(1ll << 40).format("%d %Lg %qd", 3), "1 1.5 1099511627776");
}

TEST(KernelPrintf, FlagsWidthsPrecisions) {
  EXPECT_EQ(Arguments().add(42).format("[%5d]", 1), "[   42]");
  EXPECT_EQ(Arguments().add(42).format("[%-5d]", 1), "[42   ]");
  EXPECT_EQ(Arguments().add(42).format("[%05d]", 1), "[00042]");
  EXPECT_EQ(Arguments().add(42).format("[%+d]", 1), "[+42]");
  EXPECT_EQ(Arguments().add(3).add(-3).add(7).format("%-6d|%+d|%05d", 3), "3     |-3|00007");
  EXPECT_EQ(Arguments().add(255).format("%#x", 1), "0xff");
  EXPECT_EQ(Arguments().add(3.14159).format("%.2f", 1), "3.14");
  EXPECT_EQ(Arguments().add(7).add(42).format("[%*d]", 2), "[     42]");
  EXPECT_EQ(Arguments().add(-7).add(42).format("[%*d]", 2), "[42     ]");
  EXPECT_EQ(Arguments().add(1).add(2.25).format("%.*f", 2), "2.2");
  EXPECT_EQ(Arguments().add("abcdef").format("[%.3s]", 1), "[abc]");
  EXPECT_EQ(Arguments().add("ab").format("[%4s]", 1), "[  ab]");
  EXPECT_EQ(Arguments().add("ab").format("[%-4s]", 1), "[ab  ]");
}

TEST(KernelPrintf, Oddities) {
  std::string out;
  const std::vector<std::byte> none;
  HostSource source(none);
  EXPECT_EQ(format_kernel_printf(out, 0, source), -1);
  EXPECT_EQ(out, "");
  EXPECT_EQ(Arguments().format("%", 0), "%");
  EXPECT_EQ(Arguments().format("50%y", 0), "50%y");
  EXPECT_EQ(Arguments().format("%q %", 0), "%q %");
  EXPECT_EQ(Arguments().add(7).format("%-5%%d", 1), "%7");
  EXPECT_EQ(Arguments().add(static_cast<const char*>(nullptr)).format("%s", 1), "(null)");
  // No %n: a kernel shall not write to the host's memory by its format.
  EXPECT_EQ(Arguments().add(0ull).format("%n", 0), "%n");
  EXPECT_EQ(Arguments().add(1).format("%999999999d", 1).size(), 4096u);
  EXPECT_EQ(Arguments().add(1).format("%.999999999d", 1).size(), 4096u);
  // A string is as long as it is; only blanks are cut.
  const std::string text(5000, 'x');
  EXPECT_EQ(Arguments().add(text.c_str()).format("%.6000s", 1), text);
  EXPECT_EQ(Arguments().add("x").format("%999999999s", 1).size(), 4096u);
}

TEST(KernelPrintf, AtMost32Arguments) {
  Arguments arguments;
  std::string format;
  for (int i = 0; i < 40; ++i) {
    arguments.add(i);
    format += "%d ";
  }
  const std::string out = arguments.format(format.c_str(), 32);
  EXPECT_NE(out.find(" 31 0 0 "), std::string::npos);
}

}  // namespace
}  // namespace heddle::device
