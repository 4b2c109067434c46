// Loads, stores and atomics at addresses of all shapes.
#include <algorithm>
#include <bit>

#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

// A 32-bit register with a value below `count`.
std::string Writer::index(const Scope& scope, std::string& text, unsigned count) {
  if (count >= 16 && random_.chance(count >= 256 ? 60 : 25)) return affine_index(scope, text, count);
  const std::string t = temp(Type::b32), source = read(scope, Type::u32);
  if (!std::has_single_bit(count)) {
    line(text, "rem.u32 {}, {}, {};", t, source, count);
    return t;
  }
  const unsigned bits = static_cast<unsigned>(std::countr_zero(count));
  switch (random_.below(bits == 0 ? 2 : 6)) {
    case 0: line(text, "and.b32 {}, {}, {};", t, source, count - 1); break;
    case 1: line(text, "mov.b32 {}, {};", t, random_.below(count)); break;
    case 2: line(text, "bfe.u32 {}, {}, {}, {};", t, source, random_.below(32 - bits), bits); break;
    case 3: line(text, "shr.u32 {}, {}, {};", t, source, 32 - bits); break;
    case 4: line(text, "min.u32 {}, {}, {};", t, source, count - 1); break;
    default: {
      const std::string wide = temp(Type::b64);
      line(text, "and.b64 {}, {}, {};", wide, read(scope, Type::b64), count - 1);
      line(text, "cvt.u32.u64 {}, {};", t, wide);
      break;
    }
  }
  return t;
}

// A sum of multiples of thread and loop numbers and a constant, below `count`, perhaps with a detour beyond 2^31.
std::string Writer::affine_index(const Scope& scope, std::string& text, unsigned count) {
  std::vector<Known> terms = scope.known;
  const std::string u = temp(Type::b32);
  line(text, "and.b32 {}, {}, 3;", u, read_uniform(Type::b32));
  terms.push_back({u, 3});
  std::string sum;
  std::int64_t low = 0, high = 0;
  const auto detour = static_cast<std::uint32_t>(random_.chance(20) ? random_.bits() : 0);
  for (unsigned i = 1 + random_.below(3); i > 0; --i) {
    const Known& term = random_.pick(terms);
    const std::int64_t room = static_cast<std::int64_t>(count) - 1 - (high - low);
    const std::int64_t most = term.most == 0 ? 4 : std::min<std::int64_t>(room / term.most, 5);
    if (most <= 0) continue;
    const std::int64_t factor = random_.chance(40) ? 1 : random_.between(-most, most);
    const std::string next = temp(Type::b32);
    if (factor == 1 && sum.empty() && detour == 0)
      line(text, "mov.u32 {}, {};", next, term.name);
    else if (factor == 1 && !sum.empty())
      line(text, "add.s32 {}, {}, {};", next, sum, term.name);
    else if (factor == -1 && !sum.empty())
      line(text, "sub.s32 {}, {}, {};", next, sum, term.name);
    else
      line(text, "mad.lo.s32 {}, {}, {}, {};", next, term.name, factor, sum.empty() ? std::to_string(detour) : sum);
    (factor < 0 ? low : high) += factor * term.most;
    sum = next;
  }
  const std::string t = temp(Type::b32);
  const std::int64_t start =
      -low + static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(count - (high - low))));
  if (sum.empty())
    line(text, "mov.b32 {}, {};", t, start);
  else
    line(text, "add.s32 {}, {}, {};", t, sum, static_cast<std::int32_t>(static_cast<std::uint32_t>(start) - detour));
  return t;
}

