// Launches of which some waves of blocks are simulated and the CPU device executes the others: results are those of the
// whole simulation, cycles are near, and kernels for which that would not hold are simulated whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "device/cpu/open.hpp"
#include "device/device.hpp"
#include "device/sim/sim.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::sim {
namespace {

using testing::HasSubstr;

struct Shape {
  unsigned blocks = 600, threads = 128;
  bool cooperative = false;
};

struct Ran {
  KernelStatistics figures;
  std::vector<std::uint32_t> words;
  double ms = 0;  // by the device's clock
};

constexpr std::size_t words = 1 << 18;

SimOptions options_of(const std::string& device) {
  SimOptions options = parse_sim_options("sim:" + device);
  options.machine.sms = 2;
  options.native = [] { return cpu::open_cpu_device({.workers = 2, .pin = false}); };
  return options;
}

// `body` finds an array of words in %p, %tid.x, %ctaid.x, %ntid.x and the number of the thread in %t, %b, %n and %i,
// and the address of word %i in %q. Before the kernel: `variables` of the module.
std::string text_of(const std::string& body, const std::string& variables = "") {
  return ".version 7.0\n.target sm_80\n.address_size 64\n" + variables +
         ".visible .entry k(.param .u64 a)\n{\n"
         ".reg .u64 %p, %q, %w; .reg .u32 %t, %i, %b, %n, %j, %r<8>; .reg .f32 %f<8>; .reg .pred %c;\n"
         ".shared .align 4 .b8 s[4096];\n"
         "ld.param.u64 %p, [a];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"
         "mad.lo.u32 %i, %b, %n, %t;\nmul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\n" +
         body + "ret;\n}\n";
}

Ran run(SimOptions options, const std::string& text, const Shape& shape = {}, unsigned queues = 1) {
  Ran ran;
  options.on_launch = [&](const std::string&, const KernelStatistics& figures) { ran.figures = figures; };
  const auto device = make_sim_device(std::move(options));
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  ran.words.resize(words);
  for (std::size_t i = 0; i < words; ++i) ran.words[i] = static_cast<std::uint32_t>(i * 2654435761u >> 8);
  const auto memory = device->allocate(words * 4);
  std::vector<std::unique_ptr<Queue>> all;
  for (unsigned i = 0; i < queues; ++i) all.push_back(device->queue({}));
  const Span host = Span::host(ran.words.data(), words * 4);
  all[0]->copy(memory->span(), host);
  all[0]->synchronize();
  const std::uint64_t address = memory->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  const std::uint64_t start = device->clock().now_ns();
  for (const auto& queue : all)
    queue->launch(module->function("k"),
                  {.grid = {shape.blocks}, .block = {shape.threads}, .cooperative = shape.cooperative},
                  {0, shape.blocks}, arguments);
  for (const auto& queue : all) queue->synchronize();
  ran.ms = static_cast<double>(device->clock().now_ns() - start) * 1e-6;
  all[0]->copy(host, memory->span());
  all[0]->synchronize();
  return ran;
}

struct Kernel {
  std::string name, body;
};
void PrintTo(const Kernel& kernel, std::ostream* to) { *to << kernel.name; }

std::string loop(unsigned turns, const std::string& body) {
  return "mov.u32 %j, 0;\nL:\n" + body + "add.u32 %j, %j, 1;\nsetp.lt.u32 %c, %j, " + std::to_string(turns) +
         ";\n@%c bra L;\n";
}

// Kernels whose blocks all do the same.
const Kernel alike[] = {
    {"arithmetic", "cvt.rn.f32.u32 %f0, %i;\nmov.f32 %f1, 0f3F7FF000;\nmov.f32 %f2, 0f3DCCCCCD;\n" +
                       loop(40, "fma.rn.f32 %f0, %f0, %f1, %f2;\n") + "st.global.f32 [%q], %f0;\n"},
    {"stream",
     "ld.global.u32 %r0, [%q];\nld.global.u32 %r1, [%q+307200];\nadd.u32 %r0, %r0, %r1;\n"
     "st.global.u32 [%q+614400], %r0;\n"},
    {"shared",
     "ld.global.u32 %r0, [%q];\nmov.u32 %r1, s;\nshl.b32 %r2, %t, 2;\nadd.u32 %r2, %r2, %r1;\n"
     "xor.b32 %r3, %t, 31;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r3, %r3, %r1;\n" +
         loop(12,
              "st.shared.u32 [%r2], %r0;\nbar.sync 0;\nld.shared.u32 %r4, [%r3];\nadd.u32 %r0, %r0, %r4;\n"
              "bar.sync 0;\n") +
         "st.global.u32 [%q], %r0;\n"},
    {"integer_atomics",
     "and.b32 %r0, %i, 255;\nmul.wide.u32 %w, %r0, 4;\nadd.u64 %w, %p, %w;\n"
     "red.global.add.u32 [%w+800000], %t;\n"},
};

class Alike : public testing::TestWithParam<Kernel> {};

TEST_P(Alike, IsWithinItsIntervalOfTheWhole) {
  const std::string text = text_of(GetParam().body);
  const Ran whole = run(options_of("fermi-c2050"), text);
  const Ran sampled = run(options_of("fermi-c2050,sample=15"), text);
  EXPECT_EQ(sampled.words, whole.words);
  const SampleFigures& sample = sampled.figures.sample;
  ASSERT_TRUE(sample.estimated()) << sample.refusal;
  EXPECT_EQ(sample.of_blocks, 600u);
  EXPECT_LT(sample.blocks, 300u);
  EXPECT_LT(sampled.figures.sm.warp_instructions, whole.figures.sm.warp_instructions * 2 / 3);
  EXPECT_GE(whole.figures.cycles(), sample.low);
  EXPECT_LE(whole.figures.cycles(), sample.high);
  EXPECT_NEAR(static_cast<double>(sample.cycles), static_cast<double>(whole.figures.cycles()),
              0.05 * static_cast<double>(whole.figures.cycles()));
  EXPECT_NEAR(sampled.ms, whole.ms, 0.05 * whole.ms);  // the clock shows the estimate
  EXPECT_THAT(report_text("k", sampled.figures), HasSubstr("by estimate; 95 % interval"));
}

TEST_P(Alike, HasOneEstimateWithAnyNumberOfHostThreads) {
  const std::string text = text_of(GetParam().body);
  const Ran one = run(options_of("fermi-c2050,sample=10"), text);
  const Ran three = run(options_of("fermi-c2050,sample=10,threads=3"), text);
  EXPECT_EQ(one.words, three.words);
  EXPECT_EQ(one.figures.sample.cycles, three.figures.sample.cycles);
  EXPECT_EQ(one.figures.sample.low, three.figures.sample.low);
  EXPECT_EQ(one.figures.sample.high, three.figures.sample.high);
  EXPECT_EQ(one.figures.sm, three.figures.sm);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Alike, testing::ValuesIn(alike), [](const auto& info) { return info.param.name; });

// A wave of blocks that do more than others is seen: the interval is wide, and the whole is in it.
TEST(Sampling, OfBlocksThatDifferSaysSo) {
  const std::string text = text_of(
      "and.b32 %r0, %b, 63;\nadd.u32 %r0, %r0, 4;\nmov.u32 %r1, %i;\nmov.u32 %j, 0;\nL:\n"
      "mad.lo.u32 %r1, %r1, 5, 3;\nadd.u32 %j, %j, 1;\nsetp.lt.u32 %c, %j, %r0;\n"
      "@%c bra L;\nst.global.u32 [%q], %r1;\n");
  const Ran whole = run(options_of("fermi-c2050"), text);
  const Ran sampled = run(options_of("fermi-c2050,sample=15"), text);
  EXPECT_EQ(sampled.words, whole.words);
  const SampleFigures& sample = sampled.figures.sample;
  ASSERT_TRUE(sample.estimated()) << sample.refusal;
  EXPECT_GT(sample.high - sample.low, sample.cycles / 50);
  EXPECT_GE(whole.figures.cycles(), sample.low);
  EXPECT_LE(whole.figures.cycles(), sample.high);
}

// Variables and constants of the module are the simulated device's.
TEST(Sampling, HasTheVariablesOfTheModule) {
  const std::string text = text_of(
      "red.global.add.u32 [total], 1;\nld.const.u32 %r0, [factor];\nmul.lo.u32 %r0, %r0, %i;\n"
      "st.global.u32 [%q], %r0;\n",
      ".global .align 4 .u32 total = 5;\n.const .align 4 .u32 factor = 3;\n");
  SimOptions options = options_of("fermi-c2050,sample=10");
  const auto device = make_sim_device(std::move(options));
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  const auto memory = device->allocate(words * 4);
  const auto queue = device->queue({});
  const std::uint32_t factor = 7;
  queue->copy(module->variable("factor"), Span::host(&factor, 4));
  const std::uint64_t address = memory->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  queue->launch(module->function("k"), {.grid = {600}, .block = {128}}, {0, 600}, arguments);
  std::uint32_t total = 0;
  std::vector<std::uint32_t> found(600 * 128);
  queue->copy(Span::host(&total, 4), module->variable("total"));
  queue->copy(Span::host(found.data(), found.size() * 4), {device.get(), address, found.size() * 4});
  queue->synchronize();
  EXPECT_EQ(total, 5u + 600 * 128);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 7 * i) << i;
}

