#include "random/kernel_writer.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>

namespace heddle::test::random_kernel {

using ptx::Type;

namespace {

constexpr unsigned word_count = 4096, float_count = 64, double_count = 64;
constexpr unsigned own_words = 16, own_units = 8;  // of a thread, in `scratch` and in `lanes`
constexpr const char* pointers[] = {"words", "floats", "doubles", "scratch", "lanes",
                                    "acc32", "acc64",  "out32",   "out64",   "outd"};

constexpr const char* own_declarations =
    "  .reg .b32 %k_tx, %k_ty, %k_tz, %k_lin, %k_gid, %k_gx, %k_own, %k_block, %k_lane, %k_warp, %k_mask, %k_t, %k_bx, "
    "%k_nx, %m_own;\n"
    "  .reg .b64 %b_words, %b_floats, %b_doubles, %b_scratch, %b_lanes, %b_acc32, %b_acc64, %b_out32, %b_out64, "
    "%b_outd;\n"
    "  .local .align 16 .b8 array[64];\n"
    "  .local .align 16 .b8 direct[32];\n";

// Which of out32, out64 and outd takes a register.
unsigned kind_of(Type type) { return type == Type::f64 ? 2 : ptx::bit_width(type) == 64 ? 1 : 0; }

}  // namespace

KernelWriter::KernelWriter(Setting& setting)
    : s_(setting), random_(setting.random), w_(setting, true), records_(setting.random.chance(40)) {
  declare_registers();
  add_regions();
}

void KernelWriter::declare_registers() {
  const auto some = [&](unsigned least, unsigned more) { return least + random_.below(more + 1); };
  w_.varying.add("p", Type::pred, some(2, 2));
  w_.varying.add("h", Type::b16, some(1, 2));
  w_.varying.add("hs", Type::s16, some(0, 1));
  w_.varying.add("hu", Type::u16, some(0, 1));
  w_.varying.add("x", Type::f16, some(0, 2));
  w_.varying.add("r", Type::b32, some(3, 4));
  w_.varying.add("ru", Type::u32, some(0, 2));
  w_.varying.add("rs", Type::s32, some(0, 2));
  w_.varying.add("w", Type::f16x2, some(0, 1));
  w_.varying.add("f", Type::f32, some(2, 2));
  w_.varying.add("d", Type::b64, some(2, 2));
  w_.varying.add("ds", Type::s64, some(0, 1));
  w_.varying.add("g", Type::f64, some(1, 2));
  w_.uniform.add("up", Type::pred, some(0, 1));
  w_.uniform.add("ur", Type::b32, some(2, 1));
  w_.uniform.add("us", Type::s32, some(0, 1));
  w_.uniform.add("ud", Type::b64, some(0, 2));
  w_.uniform.add("uf", Type::f32, some(0, 1));
}

void KernelWriter::add_regions() {
  const auto global = [&](const char* base, unsigned bytes, bool writable) {
    Region region;
    region.base = base;
    region.bytes = bytes;
    region.writable = writable;
    w_.regions.push_back(region);
  };
  global("%b_words", 4 * word_count, false);
  global("%b_floats", 4 * float_count, false);
  global("%b_doubles", 8 * double_count, false);
  global("%b_scratch", 4 * own_words, true);
  global("%b_lanes", 8 * own_units, true);
  w_.regions.back().unit = 8;
  w_.regions.back().stride = 8 * s_.threads();
  const auto symbol = [&](Region::Kind kind, const char* base, unsigned bytes, bool writable) {
    Region region;
    region.kind = kind;
    region.base = base;
    region.symbol = true;
    region.bytes = bytes;
    region.writable = writable;
    w_.regions.push_back(region);
  };
  symbol(Region::Kind::global, "global_table", 1024, false);
  symbol(Region::Kind::constant, "constant_table", 512, false);
  symbol(Region::Kind::shared, "own", 16, true);
  w_.regions.back().offset = "%k_own";
  symbol(Region::Kind::local, "array", 64, true);
  symbol(Region::Kind::local, "direct", 32, true);
  w_.regions.back().direct_only = true;
  add_structures();
}

void KernelWriter::add_structures() {
  for (const Structure& structure : s_.structures) {
    Region region;
    region.kind = Region::Kind::parameter;
    region.base = structure.name;
    region.symbol = true;
    region.alignment = std::min(structure.alignment, 16u);
    region.bytes = std::bit_floor(structure.bytes);
    w_.regions.push_back(region);
  }
}

std::string KernelWriter::parameters() const {
  std::vector<std::string> own;
  for (const char* name : pointers) own.push_back(fmt::format(".param .u64 {}", name));
  own.insert(own.end(), {".param .u32 n", ".param .u64 k", ".param .f32 x"});
  static_assert(std::size(pointers) + 3 == own_parameters);
  return fmt::format("{}", fmt::join(with_structures(own, s_.structures, std::mem_fn(&Structure::parameter)), ", "));
}

std::string KernelWriter::arguments() const {
  const auto bits = [&](const Structure& structure) {
    return fmt::format("//: arg {} value u8[{}] = bits {}\n", structure.name, structure.bytes,
                       structure.bytes + structure.behind);
  };
  std::string text = fmt::format("{}", fmt::join(with_structures(own_arguments(), s_.structures, bits), ""));
  for (const char* name : {"scratch", "lanes", "acc32", "acc64", "out32", "out64", "outd"})
    text += fmt::format("//: expect {} same-as interp\n", name);
  return text;
}

// A directive for each parameter.
std::vector<std::string> KernelWriter::own_arguments() const {
  const std::uint64_t threads = s_.threads();
  const unsigned seed = static_cast<unsigned>(random_.below(1000000));
  std::vector<std::string> all = {fmt::format("//: arg words u32[{}] = bits {}\n", word_count, seed)};
  std::string text = fmt::format(
      "//: arg floats f32[{}] = 0x7fffffff 0x7f800000 0xff800000 0 -0.0 0x1 0x807fffff 0x800000 0x7f7fffff 1 -1",
      float_count);
  for (unsigned i = 11; i < float_count; ++i) {
    const auto bits = static_cast<std::uint32_t>(random_.bits());
    const bool nan = (bits & 0x7f800000) == 0x7f800000;
    text += nan                  ? " 0x7fffffff"
            : random_.chance(50) ? fmt::format(" {:#x}", bits)
                                 : fmt::format(" {}", static_cast<double>(random_.between(-800, 800)) / 8);
  }
  all.push_back(text + '\n');
  const auto add = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    all.push_back(fmt::format(format, std::forward<Args>(args)...) + '\n');
  };
  add("//: arg doubles f64[{}] = special {}", double_count, seed + 1);
  add("//: arg scratch u32[{}] = bits {}", threads * own_words, seed + 2);
  add("//: arg lanes u64[{}] = bits {}", threads * own_units, seed + 3);
  add("//: arg acc32 u32[64] = bits {}", seed + 4);
  add("//: arg acc64 u64[32] = bits {}", seed + 5);
  add("//: arg out32 u32[{}] = fill 0xa5a5a5a5", slots(0) * threads);
  add("//: arg out64 u64[{}] = fill 0xa5a5a5a5a5a5a5a5", slots(1) * threads);
  add("//: arg outd f64[{}] = fill 0xa5a5a5a5a5a5a5a5", slots(2) * threads);
  const unsigned n = random_.below(200);
  const std::uint64_t k = random_.bits();
  add("//: arg n u32 = {}", n);
  add("//: arg k u64 = {:#x}", k);
  add("//: arg x f32 = {}", random_.between(-40, 40));
  return all;
}