// base + index * size, in one of the ways that compilers and people write it.
std::string Writer::scaled_address(std::string& text, const std::string& base, const std::string& index,
                                   unsigned size) {
  const std::string t = temp(Type::b64), w = temp(Type::b64);
  const auto wide = [&] { return temp(Type::b64); };
  const bool is_power = std::has_single_bit(size);
  switch (random_.below(8)) {
    case 0: line(text, "mad.wide.u32 {}, {}, {}, {};", t, index, size, base); break;
    case 1:
      line(text, "mul.wide.s32 {}, {}, {};", w, index, size);
      if (random_.chance(50))
        line(text, "add.s64 {}, {}, {};", t, w, base);
      else
        line(text, "add.s64 {}, {}, {};", t, base, w);
      break;
    case 2: {
      const std::string scaled = wide();
      line(text, "cvt.u64.u32 {}, {};", w, index);
      if (is_power)
        line(text, "shl.b64 {}, {}, {};", scaled, w, std::countr_zero(size));
      else
        line(text, "mul.lo.u64 {}, {}, {};", scaled, w, size);
      line(text, "add.s64 {}, {}, {};", t, base, scaled);
      break;
    }
    case 3: {
      const std::string scaled = temp(Type::b32);
      if (is_power)
        line(text, "shl.b32 {}, {}, {};", scaled, index, std::countr_zero(size));
      else
        line(text, "mul.lo.u32 {}, {}, {};", scaled, index, size);
      line(text, "cvt.u64.u32 {}, {};", w, scaled);
      line(text, "add.u64 {}, {}, {};", t, base, w);
      break;
    }
    case 4:
      line(text, "cvt.s64.s32 {}, {};", w, index);
      line(text, "mad.lo.s64 {}, {}, {}, {};", t, w, size, base);
      break;
    default: return roundabout_address(text, base, index, size);
  }
  return t;
}

// base + index * size by way of other places.
std::string Writer::roundabout_address(std::string& text, const std::string& base, const std::string& index,
                                       unsigned size) {
  const std::string t = temp(Type::b64), n = temp(Type::b32);
  switch (random_.below(3)) {
    case 0: {  // backwards from an end
      const std::int64_t c = random_.between(0, 300);
      const std::string end = temp(Type::b64);
      line(text, "sub.s32 {}, {}, {};", n, c, index);
      line(text, "add.s64 {}, {}, {};", end, base, c * size);
      line(text, "mad.wide.s32 {}, {}, -{}, {};", t, n, size, end);
      break;
    }
    case 1: {  // an index that may be negative
      const std::int64_t c = random_.between(0, 40);
      const std::string middle = temp(Type::b64);
      line(text, "sub.s32 {}, {}, {};", n, index, c);
      line(text, "add.s64 {}, {}, {};", middle, base, c * size);
      line(text, "mad.wide.s32 {}, {}, {}, {};", t, n, size, middle);
      break;
    }
    default: {  // around 2^32 and back
      const std::string back = temp(Type::b32);
      const auto far = static_cast<std::uint32_t>(random_.bits());
      line(text, "add.u32 {}, {}, {};", n, index, far);
      line(text, "sub.u32 {}, {}, {};", back, n, far);
      line(text, "mad.wide.u32 {}, {}, {}, {};", t, back, size, base);
      break;
    }
  }
  return t;
}

Writer::Place Writer::window_place(const Scope& scope, std::string& text, const Region& region, unsigned size) {
  const std::string space = region.kind == Region::Kind::shared ? ".shared" : ".local";
  if (region.offset.empty() && random_.chance(30))
    return {fmt::format("{}+{}", region.base, random_.below(region.bytes / size) * size), space};
  const std::string i = index(scope, text, region.bytes / size);
  if (random_.chance(45)) {
    std::string base = temp(Type::b32);
    line(text, "mov.u32 {}, {};", base, region.base);
    if (!region.offset.empty()) {
      const std::string own = temp(Type::b32);
      line(text, "add.u32 {}, {}, {};", own, base, region.offset);
      base = own;
    }
    const std::string t = temp(Type::b32);
    line(text, "mad.lo.u32 {}, {}, {}, {};", t, i, size, base);
    return {t, space};
  }
  std::string base = temp(Type::b64);
  line(text, "mov.u64 {}, {};", base, region.base);
  if (!region.offset.empty()) {
    const std::string w = temp(Type::b64), own = temp(Type::b64);
    line(text, "cvt.u64.u32 {}, {};", w, region.offset);
    line(text, "add.u64 {}, {}, {};", own, base, w);
    base = own;
  }
  const bool generic = random_.chance(50);
  if (generic) {
    const std::string g = temp(Type::b64);
    line(text, "cvta{}.u64 {}, {};", space, g, base);
    base = g;
  }
  return {scaled_address(text, base, i, size), generic ? "" : space};
}