struct Refused {
  std::string name, body, sentence;
  Shape shape;
};
void PrintTo(const Refused& kernel, std::ostream* to) { *to << kernel.name; }

const Refused refused[] = {
    {"few_waves", "st.global.u32 [%q], %i;\n", "its 12 blocks are not more than 10 waves of ", {.blocks = 12}},
    {"cooperative", "st.global.u32 [%q], %i;\n", "cooperative launch", {.blocks = 8, .cooperative = true}},
    {"tickets",
     "atom.global.add.u32 %r0, [%p], 1;\nst.global.u32 [%q+16], %r0;\n",
     "its blocks are not independent: ",
     {}},
    {"waits_for_a_block",
     "L:\nld.volatile.global.u32 %r0, [%p];\nsetp.eq.u32 %c, %r0, 1234567;\n@%c bra L;\n",
     "its blocks are not independent: ",
     {}},
    {"sums_of_floats",
     "cvt.rn.f32.u32 %f0, %i;\nred.global.add.f32 [%p], %f0;\n",
     "adds floating-point numbers, whose sum depends on the order of threads",
     {}},
    {"places_in_shared_memory",
     "mov.u32 %r1, 0;\nst.shared.u32 [s], %r1;\nbar.sync 0;\natom.shared.add.u32 %r0, [s], 1;\n"
     "st.global.u32 [%q], %r0;\n",
     "finds a value, which depends on the order of threads",
     {}},
    {"exchanges", "atom.global.exch.b32 %r0, [%p], %i;\n", "leaves what depends on the order of threads", {}},
    {"two_kinds", "red.global.add.u32 [%p], 1;\nred.global.max.u32 [%p], %i;\n", "do not commute", {}},
    {"clock", "mov.u32 %r0, %clock;\nst.global.u32 [%q], %r0;\n", "%clock", {}},
    {"processor", "mov.u32 %r0, %smid;\nst.global.u32 [%q], %r0;\n", "%smid", {}},
};