// At least one, so that no buffer is empty.
unsigned KernelWriter::slots(unsigned kind) const {
  unsigned count = 0;
  for (const Registers* registers : {&w_.varying, &w_.uniform})
    for (const Reg& reg : registers->all()) count += kind_of(reg.type) == kind;
  return std::max(count, 1u);
}

// Who the thread is.
Statement KernelWriter::numbers() {
  const Dim3 &grid = s_.launch.grid, &block = s_.launch.block;
  std::string text;
  const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    Writer::line(text, format, std::forward<Args>(args)...);
  };
  line("mov.u32 %k_tx, %tid.x;");
  w_.make_zero(text);
  line("mov.u32 %k_ty, %tid.y;");
  line("mov.u32 %k_tz, %tid.z;");
  line("mov.u32 %k_bx, %ctaid.x;");
  line("mov.u32 %k_nx, %ntid.x;");
  line("mad.lo.s32 %k_gx, %k_bx, %k_nx, %k_tx;");
  const bool flat = block.y * block.z == 1;
  if (flat && random_.chance(70)) {
    line("mov.u32 %k_lin, %k_tx;");
  } else {
    line("mov.u32 %k_t, %ntid.y;");
    line("mad.lo.u32 %k_lin, %k_tz, %k_t, %k_ty;");
    line("mad.lo.u32 %k_lin, %k_lin, %k_nx, %k_tx;");
  }
  line("mov.u32 %k_block, %ctaid.z;");
  line("mov.u32 %k_t, %nctaid.y;");
  line("mul.lo.u32 %k_block, %k_block, %k_t;");
  line("mov.u32 %k_t, %ctaid.y;");
  line("add.u32 %k_block, %k_block, %k_t;");
  line("mov.u32 %k_t, %nctaid.x;");
  line("mad.lo.u32 %k_block, %k_block, %k_t, %k_bx;");
  w_.vary(text, "%k_block", Type::b32);
  if (flat && grid.y * grid.z == 1 && random_.chance(70))
    line("mov.b32 %k_gid, %k_gx;");
  else
    line("mad.lo.s32 %k_gid, %k_block, {}, %k_lin;", s_.block_threads());
  line("shl.b32 %k_own, %k_lin, 4;");
  const std::int64_t threads = static_cast<std::int64_t>(s_.threads()),
                     own = static_cast<std::int64_t>(s_.block_threads());
  scope_.known = {{"%k_tx", block.x - 1},
                  {"%k_gid", threads - 1},
                  {"%k_lin", own - 1},
                  {"%k_gx", std::int64_t{grid.x} * block.x - 1}};
  if (!flat) scope_.known.push_back({"%k_ty", block.y - 1}), scope_.known.push_back({"%k_tz", block.z - 1});
  if (!s_.warp) return Statement::lines(text);
  line("mov.u32 %k_lane, %laneid;");
  line("shr.u32 %k_warp, %k_lin, 5;");
  scope_.known.push_back({"%k_lane", 31});
  scope_.known.push_back({"%k_warp", 31});
  scope_.mask = "-1";
  if (w_.must_vary() || own % 32 != 0 || random_.chance(20)) {
    scope_.mask = "%k_mask";
    line("and.b32 %k_mask, %k_lin, -32;");
    line("sub.u32 %k_mask, {}, %k_mask;", own);
    line("min.u32 %k_mask, %k_mask, 32;");
    line("sub.u32 %k_mask, 32, %k_mask;");
    line("shr.u32 %k_mask, 0xffffffff, %k_mask;");
    w_.vary(text, "%k_mask", Type::b32);
  }
  return Statement::lines(text);
}