// In a structure that the kernel takes: by its name, or at an address that is computed.
Writer::Place Writer::parameter_place(const Scope& scope, std::string& text, const Region& region, unsigned size) {
  const std::string i = random_.chance(50) ? "" : index(scope, text, region.bytes / size);
  if (i.empty()) return {fmt::format("{}+{}", region.base, random_.below(region.bytes / size) * size), ".param"};
  constexpr unsigned first_with_generic_addresses = 77;
  const bool generic = s_.target.ptx >= first_with_generic_addresses && random_.chance(40);
  std::string base = temp(Type::b64);
  line(text, "mov.u64 {}, {};", base, region.base);
  if (generic) {
    const std::string g = temp(Type::b64);
    line(text, "cvta.param.u64 {}, {};", g, base);
    base = g;
  }
  return {scaled_address(text, base, i, size), generic ? "" : ".param"};
}

// A place in the region, aligned to `size`.
Writer::Place Writer::place(const Scope& scope, std::string& text, const Region& region, unsigned size) {
  if (region.direct_only)
    return {fmt::format("{}+{}", region.base, random_.below(region.bytes / size) * size), ".local"};
  if (region.kind == Region::Kind::parameter) return parameter_place(scope, text, region, size);
  if (region.kind == Region::Kind::shared || region.kind == Region::Kind::local)
    return window_place(scope, text, region, size);
  std::string space = region.kind == Region::Kind::constant ? ".const" : ".global", base = region.base;
  if (region.symbol && random_.chance(20))
    return {fmt::format("{}+{}", region.base, random_.below(region.bytes / size) * size), space};
  if (region.symbol) {
    base = temp(Type::b64);
    line(text, "mov.u64 {}, {};", base, region.base);
  }
  if (random_.chance(25)) {
    const std::string g = temp(Type::b64);
    line(text, "cvta{}.u64 {}, {};", space, g, base);
    base = g;
    space = "";
  }
  const unsigned unit = region.unit ? region.unit : size;
  unsigned count = region.bytes / unit;
  std::int64_t shift = region.unit ? random_.below(region.unit / size) * size : 0;
  const unsigned scale = region.unit ? static_cast<unsigned>(region.stride) : size;
  if (count >= 4 && random_.chance(30)) {  // part of the way as a displacement
    const unsigned skipped = 1 + random_.below(count / 2);
    count = std::bit_floor(count - skipped);
    shift += static_cast<std::int64_t>(skipped) * scale;
  }
  std::string address = scaled_address(text, base, index(scope, text, count), scale);
  if (random_.chance(8)) {
    const std::string other = scaled_address(text, base, index(scope, text, count), scale), t = temp(Type::b64);
    line(text, "selp.b64 {}, {}, {}, {};", t, address, other, read(scope, Type::pred));
    address = t;
  }
  if (random_.chance(15)) {
    const std::string t = temp(Type::b64);
    const std::int64_t there = random_.between(-100, 100) * 4;
    line(text, "add.s64 {}, {}, {};", t, address, there);
    address = t;
    shift -= there;
  }
  return {shift == 0 ? address : fmt::format("{}+{}", address, shift), space};
}

namespace {

constexpr Type memory_types[] = {Type::b8,  Type::u8,  Type::s8,  Type::b16, Type::u16, Type::s16, Type::b32, Type::b32,
                                 Type::u32, Type::s32, Type::f32, Type::b64, Type::u64, Type::s64, Type::f64};

// What may stand in one vector.
bool alike(const Reg& a, const Reg& b) {
  return is_float(a) || is_float(b) ? a.type == b.type : ptx::bit_width(a.type) == ptx::bit_width(b.type);
}

}  // namespace