class Refusal : public testing::TestWithParam<Refused> {};

TEST_P(Refusal, SimulatesAllBlocksAndSaysWhy) {
  const std::string text = text_of(GetParam().body);
  const Ran whole = run(options_of("fermi-c2050"), text, GetParam().shape);
  const Ran asked = run(options_of("fermi-c2050,sample=10"), text, GetParam().shape);
  EXPECT_THAT(asked.figures.sample.refusal, HasSubstr(GetParam().sentence));
  EXPECT_FALSE(asked.figures.sample.estimated());
  EXPECT_EQ(asked.words, whole.words);
  EXPECT_EQ(asked.figures.cycles(), whole.figures.cycles());
  EXPECT_EQ(asked.figures.sm, whole.figures.sm);
  EXPECT_THAT(report_text("k", asked.figures), HasSubstr("sampled    no: "));
  EXPECT_EQ(whole.figures.sample.refusal, "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Refusal, testing::ValuesIn(refused),
                         [](const auto& info) { return info.param.name; });

// An estimate of a launch that shares the machine would be of both.
TEST(Sampling, EndsWhereAnotherLaunchComes) {
  const std::string text = text_of(alike[0].body);
  Ran ran = run(options_of("fermi-c2050,sample=10"), text, {}, 2);
  EXPECT_EQ(ran.figures.sample.refusal, "another launch was on the machine at the same time");
  EXPECT_EQ(ran.words, run(options_of("fermi-c2050"), text).words);
}

TEST(Sampling, NeedsADeviceForTheOtherBlocks) {
  SimOptions options = options_of("fermi-c2050,sample=10");
  options.native = {};
  EXPECT_THAT(run(std::move(options), text_of(alike[0].body)).figures.sample.refusal,
              HasSubstr("no device of the host"));
}

// What a block does wrong that is not simulated fails the launch too.
TEST(Sampling, FindsFaultsOfAllBlocks) {
  const std::string text = text_of("setp.ne.u32 %c, %b, 20;\n@%c bra L;\ntrap;\nL:\nst.global.u32 [%q], %i;\n");
  EXPECT_THROW(run(options_of("fermi-c2050,sample=10"), text), Error);
}

TEST(Sampling, RefusesNumbersThatTellNothing) {
  EXPECT_THROW(parse_sim_options("sim:fermi-c2050,sample=9"), Error);
  EXPECT_THROW(parse_sim_options("sim:fermi-c2050,sample=many"), Error);
  EXPECT_EQ(parse_sim_options("sim:fermi-c2050,sample=10").sample_waves, 10u);
  EXPECT_EQ(parse_sim_options("sim:fermi-c2050").sample_waves, 0u);
}

}  // namespace
}  // namespace heddle::device::sim
