#include "cli/launch_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/nearest.hpp"
#include "cli/command.hpp"

namespace heddle::cli {
namespace {

struct Unsigned {
  std::uint64_t value = 0;
  bool beyond = false;  // larger than 64 bits hold; `value` is the largest number
};

std::optional<Unsigned> parse_unsigned(std::string_view text) {
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return Unsigned{std::numeric_limits<std::uint64_t>::max(), true};
  return Unsigned{value};
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find_first_of(separators);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <typename T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

[[noreturn]] void bad_argument(std::string_view text, std::string_view why) {
  throw UsageError(
      fmt::format("{}: {}{} Forms: i8|i16|i32|i64|u8|u16|u32|u64:NUMBER, f32|f64:NUMBER, hex:BYTES (structures), "
                  "null, in:FILE.npy, "
                  "inout:FILE.npy, out:FILE.npy:TYPE:SHAPE, zeros:TYPE:SHAPE (TYPE as f32, SHAPE as 1024x768)",
                  text, why, why.ends_with('?') ? "" : "."));
}

void parse_integer(std::string_view text, std::string_view number, bool is_signed, unsigned bits, ArgumentText& out) {
  const bool negative = !number.empty() && number[0] == '-';
  const auto magnitude = parse_unsigned(negative ? number.substr(1) : number);
  if (!magnitude) bad_argument(text, fmt::format("'{}' is no whole number", number));
  const std::uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  // Positive numbers of a signed type may use all bits when written in hexadecimal: a bit pattern.
  const bool pattern = number.substr(0, 2) == "0x" || number.substr(0, 2) == "0X";
  const std::uint64_t limit = negative ? (1ull << (bits - 1)) : (is_signed && !pattern ? all >> 1 : all);
  if ((negative && !is_signed) || magnitude->beyond || magnitude->value > limit) {
    bad_argument(text, fmt::format("{} does not fit {}{}", number, is_signed ? "i" : "u", bits));
  }
  const std::vector<std::byte> bytes = bytes_of(negative ? 0 - magnitude->value : magnitude->value);
  out.value.assign(bytes.begin(), bytes.begin() + bits / 8);
}

template <typename T>
std::vector<std::byte> real_bytes(std::string_view text, std::string_view number) {
  T value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool whole = end == number.data() + number.size() && !number.empty();
  if (error == std::errc::result_out_of_range && whole)
    bad_argument(text, fmt::format("{} is out of the range of f{}", number, 8 * sizeof(T)));
  if (error != std::errc() || !whole) bad_argument(text, fmt::format("'{}' is no number", number));
  return bytes_of(value);
}

void parse_real(std::string_view text, std::string_view number, unsigned bits, ArgumentText& out) {
  out.scalar_kind = Argument::Kind::floating;
  out.value = bits == 64 ? real_bytes<double>(text, number) : real_bytes<float>(text, number);
}

void parse_hex(std::string_view text, std::string_view digits, ArgumentText& out) {
  if (digits.empty() || digits.size() % 2 != 0) bad_argument(text, "bytes take two hexadecimal digits each");
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (error != std::errc() || end != digits.data() + i + 2) {
      bad_argument(text, fmt::format("'{}' is no hexadecimal byte", digits.substr(i, 2)));
    }
    out.value.push_back(static_cast<std::byte>(byte));
  }
  out.kind = ArgumentText::Kind::bytes;
  out.scalar_kind = Argument::Kind::structure;
}

// "f32:1024x768"
void parse_type_and_shape(std::string_view text, std::string_view rest, ArgumentText& out) {
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) bad_argument(text, "a type and a shape are wanted, as in f32:1024");
  const auto type = base::npy_type_from_name(rest.substr(0, colon));
  if (!type) bad_argument(text, fmt::format("'{}' is no element type", rest.substr(0, colon)));
  out.type = *type;
  std::uint64_t total = base::byte_size(*type);
  for (const std::string_view part : split(rest.substr(colon + 1), "x,")) {
    const auto extent = parse_unsigned(part);
    if (!extent) bad_argument(text, fmt::format("'{}' is no extent", part));
    if (extent->beyond || __builtin_mul_overflow(total, extent->value, &total) || total > (1ull << 48))
      bad_argument(text, "that is too large");
    out.shape.push_back(extent->value);
  }
}

// A result never replaces its input unasked.
std::filesystem::path result_name(const ArgumentText& argument) {
  if (argument.kind == ArgumentText::Kind::inout) return argument.file.stem().string() + ".out.npy";
  return argument.kind == ArgumentText::Kind::out ? argument.file : std::filesystem::path();
}

// The same for all spellings of a file, whether or not it is there.
std::filesystem::path resolved(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::path result = std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  return error ? file.lexically_normal() : result;
}

}  // namespace

Dim3 parse_shape(std::string_view text, std::string_view option, const Dim3& most) {
  const std::vector<std::string_view> parts = split(text, "xX,");
  std::uint64_t extents[3] = {1, 1, 1};
  bool good = parts.size() <= 3;
  for (std::size_t i = 0; good && i < parts.size(); ++i) {
    const auto extent = parse_unsigned(parts[i]);
    good = extent && extent->value > 0;
    if (good) extents[i] = extent->value;
  }
  if (!good) {
    throw UsageError(
        fmt::format("{} {}: a shape is one to three positive numbers, as in 4096, 64x32 or 8,8,4", option, text));
  }
  if (extents[0] > most.x || extents[1] > most.y || extents[2] > most.z)
    throw UsageError(
        fmt::format("{} {}: that is too large; x is at most {}, y {} and z {}", option, text, most.x, most.y, most.z));
  const auto narrow = [](std::uint64_t extent) { return static_cast<std::uint32_t>(extent); };
  return {narrow(extents[0]), narrow(extents[1]), narrow(extents[2])};
}