// Where the thread's part of each buffer begins, in registers that are written once: without one of them a kernel reads
// an uninitialised register instead of having races.
Statement KernelWriter::bases() {
  std::string text;
  const auto base = [&](const std::string& name, const char* multiply, std::uint64_t bytes) {
    const std::string parameter = w_.temp(Type::b64), mine = "%b_" + name;
    Writer::line(text, "ld.param.u64 {}, [{}];", bytes == 0 ? mine : parameter, name);
    if (bytes == 0) return;
    std::string start = parameter;
    if (random_.chance(70)) {
      start = w_.temp(Type::b64);
      Writer::line(text, "cvta.to.global.u64 {}, {};", start, parameter);
    }
    Writer::line(text, "mad.wide.{} {}, %k_gid, {}, {};", multiply, mine, bytes, start);
  };
  for (const char* name : {"words", "floats", "doubles", "acc32", "acc64"}) base(name, "", 0);
  base("scratch", "u32", 4 * own_words);
  base("lanes", "u32", 8);
  const auto step = [&](unsigned kind, unsigned bytes) { return records_ ? bytes * slots(kind) : bytes; };
  base("out32", "s32", step(0, 4));
  base("out64", "s32", step(1, 8));
  base("outd", "s32", step(2, 8));
  return Statement::lines(text);
}

