// Branches, loops and what else moves lanes apart.
#include <algorithm>

#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

namespace {
constexpr unsigned most_turns = 48;  // of an instruction in nested loops
constexpr unsigned most_depth = 4;
}  // namespace

std::string Writer::condition(const Scope& scope, std::string& text, bool all_uniform) {
  const std::string p = comparison(scope, text, all_uniform);
  return unknown(text, p);
}

std::string Writer::comparison(const Scope& scope, std::string& text, bool all_uniform) {
  const std::string p = temp(Type::pred);
  static constexpr const char* compares[] = {"lt.u32", "ge.u32", "eq.s32", "ne.s32", "gt.s32", "le.s32"};
  if (all_uniform) {
    const std::string t = temp(Type::b32);
    line(text, "and.b32 {}, {}, 7;", t, read_uniform(Type::b32));
    line(text, "setp.{} {}, {}, {};", random_.pick(compares), p, t, random_.below(8));
    return p;
  }
  switch (random_.below(5)) {
    case 0: {
      const std::string q = read(scope, Type::pred);
      if (!q.empty()) return q;
      [[fallthrough]];
    }
    case 1: {
      const std::string t = temp(Type::b32);
      line(text, "and.b32 {}, {}, 7;", t, read(scope, Type::b32));
      line(text, "setp.{} {}, {}, {};", random_.pick(compares), p, t, random_.below(8));
      return p;
    }
    case 2:
      if (!scope.known.empty()) {
        const Known& known = random_.pick(scope.known);
        line(text, "setp.{} {}, {}, {};", random_.pick(compares), p, known.name,
             random_.below(static_cast<std::size_t>(known.most) + 1));
        return p;
      }
      [[fallthrough]];
    case 3:
      line(text, "setp.{} {}, {}, {};", random_.pick(compares), p, read(scope, Type::u32), read(scope, Type::u32));
      return p;
    default: line(text, "setp.gt.f32 {}, {}, {};", p, read(scope, Type::f32), constant(Type::f32)); return p;
  }
}

// A register with a number of turns from 0 to `most`, which is one less than a power of two.
std::string Writer::trip_count(const Scope& scope, std::string& text, bool all_uniform, unsigned most) {
  const std::string n = temp(Type::b32);
  line(text, "and.b32 {}, {}, {};", n, all_uniform ? read_uniform(Type::b32) : read(scope, Type::b32), most);
  make_unknown(text, n);
  return n;
}

Scope Writer::inner(const Scope& scope, bool all_uniform) const {
  Scope result = scope;
  ++result.depth;
  if (!all_uniform) {
    result.uniform = false;
    result.mask.clear();
  }
  return result;
}

Body Writer::some(const Scope& scope, unsigned most) {
  Body result;
  for (unsigned i = 1 + random_.below(most); i > 0 && budget_ > 0; --i) result.push_back(statement(scope));
  return result;
}

Body Writer::body(const Scope& scope, unsigned statements) {
  budget_ = statements;
  Body result;
  while (budget_ > 0) result.push_back(statement(scope));
  return result;
}

Statement Writer::statement(const Scope& scope) {
  if (budget_ > 0) --budget_;
  const unsigned control = scope.depth == 0 ? 22 : scope.depth < most_depth ? 15 : 0;
  if (random_.chance(control * s_.branching) && budget_ > 2) return control_statement(scope);
  return plain_statement(scope);
}

Statement Writer::plain_statement(const Scope& scope) {
  const unsigned die = random_.below(100);
  if (die < 36) return Statement::lines(arithmetic(scope, false));
  if (die < 41) return Statement::lines(scope.uniform ? arithmetic(scope, true) : arithmetic(scope, false));
  if (die < 58) return Statement::lines(memory_access(scope));
  if (die < 61) return Statement::lines(carry_chain(scope));
  if (die < 65) return Statement::lines(packing(scope));
  if (die < 68) return Statement::lines(reinterpretation(scope));
  if (die < 73) return Statement::lines(affine_value(scope));
  if (die < 75) return Statement::lines(is_kernel_ ? wrapped_access(scope) : affine_value(scope));
  if (die < 78) return Statement::lines(is_kernel_ ? reduction_on_all(scope) : arithmetic(scope, false));
  if (die < 81) return Statement::lines(is_kernel_ ? atomic_on_own(scope) : arithmetic(scope, false));
  if (die < 88) return Statement::lines(warp_operation(scope));
  if (die < 95 && is_kernel_ && scope.uniform) return Statement::lines(barrier(scope));
  if (die < 91 && is_kernel_)
    return Statement::lines(s_.target.sm >= 80 && random_.chance(80) ? asynchronous_copy(scope) : fence());
  if (die < 98) return Statement::lines(call(scope));
  if (!scope.loops.empty()) return leave_loop(scope);
  if (is_kernel_ && s_.early_exit && random_.chance(50)) return Statement::lines(leave_kernel(scope));
  return Statement::lines(arithmetic(scope, false));
}

