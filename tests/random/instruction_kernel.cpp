// Kernels without control flow: many instructions on the same odd values, each result stored in a place of its own, so
// that a difference names its instruction. Result i of thread t stands in out[i * threads + t]; the text says which
// instruction it is of.
#include <fmt/format.h>

#include "random/instruction_writer.hpp"
#include "random/program.hpp"
#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

namespace {

constexpr unsigned threads = 256, instructions = 40, values = 64;

struct Input {
  const char* prefix;
  Type type;
  unsigned count;
  const char* buffer;  // it is loaded from
};
constexpr Input inputs[] = {
    {"r", Type::b32, 2, "words"},   {"rs", Type::b32, 2, "odd_words"}, {"rh", Type::b32, 2, "halves"},
    {"rf", Type::b32, 1, "reals"},  {"h", Type::b16, 1, "words"},      {"hs", Type::b16, 2, "halves"},
    {"hb", Type::b16, 2, "reals"},  {"x", Type::f16, 2, "halves"},     {"w", Type::f16x2, 1, "halves"},
    {"f", Type::f32, 3, "reals"},   {"d", Type::b64, 2, "words"},      {"ds", Type::b64, 1, "odd_longs"},
    {"g", Type::f64, 3, "doubles"}, {"dg", Type::b64, 1, "doubles"}};
constexpr const char* buffers[] = {"words", "odd_words", "odd_longs", "halves", "reals", "doubles", "out", "outd"};

std::string arguments(Random& random, unsigned results, unsigned real_results) {
  const auto seed = random.below(1000000);
  std::string text = fmt::format("//: arg words u32[{}] = bits {}\n//: arg odd_words u32[{}] = special {}\n",
                                 2 * values, seed, values, seed + 1);
  text += fmt::format("//: arg odd_longs u64[{}] = special {}\n//: arg halves f16[{}] = special {}\n", values, seed + 2,
                      values, seed + 3);
  text += fmt::format("//: arg reals f32[{}] = special {}\n//: arg doubles f64[{}] = special {}\n", values, seed + 4,
                      values, seed + 5);
  text += fmt::format("//: arg out u64[{}]\n//: arg outd f64[{}]\n", results * threads, real_results * threads);
  return text + "//: expect out same-as interp\n//: expect outd same-as interp\n";
}

class InstructionKernel {
 public:
  InstructionKernel(Random& random, Catalog& catalog, const Target& target, bool for_gpu)
      : random_(random), catalog_(catalog), target_(target), for_gpu_(for_gpu) {}

  Function write() {
    Function function;
    function.body.push_back(load_inputs());
    for (unsigned i = 0; i < instructions; ++i) function.body.push_back(instruction(i));
    function.body.push_back(Statement::lines("  ret;\n"));
    std::string parameters;
    for (const char* name : buffers)
      parameters += fmt::format("{}.param .u64 {}", parameters.empty() ? "" : ", ", name);
    function.head = fmt::format(
        ".visible .entry k({})\n{{\n  .reg .pred %p<3>;\n  .reg .b32 %me, %place, %small;\n  .reg .b64 %at;\n{}{}",
        parameters, in_.declarations(), declarations_);
    return function;
  }
  std::string directives() { return arguments(random_, std::max(results_, 1u), std::max(real_results_, 1u)); }

 private:
  Statement load_inputs() {
    std::string text = "  mov.u32 %me, %tid.x;\n";
    const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
      text += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
    };
    for (const char* name : buffers) {
      declarations_ += fmt::format("  .reg .b64 %b_{};\n", name);
      line("ld.param.u64 %b_{}, [{}];", name, name);
    }
    for (const Input& input : inputs) {
      in_.add(input.prefix, input.type, input.count);
      const unsigned bytes = ptx::byte_size(input.type);
      for (unsigned i = 0; i < input.count; ++i) {
        // Each register meets the values in an order of its own.
        const bool pairs = ptx::bit_width(input.type) == 32 && std::string(input.buffer) == "halves";
        const unsigned count = pairs ? values / 2 : values;
        line("mad.lo.u32 %place, %me, {}, {};", 2 * random_.below(values) + 1, random_.below(values));
        line("and.b32 %place, %place, {};", count - 1);
        line("mad.wide.u32 %at, %place, {}, %b_{};", bytes, input.buffer);
        line("ld.global.b{} %{}{}, [%at];", 8 * bytes, input.prefix, i);
      }
    }
    line("and.b32 %small, %me, 31;");
    for (unsigned i = 0; i < 3; ++i) line("setp.lt.u32 %p{}, %r0, {};", i, random_.bits() >> 32);
    predicates_.add("p", Type::pred, 3);
    return Statement::lines(text);
  }

