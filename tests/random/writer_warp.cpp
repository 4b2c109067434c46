// Operations of a warp among lanes that are known to run them together, barriers, and shared memory between them.
#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

std::string Writer::warp_operation(const Scope& scope) {
  if (scope.mask.empty()) return s_.warp && random_.chance(50) ? active_lanes(scope) : arithmetic(scope, false);
  switch (random_.below(8)) {
    case 0:
    case 1:
    case 7: return s_.early_exit ? vote(scope) : shuffle(scope);  // what a lane that is gone would give is open
    case 2:
    case 3: return vote(scope);
    case 4:
    case 5: return match_or_reduce(scope);
    default: {
      std::string text;
      line(text, "bar.warp.sync {};", scope.mask);
      return text;
    }
  }
}

// What a lane reads from one that takes no part is replaced by its own value.
std::string Writer::shuffle(const Scope& scope) {
  static constexpr const char* modes[] = {"up", "down", "bfly", "idx"};
  const unsigned mode = random_.below(4);
  std::string text;
  const std::string value = read(scope, Type::b32), got = temp(Type::b32), in_range = temp(Type::pred),
                    delta = temp(Type::b32);
  line(text, "mov.b32 {}, {};", got, value);
  if (random_.chance(60))
    line(text, "mov.b32 {}, {};", delta, random_.below(32));
  else
    line(text, "and.b32 {}, {}, 31;", delta, random_.chance(50) ? read_uniform(Type::b32) : read(scope, Type::b32));
  const unsigned segment = random_.chance(60) ? 32 : 1u << random_.below(5);
  const unsigned c = ((32 - segment) << 8) | (mode == 0 ? 0 : segment - 1);
  const std::string shuffled = temp(Type::b32);
  line(text, "shfl.sync.{}.b32 {}|{}, {}, {}, {}, {};", modes[mode], shuffled, in_range, got, delta, c, scope.mask);
  // The lane it came from, and whether that one took part.
  const std::string lane = temp(Type::b32), from = temp(Type::b32), bit = temp(Type::b32), there = temp(Type::pred);
  line(text, "mov.u32 {}, %laneid;", lane);
  if (mode == 3)
    line(text, "lop3.b32 {}, {}, {}, {}, 0xca;", from, 32 - segment, lane, delta);
  else
    line(text, "{} {}, {}, {};", mode == 0 ? "sub.s32" : mode == 1 ? "add.s32" : "xor.b32", from, lane, delta);
  line(text, "selp.b32 {}, {}, {}, {};", from, from, lane, in_range);
  line(text, "shr.u32 {}, {}, {};", bit, scope.mask, from);
  line(text, "and.b32 {}, {}, 1;", bit, bit);
  line(text, "setp.ne.u32 {}, {}, 0;", there, bit);
  line(text, "selp.b32 {}, {}, {}, {};", write(Type::u32), shuffled, got, there);
  if (random_.chance(40)) line(text, "mov.pred {}, {};", write(Type::pred), in_range);
  return text;
}

std::string Writer::vote(const Scope& scope) {
  std::string text;
  const std::string p = read(scope, Type::pred), negated = random_.chance(30) ? "!" : "";
  if (random_.chance(50)) {
    line(text, "vote.sync.ballot.b32 {}, {}{}, {};", write(Type::u32), negated, p, scope.mask);
  } else {
    static constexpr const char* modes[] = {"all", "any", "uni"};
    line(text, "vote.sync.{}.pred {}, {}{}, {};", random_.pick(modes), write(Type::pred), negated, p, scope.mask);
  }
  return text;
}

std::string Writer::match_or_reduce(const Scope& scope) {
  std::string text;
  if (random_.chance(50)) {
    const Type type = random_.chance(60) ? Type::b32 : Type::b64;
    const std::string few = temp(type);  // values that meet
    line(text, "and.{} {}, {}, {};", ptx::name(type), few, read(scope, type), random_.chance(70) ? 5 : 0);
    if (random_.chance(50))
      line(text, "match.any.sync.{} {}, {}, {};", ptx::name(type), write(Type::u32), few, scope.mask);
    else
      line(text, "match.all.sync.{} {}|{}, {}, {};", ptx::name(type), write(Type::u32), write(Type::pred), few,
           scope.mask);
    return text;
  }
  static constexpr const char* operations[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                               "max.s32", "and.b32", "or.b32",  "xor.b32"};
  if (s_.target.sm < 80) return vote(scope);
  line(text, "redux.sync.{} {}, {}, {};", random_.pick(operations), write(Type::u32), read(scope, Type::u32),
       scope.mask);
  return text;
}

// Which lanes run together is open where they have parted; that each is among them is not.
std::string Writer::active_lanes(const Scope& scope) {
  std::string text;
  const std::string mask = temp(Type::b32), own = temp(Type::b32), p = temp(Type::pred);
  line(text, "activemask.b32 {};", mask);
  line(text, "mov.u32 {}, %lanemask_eq;", own);
  line(text, "and.b32 {}, {}, {};", mask, mask, own);
  line(text, "setp.eq.u32 {}, {}, {};", p, mask, own);
  line(text, "selp.b32 {}, {}, {}, {};", write(Type::u32), read(scope, Type::b32), read(scope, Type::b32), p);
  return text;
}