std::string Writer::load(const Scope& scope, const Region& region) {
  const bool floats = region.base == "%b_floats";
  const Type type = floats && random_.chance(70) ? Type::f32 : random_.pick(memory_types);
  const unsigned bytes = ptx::byte_size(type);
  const unsigned room = std::min({region.alignment, region.unit ? region.unit : 16u, region.bytes});
  unsigned count = random_.chance(75) ? 1 : random_.chance(50) ? 2 : 4;
  while (count > 1 && (count * bytes > room || region.direct_only)) count /= 2;
  if (s_.for_gpu && bytes < 4) count = 1;  // see writer_gpu.cpp
  if (bytes > room) return "";
  const bool exact = type != Type::f32 || !floats;
  auto list = varying.candidates(type, true, exact ? Use::write_exact : Use::write);
  if (list.empty()) return "";
  const Reg& model = *random_.pick(list);
  std::erase_if(list, [&](const Reg* reg) { return !alike(*reg, model); });
  std::string target;
  while (count > list.size()) count /= 2;
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t at = random_.below(list.size());
    const bool sink = count > 1 && random_.chance(8);
    target += (i > 0 ? ", " : "") + (sink ? "_" : list[at]->name);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (count > 1 && target.find('%') == std::string::npos) return "";
  std::string text, how;
  const Place at = place(scope, text, region, bytes * count);
  if (at.space == ".global" && random_.chance(30)) {
    static constexpr const char* ways[] = {".ca", ".cg", ".cs", ".lu", ".cv"};
    how = random_.pick(ways);
  }
  std::string prefix = "ld" + at.space + how;
  if (at.space == ".global" && !region.writable && random_.chance(25))
    prefix = random_.chance(60) ? "ld.global.nc" : "ldu.global";
  else if (at.space == ".global" && random_.chance(6))
    prefix = random_.chance(50) ? "ld.volatile.global" : "ld.relaxed.gpu.global";
  const std::string vector = count == 1 ? "" : fmt::format(".v{}", count);
  line(text, "{}{}{}.{} {}, [{}];", guard(scope, 15), prefix, vector, ptx::name(type),
       count == 1 ? target : "{" + target + "}", at.text);
  return text;
}

std::string Writer::store(const Scope& scope, const Region& region) {
  Type type = random_.pick(memory_types);
  if (type == Type::f64) type = Type::b64;  // what the bits of a NaN are is open
  const unsigned bytes = ptx::byte_size(type);
  const unsigned room = std::min({region.alignment, region.unit ? region.unit : 16u, region.bytes});
  unsigned count = random_.chance(75) ? 1 : random_.chance(50) ? 2 : 4;
  while (count > 1 && (count * bytes > room || region.direct_only)) count /= 2;
  if (bytes > room) return "";
  auto list = varying.candidates(type, true, Use::read);
  if (list.empty()) return "";
  const Reg& model = *random_.pick(list);
  std::erase_if(list, [&](const Reg* reg) { return !alike(*reg, model); });
  std::string source, text;
  for (unsigned i = 0; i < count; ++i) source += (i > 0 ? ", " : "") + stored_part(text, *random_.pick(list), type);
  if (count == 1 && random_.chance(12) && type != Type::b8 && type != Type::u8 && type != Type::s8)
    source = constant(type);
  const Place at = place(scope, text, region, bytes * count);
  const std::string vector = count == 1 ? "" : fmt::format(".v{}", count);
  std::string prefix = "st" + at.space;
  if (at.space == ".global" && random_.chance(6))
    prefix = random_.chance(50) ? "st.volatile.global" : "st.relaxed.gpu.global";
  line(text, "{}{}{}.{} [{}], {};", guard(scope, 15), prefix, vector, ptx::name(type), at.text,
       count == 1 ? source : "{" + source + "}");
  return text;
}

std::string Writer::memory_access(const Scope& scope) {
  for (;;) {
    const Region& region = random_.pick(regions);
    const std::string text = region.writable && random_.chance(50) ? store(scope, region) : load(scope, region);
    if (!text.empty()) return text;
  }
}