Statement KernelWriter::initialise_memory() {
  std::string text;
  for (unsigned at = 0; at < 64; at += 16)
    Writer::line(text, "st.local.v4.b32 [array+{}], {{{}, %k_tx, {}, {}}};", at, random_.below(1000),
                 random_.below(1000), random_.bits() >> 32);
  for (unsigned at = 0; at < 32; at += 8) Writer::line(text, "st.local.b64 [direct+{}], {};", at, random_.bits() >> 1);
  Writer::line(text, "mov.u32 %m_own, own;");
  Writer::line(text, "add.u32 %m_own, %m_own, %k_own;");
  Writer::line(text, "st.shared.v4.b32 [%m_own], {{%k_lin, {}, {}, 0}};", random_.below(100), random_.bits() >> 32);
  return Statement::lines(text);
}

// A word for the thread, loaded or computed.
std::string KernelWriter::initial_word(Type type) {
  std::string text;
  if (random_.chance(60)) {
    const std::string t = w_.temp(Type::b64);
    Writer::line(text, "mad.wide.u32 {}, {}, {}, %b_words;", t, random_.pick(scope_.known).name, 8u);
    Writer::line(text, "ld.global.{} %INTO, [{}+{}];", ptx::name(type), t, 8 * random_.below(64));
  } else if (random_.chance(60) && ptx::bit_width(type) == 32) {
    Writer::line(text, "mad.lo.s32 %INTO, {}, {}, {};", random_.pick(scope_.known).name, random_.between(-4, 8),
                 random_.between(-100, 100));
  } else {
    Writer::line(text, "mov.{} %INTO, {};", ptx::name(type), w_.constant(type));
    w_.vary(text, "%INTO", type);
  }
  return text;
}

Statement KernelWriter::initial_value(const Reg& reg) {
  std::string text;
  const std::string t = w_.temp(Type::b64);
  const std::string known = random_.pick(scope_.known).name;
  switch (reg.type) {
    case Type::pred:
      Writer::line(text, "setp.{} {}, {}, {};", random_.chance(50) ? "lt.u32" : "ne.s32", reg.name, known,
                   random_.below(40));
      return Statement::lines(text);
    case Type::f32:
    case Type::f64: {
      const bool single = reg.type == Type::f32;
      if (random_.chance(25)) {
        Writer::line(text, "mov.{} {}, {};", ptx::name(reg.type), reg.name, w_.constant(reg.type));
      } else if (random_.chance(40)) {
        Writer::line(text, "cvt.rn.{}.s32 {}, {};", ptx::name(reg.type), reg.name, known);
      } else {
        const std::string i = w_.temp(Type::b32);
        Writer::line(text, "and.b32 {}, {}, 63;", i, known);
        Writer::line(text, "mad.wide.u32 {}, {}, {}, {};", t, i, single ? 4 : 8, single ? "%b_floats" : "%b_doubles");
        Writer::line(text, "ld.global.{} {}, [{}];", ptx::name(reg.type), reg.name, t);
      }
      return Statement::lines(text);
    }
    case Type::f16:
    case Type::f16x2: text = initial_word(ptx::bit_width(reg.type) == 16 ? Type::b16 : Type::b32); break;
    default: text = initial_word(reg.type); break;
  }
  for (std::size_t at = text.find("%INTO"); at != std::string::npos; at = text.find("%INTO"))
    text.replace(at, 5, reg.name);
  return Statement::lines(text);
}