  Statement instruction(unsigned number) {
    for (;;) {
      const Choice choice = catalog_.pick(random_, target_, for_gpu_);
      Registers into;
      const std::string prefix = fmt::format("o{}_", number);
      into.add(prefix + "p", Type::pred, 2);
      into.add(prefix + "h", Type::b16, 1);
      into.add(prefix + "r", Type::b32, 1);
      into.add(prefix + "f", Type::f32, 1);
      into.add(prefix + "d", Type::b64, 1);
      into.add(prefix + "g", Type::f64, 1);
      const auto reads = [&](Type type, Use use, bool relaxed) {
        if (use == Use::read_small)
          return random_.chance(50) ? std::string("%small") : std::to_string(random_.below(32));
        const Reg* reg = (type == Type::pred ? predicates_ : in_).pick(random_, type, relaxed, use);
        return reg ? reg->name : std::string();
      };
      const auto writes = [&](Type type, Use use, bool relaxed) { return into.candidates(type, relaxed, use); };
      const auto constant = [&](Type type) {
        return ptx::is_float(type) ? std::string() : std::to_string(random_.below(100));
      };
      const std::string text = InstructionWriter(random_, choice, reads, writes, constant).text();
      if (text.empty() || (for_gpu_ && operands_differ_on_gpus(choice, text))) continue;
      std::string lines = "  " + text + "\n";
      for (const Reg& reg : into.all())
        if (text.find(reg.name) != std::string::npos) store(reg, lines);
      return Statement::lines(lines);
    }
  }

  void store(const Reg& reg, std::string& text) {
    declarations_ += fmt::format("  .reg .{} {};\n", ptx::name(reg.type), reg.name);
    const bool real = reg.type == Type::f64;
    const unsigned number = real ? real_results_++ : results_++;
    const std::string wide = fmt::format("%s{}", stores_), word = fmt::format("%sr{}", stores_);
    ++stores_;
    declarations_ += fmt::format("  .reg .b64 {};\n  .reg .b32 {};\n", wide, word);
    text += fmt::format("  mad.wide.u32 %at, %me, 8, %b_{};  // {} {}: {}\n", real ? "outd" : "out",
                        real ? "outd" : "result", number, number * threads);
    if (reg.type == Type::pred)
      text += fmt::format("  selp.b64 {}, 1, 0, {};\n", wide, reg.name);
    else if (reg.type == Type::f32)
      text += fmt::format("  mov.b32 {}, {};\n  cvt.u64.u32 {}, {};\n", word, reg.name, wide, word);
    else if (ptx::bit_width(reg.type) < 64)
      text += fmt::format("  cvt.u64.u{} {}, {};\n", ptx::bit_width(reg.type), wide, reg.name);
    const bool direct = ptx::bit_width(reg.type) == 64;
    text += fmt::format("  st.global.{} [%at+{}], {};\n", real ? "f64" : "b64", number * threads * 8,
                        direct ? reg.name : wide);
  }

  Random& random_;
  Catalog& catalog_;
  Target target_;
  bool for_gpu_;
  Registers in_, predicates_;
  std::string declarations_;
  unsigned results_ = 0, real_results_ = 0, stores_ = 0;
};

}  // namespace

Program generate_instructions(std::uint64_t seed, bool for_gpu) {
  static constexpr Target targets[] = {{83, 90}, {83, 90}, {83, 90}, {88, 100}};
  Random random(seed);
  static Catalog catalog;
  Program program;
  program.seed = seed;
  program.launch.block = {threads, 1, 1};
  program.launch.blocks = {0, 1};
  Target target = random.pick(targets);
  if (for_gpu && target.sm > newest_gpu.sm) target = newest_gpu;
  program.head =
      fmt::format(".version {}.{}\n.target sm_{}\n.address_size 64\n", target.ptx / 10, target.ptx % 10, target.sm);
  InstructionKernel kernel(random, catalog, target, for_gpu);
  program.functions.push_back(kernel.write());
  program.arguments = kernel.directives();
  return program;
}

}  // namespace heddle::test::random_kernel