Statement Writer::control_statement(const Scope& scope) {
  const bool loops = scope.turns < most_turns, irregular = loops && s_.irregular;
  for (;;) switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: return choice(scope);
      case 3: return short_circuit(scope);
      case 4:
      case 5:
        if (loops) return counted_loop(scope);
        break;
      case 6:
        if (loops && !scope.mask.empty()) return masked_loop(scope);
        break;
      case 7:
        if (loops) return turning_loop(scope);
        break;
      case 8: return switch_statement(scope);
      case 9:
        if (irregular) return loops_with_one_head(scope);
        break;
      default:
        if (irregular) return jumble(scope);
        break;
    }
}

Statement Writer::choice(const Scope& scope) {
  const bool all_uniform = scope.uniform && random_.chance(30);
  const std::string otherwise = s_.label("else"), end = s_.label("end");
  std::string text;
  const std::string p = condition(scope, text, all_uniform);
  Scope then = inner(scope, all_uniform), other = then;
  if (!all_uniform && !scope.mask.empty() && random_.chance(60)) {
    then.mask = temp(Type::b32);
    other.mask = temp(Type::b32);
    line(text, "vote.sync.ballot.b32 {}, {}, {};", then.mask, p, scope.mask);
    line(text, "xor.b32 {}, {}, {};", other.mask, then.mask, scope.mask);
  }
  const bool negated = random_.chance(30), has_else = random_.chance(60);
  if (negated) std::swap(then.mask, other.mask);
  const char* uni = all_uniform && random_.chance(50) ? ".uni" : "";
  line(text, "@{}{} bra{} {};", negated ? "" : "!", p, uni, has_else ? otherwise : end);
  Statement statement;
  statement.add(text).add(some(then, 5));
  if (has_else)
    statement.add(fmt::format("  bra{} {};\n{}:\n", random_.chance(30) ? ".uni" : "", end, otherwise))
        .add(some(other, 5));
  return statement.add(end + ":\n");
}

// if (p && q) or (p || q), jump by jump.
Statement Writer::short_circuit(const Scope& scope) {
  const Scope inside = inner(scope, false);
  const std::string then = s_.label("then"), otherwise = s_.label("else"), end = s_.label("end");
  const bool disjunction = random_.chance(50);
  std::string first, second;
  const std::string p = condition(scope, first, false), q = condition(scope, second, false);
  line(first, "@{}{} bra {};", disjunction ? "" : "!", p, disjunction ? then : otherwise);
  line(second, "@!{} bra {};", q, otherwise);
  Statement statement;
  statement.add(first).add(some(inside, 2)).add(second + then + ":\n").add(some(inside, 4));
  return statement.add(fmt::format("  bra {};\n{}:\n", end, otherwise)).add(some(inside, 3)).add(end + ":\n");
}

// for (i = 0; i < n; i += step), at its head or its foot, up or down.
Statement Writer::counted_loop(const Scope& scope) {
  const bool all_uniform = scope.uniform && random_.chance(50);
  const unsigned most = scope.turns == 1 ? 7 : scope.turns <= 8 ? 3 : 1;
  const std::string head = s_.label("head"), next = s_.label("next"), end = s_.label("end");
  std::string text;
  const std::string n = trip_count(scope, text, all_uniform, most), i = temp(Type::b32), p = temp(Type::pred);
  Scope inside = inner(scope, all_uniform);
  inside.turns *= most;
  inside.loops.push_back({end, next, true});
  // A uniform loop stays together only when no lane leaves it early; leaving is for loops that are open.
  if (all_uniform) inside.loops.back().open = false;
  if (random_.chance(80)) inside.known.push_back({i, static_cast<std::int64_t>(most) + 1});
  const char* uni = all_uniform && random_.chance(30) ? ".uni" : "";
  Statement statement;
  if (random_.chance(60)) {
    start_counter(text, i, "0");
    text += head + ":\n";
    line(text, "setp.ge.u32 {}, {}, {};", p, i, n);
    line(text, "@{} bra{} {};", p, uni, end);
    statement.add(text).add(some(inside, 6));
    text = next + ":\n";
    line(text, "add.u32 {}, {}, {};", i, i, random_.chance(75) ? 1 : 2);
    line(text, "bra{} {};", random_.chance(30) ? ".uni" : "", head);
  } else {
    start_counter(text, i, n);
    text += head + ":\n";
    statement.add(text).add(some(inside, 6));
    text = next + ":\n";
    line(text, "setp.ne.u32 {}, {}, 0;", p, i);
    line(text, "@{} sub.u32 {}, {}, 1;", p, i, i);
    line(text, "@{} bra{} {};", p, uni, head);
  }
  return statement.add(text + end + ":\n");
}