// As wide as the structure's alignment and the register allow.
std::string KernelWriter::field_of_structure(const Reg& reg) {
  const Structure& structure = random_.pick(s_.structures);
  const unsigned bytes = std::min(structure.alignment, ptx::bit_width(reg.type) / 8);
  std::string text;
  Writer::line(text, "ld.param.u{} {}, [{}+{}];", 8 * bytes, reg.name, structure.name,
               bytes * random_.below(structure.bytes / bytes));
  return text;
}

Statement KernelWriter::initial_uniform(const Reg& reg) {
  std::string text;
  const unsigned width = ptx::bit_width(reg.type);
  if (reg.type == Type::pred) {
    Writer::line(text, "setp.gt.u32 {}, %k_block, {};", reg.name, random_.below(3));
  } else if (reg.type == Type::f32) {
    Writer::line(text, "ld.param.f32 {}, [x];", reg.name);
  } else if (!s_.structures.empty() && random_.chance(60)) {
    text = field_of_structure(reg);
  } else if (random_.chance(25)) {
    Writer::line(text, "mov.{} {}, {};", ptx::name(reg.type), reg.name, w_.constant(reg.type));
  } else if (random_.chance(35)) {
    Writer::line(text, "ld.param.{} {}, [{}];", width == 32 ? "u32" : "u64", reg.name, width == 32 ? "n" : "k");
  } else if (random_.chance(50)) {
    Writer::line(text, "ld.global.{} {}, [%b_words+{}];", ptx::name(reg.type), reg.name, 8 * random_.below(100));
  } else {
    Writer::line(text, "{} {}, %k_block;", width == 32 ? "mov.b32" : "cvt.u64.u32", reg.name);
  }
  if (reg.type != Type::pred && reg.type != Type::f32) w_.vary(text, reg.name, reg.type);
  return Statement::lines(text);
}

Statement KernelWriter::store_result(const Reg& reg) {
  const unsigned kind = kind_of(reg.type), bytes = kind == 0 ? 4 : 8;
  const std::uint64_t at = next_[kind]++ * (records_ ? bytes : bytes * s_.threads());
  std::string text, value = reg.name;
  if (reg.type == Type::pred) {
    value = w_.temp(Type::b32);
    Writer::line(text, "selp.u32 {}, 1, 0, {};", value, reg.name);
  } else if (ptx::bit_width(reg.type) == 16) {
    const std::string bits = w_.temp(Type::b16);
    value = w_.temp(Type::b32);
    Writer::line(text, "mov.b16 {}, {};", bits, reg.name);
    Writer::line(text, "cvt.u32.u16 {}, {};", value, bits);
  }
  static constexpr const char* bases[] = {"%b_out32", "%b_out64", "%b_outd"};
  Writer::line(text, "st.global.{} [{}+{}], {};",
               kind == 2   ? "f64"
               : kind == 1 ? "b64"
                           : "b32",
               bases[kind], at, value);
  return Statement::lines(text);
}

Function KernelWriter::write(unsigned statements) {
  Function function;
  function.body.push_back(numbers());
  function.body.push_back(bases());
  function.body.push_back(initialise_memory());
  for (const Reg& reg : w_.uniform.all()) function.body.push_back(initial_uniform(reg));
  for (const Reg& reg : w_.varying.all()) function.body.push_back(initial_value(reg));
  for (Statement& statement : w_.body(scope_, statements)) function.body.push_back(std::move(statement));
  for (const Registers* registers : {&w_.varying, &w_.uniform})
    for (const Reg& reg : registers->all()) function.body.push_back(store_result(reg));
  function.body.push_back(Statement::lines("  ret;\n"));
  function.head = fmt::format(".visible .entry k({})\n{{\n{}{}", parameters(), w_.declarations(), own_declarations);
  return function;
}

}  // namespace heddle::test::random_kernel