BlockRange parse_blocks(std::string_view text, const Dim3& grid) {
  const std::vector<std::string_view> parts = split(text, ":");
  const auto begin = parse_unsigned(parts.front()), end = parse_unsigned(parts.back());
  if (parts.size() != 2 || !begin || !end || begin->value > end->value)
    throw UsageError(fmt::format("--blocks {}: a range is BEGIN:END, as in 0:100 for the first hundred blocks", text));
  if (end->value > grid.count())
    throw UsageError(
        fmt::format("--blocks {}: blocks {} to {} are not part of a grid of {}, which --grid gives; END is "
                    "at most {}",
                    text, parts[0], parts[1], base::counted(grid.count(), "block"), grid.count()));
  return {begin->value, end->value};
}

std::vector<unsigned> parse_processors(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    throw UsageError(fmt::format("--sms {}: {}; SMs are given by number, ascending, as in 0-31 or 0,1,6-9", text, why));
  };
  constexpr std::uint64_t most = 4096;
  std::vector<unsigned> processors;
  for (const std::string_view part : split(text, ",")) {
    const std::vector<std::string_view> ends = split(part, "-");
    const auto first = parse_unsigned(ends.front()), last = parse_unsigned(ends.back());
    if (ends.size() > 2 || !first || !last) refuse(fmt::format("'{}' is neither a number nor a range", part));
    if (last->value < first->value || last->value >= most) refuse(fmt::format("{} is no range of SMs", part));
    if (!processors.empty() && first->value <= processors.back()) refuse(fmt::format("{} does not ascend", part));
    for (std::uint64_t i = first->value; i <= last->value; ++i) processors.push_back(static_cast<unsigned>(i));
  }
  return processors;
}

namespace {

ArgumentText parse_form(std::string_view text) {
  ArgumentText out;
  if (text == "null") {
    out.kind = ArgumentText::Kind::null;
    return out;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) bad_argument(text, "it has no ':'");
  const std::string_view form = text.substr(0, colon), rest = text.substr(colon + 1);
  if (form == "hex") {
    parse_hex(text, rest, out);
  } else if (form == "in" || form == "inout") {
    out.kind = form == "in" ? ArgumentText::Kind::in : ArgumentText::Kind::inout;
    if (rest.empty()) bad_argument(text, "the file is missing");
    out.file = rest;
  } else if (form == "zeros") {
    out.kind = ArgumentText::Kind::zeros;
    parse_type_and_shape(text, rest, out);
  } else if (form == "out") {
    out.kind = ArgumentText::Kind::out;
    // From the right, since a path may have colons.
    const std::size_t shape = rest.rfind(':');
    const std::size_t type = shape == std::string_view::npos || shape == 0 ? shape : rest.rfind(':', shape - 1);
    if (type == std::string_view::npos || type == 0) bad_argument(text, "a file, a type and a shape are wanted");
    out.file = rest.substr(0, type);
    parse_type_and_shape(text, rest.substr(type + 1), out);
  } else if (form == "f32" || form == "f64") {
    parse_real(text, rest, form == "f64" ? 64 : 32, out);
  } else {
    const bool is_integer = form.size() >= 2 && (form[0] == 'i' || form[0] == 'u');
    const std::uint64_t bits = is_integer ? parse_unsigned(form.substr(1)).value_or(Unsigned()).value : 0;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      static const std::vector<std::string> forms{"i8",  "i16", "i32", "i64", "u8",  "u16",   "u32",  "u64",
                                                  "f32", "f64", "hex", "in",  "out", "inout", "zeros"};
      bad_argument(text, fmt::format("'{}' is no known form{}", form, base::did_you_mean(form, forms)));
    }
    parse_integer(text, rest, form[0] == 'i', static_cast<unsigned>(bits), out);
  }
  return out;
}

}  // namespace

ArgumentText parse_argument(std::string_view text, std::string_view said_by) {
  try {
    return parse_form(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} {}", said_by, error.what()));
  }
}

ElementType element_of(base::NpyType type) {
  using base::NpyType;
  switch (type) {
    case NpyType::b1:
    case NpyType::i8:
    case NpyType::u8: return ElementType::unknown;  // bytes
    case NpyType::i16:
    case NpyType::u16: return ElementType::i16;
    case NpyType::i32:
    case NpyType::u32: return ElementType::i32;
    case NpyType::i64:
    case NpyType::u64: return ElementType::i64;
    case NpyType::f16: return ElementType::f16;
    case NpyType::f32: return ElementType::f32;
    case NpyType::f64: return ElementType::f64;
    case NpyType::c64:
    case NpyType::c128: return ElementType::other;
  }
  return ElementType::unknown;
}

std::vector<std::filesystem::path> result_files(std::span<const std::string> texts,
                                                std::span<const ArgumentText> arguments,
                                                const std::filesystem::path& folder, const ResultNames& names) {
  std::vector<std::filesystem::path> files(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::filesystem::path name = result_name(arguments[i]);
    if (name.empty()) continue;
    files[i] = folder.empty() ? name : folder / name;
    for (std::size_t k = 0; k < i; ++k) {
      if (files[k].empty() || resolved(files[k]) != resolved(files[i])) continue;
      base::fail(ErrorCode::invalid_argument,
                 "{0} {1} and {0} {2} would both write {3}, and one result would be lost. The result of out:FILE goes "
                 "to FILE, that of inout:NAME.npy to NAME.out.npy{4}: give each another name",
                 names.argument, texts[k], texts[i], files[i].string(),
                 folder.empty() ? " in the working folder" : ", both in " + names.folder);
    }
  }
  return files;
}

}  // namespace heddle::cli