// A loop that lanes leave in different turns, with the mask of those that are left.
Statement Writer::masked_loop(const Scope& scope) {
  const unsigned most = scope.turns == 1 ? 7 : 3;
  const std::string head = s_.label("head"), end = s_.label("end");
  std::string text;
  const std::string n = trip_count(scope, text, false, most), i = temp(Type::b32), p = temp(Type::pred);
  const std::string mask = temp(Type::b32), left = temp(Type::b32);
  Scope inside = inner(scope, false);
  inside.mask = mask;
  inside.turns *= most;
  inside.known.push_back({i, most});
  start_counter(text, i, "0");
  line(text, "mov.b32 {}, {};", mask, scope.mask);
  text += head + ":\n";
  line(text, "setp.lt.u32 {}, {}, {};", p, i, n);
  line(text, "vote.sync.ballot.b32 {}, {}, {};", left, p, mask);
  line(text, "@!{} bra {};", p, end);
  line(text, "mov.b32 {}, {};", mask, left);
  Statement statement;
  statement.add(text).add(some(inside, 5));
  text.clear();
  line(text, "add.u32 {}, {}, 1;", i, i);
  line(text, "bra {};", head);
  return statement.add(text + end + ":\n");
}

// while (condition on data), with a bound.
Statement Writer::turning_loop(const Scope& scope) {
  const unsigned most = scope.turns == 1 ? 6 : scope.turns <= 8 ? 3 : 2;
  const std::string head = s_.label("head"), next = s_.label("next"), end = s_.label("end");
  std::string text;
  const std::string fuel = temp(Type::b32), p = temp(Type::pred);
  Scope inside = inner(scope, false);
  inside.turns *= most;
  inside.loops.push_back({end, next, true});
  start_counter(text, fuel, std::to_string(most));
  text += head + ":\n";
  std::string test;
  const std::string q = condition(inside, test, false);
  line(test, "@!{} bra {};", q, end);
  Statement statement;
  statement.add(text).add(some(inside, 3)).add(test).add(some(inside, 4));
  text = next + ":\n";
  line(text, "sub.u32 {}, {}, 1;", fuel, fuel);
  line(text, "setp.ne.u32 {}, {}, 0;", p, fuel);
  line(text, "@{} bra {};", p, head);
  return statement.add(text + end + ":\n");
}

// Two loops, one inside the other, that share their head. Lanes leave the inner one in different turns and are together
// again behind it.
Statement Writer::loops_with_one_head(const Scope& scope) {
  const bool all_uniform = scope.uniform && random_.chance(70);
  const unsigned most = scope.turns == 1 ? 6 : 2;
  const std::string head = s_.label("head");
  std::string text;
  const std::string turns = temp(Type::b32), i = temp(Type::b32), p = temp(Type::pred), q = temp(Type::pred);
  const std::string n = trip_count(scope, text, all_uniform, 3);
  Scope first = inner(scope, false), behind = inner(scope, all_uniform);
  first.turns *= most + 3;
  behind.turns *= 3;
  start_counter(text, turns, "0");
  start_counter(text, i, "0");
  text += head + ":\n";
  Statement statement;
  statement.add(text).add(some(first, 3));
  text.clear();
  line(text, "add.u32 {}, {}, 1;", turns, turns);
  const std::string wanted = condition(first, text, false);
  line(text, "setp.lt.u32 {}, {}, {};", p, turns, most);
  line(text, "and.pred {}, {}, {};", p, p, wanted);
  line(text, "@{} bra {};", p, head);
  statement.add(text).add(some(behind, 4));
  text.clear();
  line(text, "add.u32 {}, {}, 1;", i, i);
  line(text, "setp.lt.u32 {}, {}, {};", q, i, n);
  line(text, "@{} bra {};", q, head);
  return statement.add(text);
}

