// What the threads of a block do together beyond plain barriers, and copies and fences.
#include "random/writer.hpp"

namespace heddle::test::random_kernel {

// Order and scope of an atomic operation. Alone on its memory, or commuting with all others there, it gives the same
// whatever they are.
std::string Writer::order(bool is_reduction) {
  static constexpr const char* orders[] = {".relaxed", ".release", ".acquire", ".acq_rel"};
  static constexpr const char* scopes[] = {".cta", ".gpu", ".sys"};
  if (random_.chance(60)) return "";
  const unsigned number = random_.below(is_reduction ? 3 : 5);  // the last one: none
  const std::string chosen = number < (is_reduction ? 2u : 4u) ? orders[number] : "";
  return chosen + (random_.chance(70) ? random_.pick(scopes) : "");
}

// For a memory whose other users are in the block or the grid: a scope that reaches them.
std::string Writer::wide_order(bool is_reduction) {
  std::string text = order(is_reduction);
  if (const std::size_t at = text.find(".cta"); at != std::string::npos) text.replace(at, 4, ".gpu");
  return text;
}

std::string Writer::fence() {
  static constexpr const char* all[] = {"membar.cta",        "membar.gl",    "membar.sys", "fence.sc.cta",
                                        "fence.acq_rel.gpu", "fence.sc.gpu", "fence.cta",  "fence.acq_rel.sys"};
  std::string text;
  line(text, "{};", random_.pick(all));
  return text;
}

// Some threads draw numbers from a counter and leave a value at their number. Who gets which is open; how many there
// are and what the values are together is not.
std::string Writer::drawn_numbers(const Scope& scope) {
  static constexpr const char* sums[] = {"add.u32", "xor.b32", "max.u32"};
  std::string text;
  const std::string p = condition(scope, text, false), counters = temp(Type::b32), base = temp(Type::b32),
                    number = temp(Type::b32), at = temp(Type::b32), count = temp(Type::b32), mine = temp(Type::pred),
                    value = temp(Type::b32);
  line(text, "mov.u32 {}, counters;", counters);
  line(text, "mov.u32 {}, exchanged;", base);
  for (const std::string& some : {number, at, value}) line(text, "mov.u32 {}, 0;", some);  // not all threads set them
  line(text, "{}.sync 0;", barrier_name());
  line(text, "st.shared.u32 [{}], 0;", counters);
  line(text, "st.shared.u32 [{}+8], 0;", counters);
  line(text, "{}.sync 0;", barrier_name());
  if (random_.chance(60))
    line(text, "@{} atom{}.shared.add.u32 {}, [{}], 1;", p, order(false), number, counters);
  else
    line(text, "@{} atom{}.shared.inc.u32 {}, [{}], 0xffff;", p, order(false), number, counters);
  line(text, "@{} mad.lo.u32 {}, {}, 4, {};", p, at, number, base);
  line(text, "@{} st.shared.u32 [{}], {};", p, at, read(scope, Type::u32));
  line(text, "{}.sync 0;", barrier_name());
  line(text, "ld.shared.u32 {}, [{}];", count, counters);
  line(text, "setp.lt.u32 {}, %k_lin, {};", mine, count);
  line(text, "mad.lo.u32 {}, %k_lin, 4, {};", at, base);
  line(text, "@{} ld.shared.u32 {}, [{}];", mine, value, at);
  line(text, "@{} red{}.shared.{} [{}+8], {};", mine, order(true), random_.pick(sums), counters, value);
  line(text, "{}.sync 0;", barrier_name());
  line(text, "ld.shared.u32 {}, [{}+8];", value, counters);
  line(text, "add.u32 {}, {}, {};", write(Type::u32), value, count);
  line(text, "{}.sync 0;", barrier_name());
  return text;
}

// The first warps write and go on without waiting; the others wait for them and read.
std::string Writer::producers(const Scope& scope) {
  const unsigned warps = static_cast<unsigned>(s_.block_threads() / 32), writing = 1 + random_.below(warps - 1);
  const std::string produce = s_.label("produce"), end = s_.label("end");
  std::string text;
  const std::string p = temp(Type::pred), base = temp(Type::b32), at = temp(Type::b32), other = temp(Type::b32);
  const unsigned barrier = 7 + random_.below(8);
  const bool aligned = random_.chance(50);
  const char* name = aligned ? barrier_name() : "barrier";
  line(text, "mov.u32 {}, exchanged;", base);
  line(text, "{}.sync 0;", barrier_name());
  line(text, "setp.lt.u32 {}, %k_lin, {};", p, 32 * writing);
  line(text, "@{} bra {};", p, produce);
  line(text, "{}.sync {}, {};", name, barrier, 32 * warps);
  line(text, "rem.u32 {}, {}, {};", other, read(scope, Type::u32), 32 * writing);
  line(text, "mad.lo.u32 {}, {}, 8, {};", at, other, base);
  line(text, "ld.shared.b64 {}, [{}];", write(Type::b64), at);
  line(text, "bra {};", end);
  text += produce + ":\n";
  line(text, "mad.lo.u32 {}, %k_lin, 8, {};", at, base);
  line(text, "st.shared.b64 [{}], {};", at, read(scope, Type::b64));
  line(text, "{}.arrive {}, {};", name, barrier, 32 * warps);
  text += end + ":\n";
  line(text, "{}.sync 0;", barrier_name());
  return text;
}

// Global to shared memory of the thread, some of it filled with zeros.
std::string Writer::asynchronous_copy(const Scope& scope) {
  const unsigned size = 4u << random_.below(3), filled = random_.chance(30) ? random_.below(size + 1) : size;
  std::string text;
  const std::string to = temp(Type::b32), got = write(Type::b32);
  line(text, "mov.u32 {}, own;", to);
  line(text, "add.u32 {}, {}, %k_own;", to, to);
  const std::string from = scaled_address(text, "%b_words", index(scope, text, 256), size);
  const unsigned place = size * random_.below(16 / size);
  line(text, "{}cp.async.{}.shared.global [{}+{}], [{}], {}{};", guard(scope, 20),
       size == 16 && random_.chance(50) ? "cg" : "ca", to, place, from, size,
       filled < size ? fmt::format(", {}", filled) : "");
  if (random_.chance(50)) {
    line(text, "cp.async.wait_all;");
  } else {
    line(text, "cp.async.commit_group;");
    line(text, "cp.async.wait_group 0;");
  }
  line(text, "ld.shared.b32 {}, [{}+{}];", got, to, place + 4 * random_.below(size / 4));
  return text;
}

}  // namespace heddle::test::random_kernel
