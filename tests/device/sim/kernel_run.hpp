// A kernel of a few lines of PTX on one simulated SM with other policies.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sim/sim.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::sim {

struct KernelRun {
  KernelStatistics figures;
  std::vector<std::uint32_t> words;
};

struct KernelShape {
  unsigned threads = 64, blocks = 64;
  bool cooperative = false;
  unsigned words = 1 << 15;
  bool zero = false;  // the words are 0 at first
  bool audit = true;  // what must hold for policies is checked after each cycle
};

// A launch of `body` on one SM of the machine, whose parameter is an array of words that lead to others. `machine`:
// with its policies, as "fermi-gtx480,divergence=nrec". The body finds the array in %p, and %tid.x, %ctaid.x, %ntid.x
// and the number of the thread in %t, %b, %n and %i.
inline KernelRun run_kernel(const std::string& machine, const std::string& body, const KernelShape& shape = {}) {
  KernelRun ran;
  SimOptions options = parse_sim_options("sim:" + machine);
  options.machine.sms = 1;
  options.audit = shape.audit;
  options.on_launch = [&](const std::string&, const KernelStatistics& figures) { ran.figures = figures; };
  const auto device = make_sim_device(std::move(options));
  const std::string text =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .u64 %p, %q; .reg .u32 %t, %i, %b, %n, %r<80>; .reg .f32 %f<8>; .reg .pred %c, %d;\n"
      ".shared .align 4 .b8 s[1024];\n"
      "ld.param.u64 %p, [a];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"
      "mad.lo.u32 %i, %b, %n, %t;\n" +
      body + "ret;\n}\n";
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  ran.words.resize(shape.words);
  for (unsigned i = 0; i < shape.words; ++i) ran.words[i] = shape.zero ? 0 : (i * 7919u + 12345u) % shape.words;
  const auto memory = device->allocate(shape.words * sizeof ran.words[0]);
  const auto queue = device->queue({});
  const Span host = Span::host(ran.words.data(), shape.words * sizeof ran.words[0]);
  queue->copy(memory->span(), host);
  const std::uint64_t address = memory->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  queue->launch(module->function("k"),
                {.grid = {shape.blocks}, .block = {shape.threads}, .cooperative = shape.cooperative}, {0, shape.blocks},
                arguments);
  queue->copy(host, memory->span());
  queue->synchronize();
  return ran;
}

// Loads of which each reads the address of the next, one word for a warp: latency is the limit, not bandwidth. Each
// thread stores what it has found.
inline const std::string pointer_chase = R"(
shr.u32 %r0, %i, 5;
mul.lo.u32 %r0, %r0, 997;
mov.u32 %r1, 0;
L:
and.b32 %r0, %r0, 32767;
mul.wide.u32 %q, %r0, 4;
add.u64 %q, %p, %q;
ld.global.u32 %r0, [%q];
add.u32 %r1, %r1, 1;
setp.lt.u32 %c, %r1, 6;
@%c bra L;
and.b32 %r2, %r0, 1;
)";

}  // namespace heddle::device::sim
