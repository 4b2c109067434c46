// Random flow: threads go their own ways through blocks that branch to any others, with loops that have several ways in
// and out. The host follows each thread alone.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "conformance/conformance.hpp"

namespace heddle::conformance {
namespace {

constexpr std::uint32_t threads = 40, first_steps = 60;

struct Block {
  std::uint32_t added = 0;  // to the thread's number, after a multiplication
  bool ends = false;        // the thread, when it has run enough blocks
  enum class Branch : std::uint8_t { none, by_number, by_steps } branch = Branch::none;
  std::uint32_t compared = 0;  // the bit of the number, or how many steps are left
  std::size_t taken = 0, otherwise = 0;
};

struct Flow {
  std::vector<Block> blocks;  // the one behind the last is the end

  // Nothing: the thread does not end within so many steps.
  std::optional<std::uint32_t> follow(std::uint32_t number) const {
    std::int32_t steps = first_steps;
    for (std::size_t at = 0; at < blocks.size();) {
      const Block& block = blocks[at];
      number = number * 1664525 + block.added;
      if (--steps < -1000) return std::nullopt;
      if (block.ends && steps <= 0) break;
      const bool taken = block.branch == Block::Branch::by_number  ? (number >> block.compared & 1) != 0
                         : block.branch == Block::Branch::by_steps ? steps == static_cast<std::int32_t>(block.compared)
                                                                   : false;
      at = taken ? block.taken : block.otherwise;
    }
    return number;
  }

  std::string ptx() const {
    std::string text = R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry flow(.param .u64 in, .param .u64 out)
{
  .reg .b32 %number, %steps, %r<3>;
  .reg .b64 %from, %to, %rd<3>;
  .reg .pred %p;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mad.wide.u32 %from, %r1, 8, %rd1;
  mad.wide.u32 %to, %r1, 4, %rd2;
  ld.global.v2.u32 {%number, %steps}, [%from];
)";
    for (std::size_t at = 0; at < blocks.size(); ++at) text += ptx_of(at);
    text += fmt::format("B{}:\n  st.global.u32 [%to], %number;\n  ret;\n}}\n", blocks.size());
    return text;
  }

 private:
  std::string ptx_of(std::size_t at) const {
    const Block& block = blocks[at];
    std::string text = fmt::format("B{}:\n  mad.lo.u32 %number, %number, 1664525, {};\n", at, block.added);
    text += "  sub.s32 %steps, %steps, 1;\n";
    if (block.ends) text += fmt::format("  setp.le.s32 %p, %steps, 0;\n  @%p bra B{};\n", blocks.size());
    if (block.branch == Block::Branch::by_number)
      text += fmt::format("  and.b32 %r2, %number, {};\n  setp.ne.u32 %p, %r2, 0;\n", 1u << block.compared);
    if (block.branch == Block::Branch::by_steps) text += fmt::format("  setp.eq.u32 %p, %steps, {};\n", block.compared);
    if (block.branch != Block::Branch::none) text += fmt::format("  @%p bra B{};\n", block.taken);
    return text + (block.otherwise == at + 1 ? "" : fmt::format("  bra B{};\n", block.otherwise));
  }
};

Flow random_flow(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  Flow flow;
  flow.blocks.resize(3 + below(5));
  const std::size_t count = flow.blocks.size();
  for (std::size_t at = 0; at < count; ++at) {
    Block& block = flow.blocks[at];
    block.added = random();
    block.ends = below(3) == 0;
    block.branch = below(2) == 0   ? Block::Branch::none
                   : below(3) != 0 ? Block::Branch::by_number
                                   : Block::Branch::by_steps;
    block.compared =
        static_cast<std::uint32_t>(block.branch == Block::Branch::by_steps ? 1 + below(first_steps) : 12 + below(20));
    block.taken = below(count);
    // Most threads go on to the next block, and from the last one back: loops come first.
    block.otherwise = at + 1 == count || below(6) == 0 ? below(count) : at + 1;
  }
  return flow;
}

TEST_P(Conformance, ThreadsGoTheirOwnWays) {
  std::mt19937 random(7);
  const Buffer<std::uint32_t> in(*device, 2 * threads), out(*device, threads);
  for (int tried = 0; tried < 300; ++tried) {
    const Flow flow = random_flow(random);
    std::vector<std::uint32_t> given, expected;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      given.insert(given.end(), {static_cast<std::uint32_t>(random()), first_steps});
      if (const auto number = flow.follow(given[2 * thread])) expected.push_back(*number);
    }
    if (expected.size() < threads) continue;
    in.write(*queue, given);
    out.fill(*queue);
    const auto module = load(flow.ptx());
    launch(*queue, module->function("flow"), {.grid = {1}, .block = {threads}}, in.address(), out.address());
    ASSERT_EQ(out.read(*queue), expected) << "flow " << tried << "\n" << flow.ptx();
  }
}

}  // namespace
}  // namespace heddle::conformance
