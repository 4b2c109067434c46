// Neighbourhoods on grids.
#include "compare/cases.hpp"
#include "kernels/loops.hpp"

namespace heddle::bench {
namespace {

Case fdtd_2d() {
  constexpr int rows = 2048, columns = 2048, steps = 5;
  constexpr std::size_t points = static_cast<std::size_t>(rows) * columns;
  const std::vector<float> sources = {0, 1, 2, 3, 4};
  Case made;
  made.add(values<float>("source", Element::f32, sources));
  const auto ex = made.add(random_floats("ex", points, 0, 1, 1, Role::changed));
  const auto ey = made.add(random_floats("ey", points, 0, 1, 2, Role::changed));
  const auto hz = made.add(random_floats("hz", points, 0, 1, 3, Role::changed));
  const Dim3 grid = blocks_for_plane(columns, rows);
  for (int t = 0; t < steps; ++t) {
    made.steps.push_back({"step_ey", grid, plane_block, {rows, columns, sources[t], ey, hz}});
    made.steps.push_back({"step_ex", grid, plane_block, {rows, columns, ex, hz}});
    made.steps.push_back({"step_hz", grid, plane_block, {rows, columns, ex, ey, hz}});
  }
  made.loops = [](const HostArrays& h) {
    loops::fdtd_2d(rows, columns, steps, h.get(0), h.get(1), h.get(2), h.get(3));
  };
  return made;
}

Case conv2d() {
  constexpr int rows = 4096, columns = 4096;
  constexpr std::size_t points = static_cast<std::size_t>(rows) * columns;
  Case made;
  const auto in = made.add(random_floats("in", points, 0, 1, 1)), out = made.add(zeros("out", points, Role::output));
  made.steps = {{"conv2d", blocks_for_plane(columns, rows), plane_block, {rows, columns, in, out}}};
  made.loops = [](const HostArrays& h) { loops::conv2d(rows, columns, h.get(0), h.get(1)); };
  return made;
}

Case conv3d() {
  constexpr int width = 256;
  constexpr std::size_t points = static_cast<std::size_t>(width) * width * width;
  Case made;
  const auto in = made.add(random_floats("in", points, 0, 1, 1)), out = made.add(zeros("out", points, Role::output));
  for (int z = 1; z < width - 1; ++z) {
    made.steps.push_back({"conv3d", blocks_for_plane(width, width), plane_block, {width, width, z, in, out}});
  }
  made.loops = [](const HostArrays& h) { loops::conv3d(width, width, width, h.get(0), h.get(1)); };
  return made;
}

Case stencil_3d() {
  constexpr int width = 256;
  constexpr std::size_t points = static_cast<std::size_t>(width) * width * width;
  constexpr float centre = 0.4f, side = 0.1f;
  Case made;
  const auto in = made.add(random_floats("in", points, 0, 1, 1)), out = made.add(zeros("out", points, Role::output));
  Dim3 grid = blocks_for_plane(width, width);
  grid.z = width;
  made.steps = {{"stencil_3d", grid, plane_block, {width, width, width, centre, side, in, out}}};
  made.loops = [](const HostArrays& h) { loops::stencil_3d(width, width, width, centre, side, h.get(0), h.get(1)); };
  return made;
}

}  // namespace

std::vector<CaseMaker> stencil_cases() {
  return {{"fdtd_2d", fdtd_2d}, {"conv2d", conv2d}, {"conv3d", conv3d}, {"stencil_3d", stencil_3d}};
}

}  // namespace heddle::bench