Statement Writer::switch_statement(const Scope& scope) {
  const bool all_uniform = scope.uniform && random_.chance(30);
  const unsigned cases = 2 + random_.below(4), labels = 1 + random_.below(cases);
  const std::string end = s_.label("end"), table = s_.label("table");
  std::vector<std::string> names;
  for (unsigned i = 0; i < labels; ++i) names.push_back(s_.label("case"));
  std::string text;
  const std::string i = temp(Type::b32), t = temp(Type::b32);
  line(text, "shr.u32 {}, {}, {};", t, all_uniform ? read_uniform(Type::u32) : read(scope, Type::u32),
       random_.chance(70) ? 0 : 13);
  line(text, "rem.u32 {}, {}, {};", i, t, cases);
  make_unknown(text, i);
  line(text, "{}: .branchtargets", table);
  text.pop_back();
  for (unsigned k = 0; k < cases; ++k)
    text += (k > 0 ? ", " : " ") + (k < labels ? names[k] : random_.chance(50) ? end : random_.pick(names));
  text += ";\n";
  line(text, "brx.idx{} {}, {};", all_uniform && random_.chance(30) ? ".uni" : "", i, table);
  const Scope inside = inner(scope, all_uniform);
  Statement statement;
  for (const std::string& name : names) {
    statement.add(text + name + ":\n").add(some(inside, 4));
    text = random_.chance(60) ? fmt::format("  bra {};\n", end) : "";  // or into the next case
  }
  return statement.add(text + end + ":\n");
}

// Blocks that jump anywhere among themselves; each jump back takes fuel, so that there is an end.
Statement Writer::jumble(const Scope& scope) {
  const bool all_uniform = scope.uniform && random_.chance(25);
  const unsigned blocks = 3 + random_.below(5), most = scope.turns == 1 ? 6 : 2;
  const std::string end = s_.label("end"), fuel = temp(Type::b32);
  std::vector<std::string> names;
  for (unsigned i = 0; i < blocks; ++i) names.push_back(s_.label("block"));
  Scope inside = inner(scope, all_uniform);
  inside.turns *= most + 1;
  inside.depth = std::max(inside.depth, 2u);
  const auto jump = [&](unsigned from) {
    std::string text;
    const std::string p = condition(inside, text, all_uniform);
    const unsigned to = random_.below(blocks + 1);
    if (to <= from) {
      const std::string q = temp(Type::pred);
      line(text, "sub.s32 {}, {}, 1;", fuel, fuel);
      line(text, "setp.lt.s32 {}, {}, 0;", q, fuel);
      line(text, "@{} bra {};", q, end);
    }
    line(text, "@{}{} bra {};", random_.chance(30) ? "!" : "", p, to == blocks ? end : names[to]);
    return Statement::lines(text);
  };
  Statement statement;
  std::string text;
  start_counter(text, fuel, std::to_string(most));
  for (unsigned i = random_.below(3); i > 0; --i) {
    const std::string p = condition(scope, text, all_uniform);
    line(text, "@{} bra {};", p, names[1 + random_.below(blocks - 1)]);
  }
  for (unsigned b = 0; b < blocks; ++b) {
    statement.add(text + names[b] + ":\n");
    Body block = some(inside, 3);
    for (unsigned i = random_.below(3); i > 0; --i) block.push_back(jump(b));
    if (random_.chance(25) && b + 1 < blocks) {
      block.push_back(Statement::lines(
          fmt::format("  bra {};\n", random_.chance(30) ? end : names[b + 1 + random_.below(blocks - b - 1)])));
    }
    statement.add(std::move(block));
    text.clear();
  }
  return statement.add(end + ":\n");
}

// break and continue, of this loop or one around it.
Statement Writer::leave_loop(const Scope& scope) {
  std::vector<std::string> targets;
  for (std::size_t i = scope.loops.size(); i-- > 0 && scope.loops[i].open;) {
    targets.push_back(scope.loops[i].end);
    targets.push_back(scope.loops[i].next);
  }
  if (targets.empty()) return Statement::lines(arithmetic(scope, false));
  std::string text;
  const std::string p = condition(scope, text, false);
  line(text, "@{} bra {};", p, random_.pick(targets));
  return Statement::lines(text);
}

std::string Writer::leave_kernel(const Scope& scope) {
  std::string text;
  const std::string t = temp(Type::b32), p = temp(Type::pred);
  line(text, "and.b32 {}, {}, 31;", t, read(scope, Type::b32));
  line(text, "setp.eq.u32 {}, {}, {};", p, t, random_.below(32));
  const std::string leaves = unknown(text, p);
  line(text, "@{} {};", leaves, random_.chance(50) ? "ret" : "exit");
  return text;
}

}  // namespace heddle::test::random_kernel