std::string Writer::barrier(const Scope& scope) {
  std::string text;
  // What needs every thread of the block, and whole warps.
  const bool all = !s_.early_exit, whole = all && s_.block_threads() % 32 == 0 && s_.block_threads() >= 64;
  if (whole && random_.chance(25)) return producers(scope);
  switch (random_.below(12)) {
    case 0: line(text, "{}.sync 0;", barrier_name()); return text;
    case 1: line(text, "barrier.sync {};", random_.below(16)); return text;
    case 2:
      line(text, "{}.red.popc.u32 {}, {}, {};", barrier_name(), write(Type::u32), random_.below(4),
           read(scope, Type::pred));
      return text;
    case 3:
      line(text, "{}.red.{}.pred {}, 0, {}{};", barrier_name(), random_.chance(50) ? "and" : "or", write(Type::pred),
           random_.chance(50) ? "!" : "", read(scope, Type::pred));
      return text;
    case 4: return fence();
    case 5: return split_barrier(scope);
    case 6:
    case 7: return shared_reduction(scope);
    case 8: return all ? drawn_numbers(scope) : shared_reduction(scope);
    default: return all ? exchange(scope) : shared_reduction(scope);
  }
}

// Threads of a warp meet the others at two places.
std::string Writer::split_barrier(const Scope& scope) {
  std::string text;
  const std::string p = condition(scope, text, false), other = s_.label("meet"), end = s_.label("met");
  line(text, "@{} bra {};", p, other);
  line(text, "barrier.sync 5;");
  line(text, "bra {};", end);
  text += other + ":\n";
  line(text, "barrier.sync 5;");
  return text + end + ":\n";
}

// Each thread writes its own element and reads somebody's.
std::string Writer::exchange(const Scope& scope) {
  const bool wide = random_.chance(30);
  const Type type = wide ? Type::b64 : Type::b32;
  const unsigned size = wide ? 8 : 4;
  const char* name = s_.launch.dynamic_shared && random_.chance(50) ? "dynamic" : "exchanged";
  std::string text;
  const std::string base = temp(Type::b32), mine = temp(Type::b32), other = temp(Type::b32), from = temp(Type::b32);
  line(text, "mov.u32 {}, {};", base, name);
  line(text, "mad.lo.u32 {}, %k_lin, {}, {};", mine, size, base);
  const auto n = static_cast<unsigned>(s_.block_threads());
  line(text, "{}.sync 0;", barrier_name());
  line(text, "st.shared.{} [{}], {};", ptx::name(type), mine, read(scope, type));
  line(text, "{}.sync 0;", barrier_name());
  switch (random_.below(4)) {
    case 0: line(text, "sub.u32 {}, {}, %k_lin;", other, n - 1); break;
    case 1: line(text, "rem.u32 {}, {}, {};", other, read(scope, Type::u32), n); break;
    case 2: {
      const std::string t = temp(Type::b32);
      line(text, "add.u32 {}, %k_lin, {};", t, random_.below(n));
      line(text, "rem.u32 {}, {}, {};", other, t, n);
      break;
    }
    default: line(text, "mov.u32 {}, {};", other, random_.below(n)); break;
  }
  line(text, "mad.lo.u32 {}, {}, {}, {};", from, other, size, base);
  line(text, "{}ld.shared.{} {}, [{}];", guard(scope, 15), ptx::name(type), write(type), from);
  line(text, "{}.sync 0;", barrier_name());
  return text;
}

// A sum (or the like) of all threads in shared memory. Those that have left take no part, whoever they are: each thread
// sets the places back.
std::string Writer::shared_reduction(const Scope& scope) {
  static constexpr const char* operations[] = {"add.u32", "xor.b32", "max.s32", "or.b32", "min.u32"};
  const std::string operation = random_.pick(operations);
  const unsigned places = 1u << random_.below(3);
  std::string text;
  const std::string base = temp(Type::b32), i = temp(Type::b32), at = temp(Type::b32), t = temp(Type::b32);
  line(text, "mov.u32 {}, counters;", base);
  line(text, "{}.sync 0;", barrier_name());
  for (unsigned k = 0; k < places; ++k) line(text, "st.shared.u32 [{}+{}], {};", base, 4 * k, 7 * k);
  line(text, "{}.sync 0;", barrier_name());
  line(text, "and.b32 {}, {}, {};", i, read(scope, Type::b32), places - 1);
  line(text, "mad.lo.u32 {}, {}, 4, {};", at, i, base);
  const std::string guarded = guard(scope, 25), value = read(scope, Type::u32);
  if (random_.chance(60))
    line(text, "{}red{}.shared.{} [{}], {};", guarded, order(true), operation, at, value);
  else
    line(text, "{}atom{}.shared.{} {}, [{}], {};", guarded, order(false), operation, t, at, value);
  line(text, "{}.sync 0;", barrier_name());
  line(text, "ld.shared.u32 {}, [{}+{}];", write(Type::u32), base, 4 * random_.below(places));
  line(text, "{}.sync 0;", barrier_name());
  return text;
}

}  // namespace heddle::test::random_kernel