// Atomics on memory of the thread alone: the old value is known too.
std::string Writer::atomic_on_own(const Scope& scope) {
  std::vector<const Region*> own;
  for (const Region& region : regions)
    if (region.writable && !region.direct_only && region.kind != Region::Kind::local) own.push_back(&region);
  if (own.empty()) return arithmetic(scope, false);
  static constexpr const char* operations[] = {"and.b32", "or.b32",  "xor.b64",         "exch.b32", "exch.b64",
                                               "cas.b32", "cas.b64", "add.u32",         "add.s32",  "add.u64",
                                               "add.f32", "inc.u32", "dec.u32",         "min.s32",  "min.u64",
                                               "max.u32", "max.s64", "add.noftz.f16x2", "cas.b16"};
  const std::string operation = random_.pick(operations);
  const Type type = *ptx::type_from_name(operation.substr(operation.rfind('.') + 1));
  std::string text;
  const Place at = place(scope, text, *random_.pick(own), ptx::byte_size(type));
  const std::string b = read(scope, type), c = operation.starts_with("cas") ? ", " + read(scope, type) : "";
  if (b.empty() || (c.size() == 2)) return arithmetic(scope, false);
  const std::string guarded = guard(scope, 15);
  const bool has_red = !operation.starts_with("exch") && !operation.starts_with("cas");
  if (has_red && random_.chance(25))
    line(text, "{}red{}{}.{} [{}], {};", guarded, order(true), at.space, operation, at.text, b);
  else
    line(text, "{}atom{}{}.{} {}, [{}], {}{};", guarded, order(false), at.space, operation,
         random_.chance(10) ? "_" : write(type), at.text, b, c);
  return text;
}

// Reductions that all threads join, of operations that commute; nobody sees what is there in between.
std::string Writer::reduction_on_all(const Scope& scope) {
  static constexpr const char* narrow[] = {"add.u32", "and.b32", "or.b32",  "xor.b32",
                                           "min.s32", "max.u32", "inc.u32", "max.s32"};
  static constexpr const char* wide[] = {"add.u64", "xor.b64", "min.u64", "max.s64"};
  const bool is_wide = random_.chance(30);
  const unsigned number = random_.below(is_wide ? std::size(wide) : std::size(narrow));
  const std::string operation = is_wide ? wide[number] : narrow[number];
  const Type type = is_wide ? Type::b64 : Type::b32;
  Region region;
  region.base = is_wide ? "%b_acc64" : "%b_acc32";
  region.bytes = 8 * ptx::byte_size(type);
  std::string text;
  const std::string base = temp(Type::b64);
  line(text, "add.s64 {}, {}, {};", base, region.base, number * region.bytes);
  region.base = base;
  const Place at = place(scope, text, region, ptx::byte_size(type));
  const std::string value = operation == "inc.u32" ? "12"
                            : random_.chance(15)
                                ? constant(type)
                                : read(scope, *ptx::type_from_name(operation.substr(operation.rfind('.') + 1)));
  const std::string guarded = guard(scope, 25);
  if (random_.chance(70))
    line(text, "{}red{}{}.{} [{}], {};", guarded, wide_order(true), at.space, operation, at.text, value);
  else
    line(text, "{}atom{}{}.{} {}, [{}], {};", guarded, wide_order(false), at.space, operation,
         random_.chance(50) ? "_" : temp(type), at.text, value);
  return text;
}

// Threads in front of the first one do not take part: their index lies far beyond 2^31.
std::string Writer::wrapped_access(const Scope& scope) {
  if (scope.known.empty()) return arithmetic(scope, false);
  const Known& known = random_.pick(scope.known);
  const std::int64_t c = 1 + random_.below(static_cast<std::size_t>(std::max<std::int64_t>(known.most, 1)));
  std::string text;
  const std::string n = temp(Type::b32), p = temp(Type::pred), t = temp(Type::b64), d = write(Type::u32);
  const bool is_signed = random_.chance(50), jumps = random_.chance(40);
  line(text, "setp.{} {}, {}, {};", jumps ? "lt.s32" : "ge.s32", p, known.name, c);
  const std::string skip = s_.label("skip");
  if (jumps) line(text, "@{} bra {};", p, skip);
  line(text, "sub.s32 {}, {}, {};", n, known.name, c);
  line(text, "mad.wide.{} {}, {}, 4, %b_words;", is_signed ? "s32" : "u32", t, n);
  line(text, "{}ld.global.b32 {}, [{}];", jumps ? "" : "@" + p + " ", d, t);
  if (jumps) text += skip + ":\n";
  return text;
}

}  // namespace heddle::test::random_kernel
