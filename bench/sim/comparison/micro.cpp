#include <cstdint>

#include "cases.hpp"

namespace heddle::bench::comparison {
namespace {

constexpr unsigned sms = 132;
constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t memory_bytes = 512 * mib;  // several times the L2

// A loop of `unroll` times `line`, where '#' is the number modulo `names` and '$' the number. It may use what text_of()
// declares. What it computes in %f, %d and %r is used, so that nothing is left out.
struct Loop {
  std::string name, line;
  std::string before;  // the loop
  unsigned threads = 32, blocks = 1;
  unsigned unroll = 32, names = 8;
  unsigned few = 64, more = 320;  // times through the loop
  unsigned shared = 0;
  std::uint64_t bytes = 4096;  // of the array
  std::uint64_t ring = 0;      // the stride of a ring of addresses all over the array
  std::uint64_t reach = 0;     // not 0: every launch begins so many bytes behind the last one, while there is room
  bool warm = true;            // one launch before those that are measured
};

std::string numbered(std::string text, unsigned i, unsigned names) {
  const auto put = [&](char mark, unsigned number) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark))
      text.replace(at, 1, std::to_string(number));
  };
  put('#', i % names);
  put('$', i);
  return text;
}

// Whether the text names a register, and not only one whose name begins like its.
bool uses(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

std::string text_of(const Loop& loop) {
  std::string body;
  for (unsigned i = 0; i < loop.unroll; ++i) body += numbered(loop.line, i, loop.names) + "\n";
  // Values that no compiler knows and that stay finite come in, and all that come out are used.
  std::string before, after;
  for (unsigned i = 0; i < 32; ++i) {
    const std::string f = "%f" + std::to_string(i), d = "%d" + std::to_string(i), r = "%r" + std::to_string(i);
    if (uses(body, f)) {
      before += "cvt.rn.f32.u32 " + f + ", %n;\nmul.f32 " + f + ", " + f + ", 0f2F800000;\n";
      after += "add.f32 %sum, %sum, " + f + ";\n";
    }
    if (uses(body, d)) {
      before += "cvt.rn.f64.u32 " + d + ", %n;\nmul.f64 " + d + ", " + d + ", 0d3DF0000000000000;\n";
      after += "cvt.rn.f32.f64 %one, " + d + ";\nadd.f32 %sum, %sum, %one;\n";
    }
    if (uses(body, r)) {
      before += "add.u32 " + r + ", %n, %t;\n";
      after += "xor.b32 %all, %all, " + r + ";\n";
    }
  }
  std::string text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
      ".reg .u64 %p, %q, %base; .reg .u32 %t, %i, %j, %n, %left, %all; .reg .pred %c, %more; .reg .f32 %sum, %one;\n"
      ".reg .f32 %f<32>; .reg .f64 %d<32>; .reg .u32 %r<32>;\n";
  if (loop.shared != 0) text += ".shared .align 16 .b8 s[" + std::to_string(loop.shared) + "];\n";
  text += "ld.param.u64 %base, [a];\nld.param.u32 %n, [n];\nmov.u64 %p, %base;\nmov.u32 %t, %tid.x;\n" + before +
          "mov.u32 %i, %n;\nmov.u32 %j, %n;\nadd.u64 %q, %p, 0;\n" + loop.before + "mov.u32 %left, %n;\nloop:\n" +
          body +
          "sub.u32 %left, %left, 1;\nsetp.ne.u32 %more, %left, 0;\n@%more bra loop;\n"
          "mov.u32 %all, %i;\nmov.f32 %sum, 0f00000000;\n" +
          after +
          "xor.b32 %all, %all, %j;\ncvt.u32.u64 %i, %p;\nxor.b32 %all, %all, %i;\ncvt.u32.u64 %i, %q;\n"
          "xor.b32 %all, %all, %i;\nsetp.ne.u32 %c, %n, 0xffffffff;\n@%c bra end;\nst.global.f32 [%base], %sum;\n"
          "st.global.u32 [%base+4], %all;\nend:\nret;\n}\n";
  return text;
}

double run(const Loop& loop, Measure& measure) {
  device::Function& function = measure.load(text_of(loop), "k");
  const std::uint64_t address = measure.zeros(loop.bytes);
  if (loop.ring != 0) {
    std::vector<std::uint64_t> words(loop.bytes / 8);
    const std::uint64_t count = loop.bytes / loop.ring;
    for (std::uint64_t i = 0; i < count; ++i) words[i * loop.ring / 8] = address + (i + 1) % count * loop.ring;
    measure.write(address, words.data(), loop.bytes);
  }
  std::uint64_t offset = 0;
  const device::LaunchConfig config{.grid = {loop.blocks}, .block = {loop.threads}};
  const auto cycles = [&](unsigned n) {
    return measure.cycles(
        function, config,
        [&] {
          if (offset + loop.reach > loop.bytes) offset = 0;
          const std::uint64_t at = address + offset;
          offset += loop.reach;
          return pack(function, at, n);
        },
        1, loop.ring != 0 ? 3 : 9);
  };
  if (loop.warm) cycles(loop.more);
  const double few = cycles(loop.few), more = cycles(loop.more);
  measure.clear();
  return (more - few) / (static_cast<double>(loop.more - loop.few) * loop.unroll);
}

// Dependent instructions of one warp.
std::vector<Loop> latencies() {
  const auto chain = [](std::string name, std::string line) {
    return Loop{.name = std::move(name), .line = std::move(line), .few = 200, .more = 2200};
  };
  return {
      chain("latency of an FMA", "fma.rn.f32 %f0, %f0, %f0, %f1;"),
      chain("latency of an addition", "add.rn.f32 %f0, %f0, %f1;"),
      chain("latency of an FMA of doubles", "fma.rn.f64 %d0, %d0, %d0, %d1;"),
      chain("latency of an integer MAD", "mad.lo.u32 %r0, %r0, %r1, %r2;"),
      chain("latency of a minimum and an XOR", "min.u32 %r0, %r0, %r1;\nxor.b32 %r0, %r0, %r2;"),
      chain("latency of ex2", "ex2.approx.ftz.f32 %f0, %f0;"),
      chain("latency of rsqrt", "rsqrt.approx.ftz.f32 %f0, %f0;"),
      chain("latency of a shuffle", "shfl.sync.bfly.b32 %r0, %r0, 1, 31, -1;"),
      chain("latency of a barrier of a warp", "bar.sync 0;"),
  };
}

// Independent instructions of 32 warps of one SM: cycles of all of them.
std::vector<Loop> throughputs() {
  const auto full = [](std::string name, std::string line) {
    return Loop{.name = std::move(name), .line = std::move(line), .threads = 1024, .few = 64, .more = 464};
  };
  Loop mix =
      full("32 warps: an FMA and an integer MAD", "fma.rn.f32 %f#, %f#, %f#, %f1#;\nmad.lo.u32 %r#, %r#, %r8, %r9;");
  Loop few_warps = full("4 warps: an FMA", "fma.rn.f32 %f#, %f#, %f#, %f1#;");
  few_warps.threads = 128;
  Loop branches =
      full("32 warps: both sides of a branch",
           "{\n@%c bra other;\nfma.rn.f32 %f0, %f0, %f0, %f1;\nfma.rn.f32 %f2, %f2, %f2, %f1;\n"
           "fma.rn.f32 %f3, %f3, %f3, %f1;\nfma.rn.f32 %f4, %f4, %f4, %f1;\nrsqrt.approx.ftz.f32 %f5, %f5;\n"
           "fma.rn.f32 %f0, %f0, %f0, %f1;\nfma.rn.f32 %f2, %f2, %f2, %f1;\nfma.rn.f32 %f3, %f3, %f3, %f1;\n"
           "bra join;\nother:\n"
           "fma.rn.f32 %f6, %f6, %f6, %f1;\nfma.rn.f32 %f7, %f7, %f7, %f1;\n"
           "fma.rn.f32 %f8, %f8, %f8, %f1;\nfma.rn.f32 %f9, %f9, %f9, %f1;\nex2.approx.ftz.f32 %f5, %f5;\n"
           "fma.rn.f32 %f6, %f6, %f6, %f1;\nfma.rn.f32 %f7, %f7, %f7, %f1;\nfma.rn.f32 %f8, %f8, %f8, %f1;\n"
           "join:\n}");
  branches.before = "and.b32 %i, %t, 1;\nsetp.eq.u32 %c, %i, 0;\n";
  branches.unroll = 8;
  return {
      full("32 warps: an FMA", "fma.rn.f32 %f#, %f#, %f#, %f1#;"),
      full("32 warps: an FMA of doubles", "fma.rn.f64 %d#, %d#, %d#, %d0;"),
      full("32 warps: an integer MAD", "mad.lo.u32 %r#, %r#, %r8, %r9;"),
      full("32 warps: a minimum and an XOR", "min.u32 %r#, %r#, %r8;\nxor.b32 %r#, %r#, %r9;"),
      full("32 warps: ex2", "ex2.approx.ftz.f32 %f#, %f#;"),
      full("32 warps: a barrier", "bar.sync 0;"),
      mix,
      few_warps,
      branches,
  };
}

std::vector<Loop> shared_memory() {
  const auto loads = [](std::string name, unsigned words) {
    Loop loop{.name = std::move(name),
              .line = "ld.volatile.shared.u32 %r1#, [%j];\nxor.b32 %r#, %r#, %r1#;",
              .threads = 256,
              .few = 64,
              .more = 464,
              .shared = 32768};
    loop.before = "mov.u32 %j, s;\nand.b32 %i, %t, 31;\nmad.lo.u32 %j, %i, " + std::to_string(words * 4) + ", %j;\n";
    return loop;
  };
  Loop chase{.name = "latency of shared memory", .line = "ld.shared.u32 %r0, [%r0];", .few = 200, .more = 1200};
  chase.shared = 64;
  chase.before = "mov.u32 %r0, s;\nst.shared.u32 [%r0], %r0;\nbar.sync 0;\n";
  Loop atomic = loads("8 warps: a shared atomic, each lane a word", 1);
  atomic.line = "atom.shared.add.u32 %r#, [%j], %n;";
  return {chase,
          loads("8 warps: a shared load", 1),
          loads("8 warps: a shared load, 2 ways", 2),
          loads("8 warps: a shared load, 8 ways", 8),
          loads("8 warps: a shared load, 32 ways", 32),
          atomic};
}

std::vector<Loop> memory() {
  const auto chase = [](std::string name, std::uint64_t bytes, std::uint64_t ring) {
    return Loop{.name = std::move(name),
                .line = "ld.global.u64 %p, [%p];",
                .threads = 1,
                .unroll = 8,
                .few = 200,
                .more = 1200,
                .bytes = bytes,
                .ring = ring};
  };
  Loop dram = chase("latency of DRAM", memory_bytes, 4096 + 256);
  dram.few = 100;
  dram.more = 600;
  dram.reach = 600 * 8 * dram.ring;
  Loop atomic{.name = "latency of an atomic", .line = "atom.global.add.u32 %r0, [%base], %r0;", .threads = 1};
  atomic.more = 664;
  // All SMs, 512 threads in each of 2 blocks; a thread reads a word, next to its neighbour's.
  const auto stream = [](std::string name, std::uint64_t bytes, unsigned stride, unsigned few, unsigned more) {
    Loop loop{.name = std::move(name), .threads = 512, .blocks = 2 * sms, .unroll = 8, .names = 4};
    const std::uint64_t round = std::uint64_t{loop.threads} * loop.blocks * stride;
    loop.before = "mov.u32 %i, %ctaid.x;\nmad.lo.u32 %i, %i, 512, %t;\nmul.wide.u32 %q, %i, " + std::to_string(stride) +
                  ";\nadd.u64 %p, %p, %q;\n";
    loop.line = "ld.global.f32 %f1#, [%p];\nadd.f32 %f#, %f#, %f1#;\nadd.u64 %p, %p, " + std::to_string(round) + ";";
    loop.bytes = bytes;
    loop.few = few;
    loop.more = more;
    if (bytes >= memory_bytes) loop.reach = more * loop.unroll * round;
    return loop;
  };
  const auto one_round = [](Loop loop, const std::string& line) {
    loop.line = line;
    return loop;
  };
  Loop writes = stream("all SMs: writing DRAM", memory_bytes, 4, 10, 40);
  writes.line = "st.global.f32 [%p], %f1#;\nadd.u64 %p, %p, " + std::to_string(512 * 2 * sms * 4) + ";";
  Loop in_l2 = stream("all SMs: reading the L2", 4 * mib, 4, 10, 60);
  in_l2.before += "shl.b32 %j, %i, 2;\n";
  in_l2.line =
      "add.u32 %j, %j, 524288;\nand.b32 %j, %j, 4194300;\ncvt.u64.u32 %q, %j;\nadd.u64 %q, %q, %base;\n"
      "ld.global.cg.f32 %f1#, [%q];\nadd.f32 %f#, %f#, %f1#;";
  const Loop same = stream("all SMs: atomics on one word", mib, 4, 8, 24);
  const Loop apart = stream("all SMs: atomics, each thread a word", mib, 4, 16, 80);
  return {chase("latency of the L1", 4096, 128),
          chase("latency of the L2", 2 * mib, 256),
          dram,
          atomic,
          stream("all SMs: reading DRAM", memory_bytes, 4, 10, 40),
          stream("all SMs: reading DRAM, every second word", memory_bytes, 8, 5, 20),
          stream("all SMs: reading DRAM, every eighth word", memory_bytes, 32, 2, 5),
          writes,
          one_round(same, "red.global.add.u32 [%base], %n;"),
          one_round(apart, "red.global.add.u32 [%p], %n;")};
}

}  // namespace

std::vector<Case> microbenchmarks() {
  std::vector<Case> cases;
  for (const auto& group : {latencies(), throughputs(), shared_memory(), memory()})
    for (const Loop& loop : group)
      cases.push_back({loop.name, false, [loop](Measure& measure) { return run(loop, measure); }});
  return cases;
}

}  // namespace heddle::bench::comparison
