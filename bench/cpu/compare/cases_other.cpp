// Each for something of its own: arithmetic, divergence, strided access.
#include "compare/cases.hpp"
#include "kernels/sums.hpp"

namespace heddle::bench {
namespace {

constexpr unsigned threads = 256;

Case transpose() {
  constexpr int width = 4096, height = 4096, tile = 32;
  constexpr std::size_t points = static_cast<std::size_t>(width) * height;
  Case made;
  const auto in = made.add(random_floats("in", points, 0, 1, 1)), out = made.add(zeros("out", points, Role::output));
  made.steps = {{"transpose", {width / tile, height / tile}, plane_block, {width, height, in, out}}};
  made.loops = [](const HostArrays& h) { loops::transpose(width, height, h.get(0), h.get(1)); };
  made.tolerance.relative = 0;
  return made;
}

Case black_scholes() {
  constexpr int n = 1 << 22;
  constexpr float rate = 0.02f, volatility = 0.3f;
  Case made;
  const auto price = made.add(random_floats("price", n, 5, 30, 1));
  const auto strike = made.add(random_floats("strike", n, 1, 100, 2));
  const auto years = made.add(random_floats("years", n, 0.25f, 10, 3));
  const auto call = made.add(zeros("call", n, Role::output)), put = made.add(zeros("put", n, Role::output));
  made.steps = {
      {"black_scholes", blocks_for(n, threads), {threads}, {n, rate, volatility, price, strike, years, call, put}}};
  made.loops = [](const HostArrays& h) {
    loops::black_scholes(n, rate, volatility, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4));
  };
  return made;
}

Case nbody() {
  constexpr int n = 8192;
  Case made;
  const auto bodies = made.add(random_floats("bodies", 4 * n, 0, 1, 1));
  const auto attraction = made.add(zeros("attraction", 4 * n, Role::output));
  made.steps = {{"nbody", blocks_for(n, threads), {threads}, {n, bodies, attraction}}};
  made.loops = [](const HostArrays& h) { loops::nbody(n, h.get<Float4>(0), h.get<Float4>(1)); };
  made.reordered = [](const HostArrays& h) { reordered_loops::nbody(n, h.get<Float4>(0), h.get<Float4>(1)); };
  return made;
}

Case mandelbrot() {
  constexpr int width = 1024, height = 768, limit = 256;
  constexpr float left = -2.0f, top = -1.125f, step = 3.0f / width;
  Case made;
  const auto steps = made.add(zeros("steps", static_cast<std::size_t>(width) * height, Role::output, Element::i32));
  made.steps = {
      {"mandelbrot", blocks_for_plane(width, height), plane_block, {width, height, limit, left, top, step, steps}}};
  made.loops = [](const HostArrays& h) { loops::mandelbrot(width, height, limit, left, top, step, h.get<int>(0)); };
  // Near the border of the set the rounding of a step decides how many follow.
  made.tolerance = {0, 0.02};
  return made;
}

}  // namespace

std::vector<CaseMaker> other_cases() {
  return {{"transpose", transpose}, {"black_scholes", black_scholes}, {"nbody", nbody}, {"mandelbrot", mandelbrot}};
}

}  // namespace heddle::bench
