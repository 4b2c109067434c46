// What is bound by the memory's speed alone.
#include "compare/cases.hpp"
#include "kernels/loops.hpp"

namespace heddle::bench {
namespace {

constexpr int n = 1 << 24;  // 64 MiB an array
constexpr unsigned threads = 256;
constexpr double array_bytes = sizeof(float) * static_cast<double>(n);

Case saxpy() {
  constexpr float a = 0.5f;
  Case made;
  const auto x = made.add(random_floats("x", n, 0, 1, 1)), y = made.add(random_floats("y", n, 0, 1, 2, Role::changed));
  made.steps = {{"saxpy", blocks_for(n, threads), {threads}, {n, a, x, y}}};
  made.loops = [](const HostArrays& h) { loops::saxpy(n, a, h.get(0), h.get(1)); };
  made.streaming = [](const HostArrays& h) { loops::saxpy_streaming(n, a, h.get(0), h.get(1)); };
  made.bytes = 3 * array_bytes;
  return made;
}

Case copy() {
  Case made;
  const auto a = made.add(random_floats("a", n, 0, 1, 1)), b = made.add(zeros("b", n, Role::output));
  made.steps = {{"copy", blocks_for(n, threads), {threads}, {n, a, b}}};
  made.loops = [](const HostArrays& h) { loops::copy(n, h.get(0), h.get(1)); };
  made.streaming = [](const HostArrays& h) { loops::copy_streaming(n, h.get(0), h.get(1)); };
  made.bytes = 2 * array_bytes;
  made.tolerance.relative = 0;
  return made;
}

Case triad() {
  constexpr float s = 0.5f;
  Case made;
  const auto b = made.add(random_floats("b", n, 0, 1, 1)), c = made.add(random_floats("c", n, 0, 1, 2));
  const auto a = made.add(zeros("a", n, Role::output));
  made.steps = {{"triad", blocks_for(n, threads), {threads}, {n, s, b, c, a}}};
  made.loops = [](const HostArrays& h) { loops::triad(n, s, h.get(0), h.get(1), h.get(2)); };
  made.streaming = [](const HostArrays& h) { loops::triad_streaming(n, s, h.get(0), h.get(1), h.get(2)); };
  made.bytes = 3 * array_bytes;
  return made;
}

}  // namespace

std::vector<CaseMaker> stream_cases() { return {{"saxpy", saxpy}, {"copy", copy}, {"triad", triad}}; }

}  // namespace heddle::bench
