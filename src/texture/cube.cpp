#include "texture/cube.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::texture {
namespace {

// The table of the guide: m, s and t of each face, as signs of x, y and z.
struct Face {
  int axis, s, t;  // the coordinate's number, from 1; negative: the sign turned
};
constexpr Face faces[6] = {{1, -3, -2}, {-1, 3, -2}, {2, 1, 3}, {-2, 1, -3}, {3, 1, -2}, {-3, -1, -2}};

double pick(const std::array<double, 3>& v, int which) {
  return which > 0 ? v[static_cast<unsigned>(which - 1)] : -v[static_cast<unsigned>(-which - 1)];
}

void put(std::array<double, 3>& v, int which, double value) {
  v[static_cast<unsigned>(std::abs(which) - 1)] = which > 0 ? value : -value;
}

FacePoint on_face(unsigned face, const std::array<double, 3>& v) {
  const double m = pick(v, faces[face].axis);
  if (m == 0) return {face, 0.5, 0.5, 1};
  return {face, (pick(v, faces[face].s) / m + 1) / 2, (pick(v, faces[face].t) / m + 1) / 2, m};
}

// The face that a direction along one axis meets.
unsigned face_along(int axis) {
  for (unsigned face = 0; face < 6; ++face)
    if (faces[face].axis == axis) return face;
  return 0;
}

}  // namespace

FacePoint face_of(double x, double y, double z) {
  const std::array<double, 3> v{x, y, z};
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  int axis = z < 0 ? -3 : 3;
  if (ax > ay && ax > az)
    axis = x < 0 ? -1 : 1;
  else if (ay > az)
    axis = y < 0 ? -2 : 2;
  return on_face(face_along(axis), v);
}

FaceTexel behind_edge(unsigned face, std::int64_t i, std::int64_t j, std::uint32_t size) {
  const Face& from = faces[face];
  const bool by_s = i < 0 || i >= static_cast<std::int64_t>(size);
  const double edge = (by_s ? i : j) < 0 ? -1.0 : 1.0;
  const double along = (2.0 * static_cast<double>(by_s ? j : i) + 1) / size - 1;
  // The point of the edge, which both faces share.
  std::array<double, 3> v{};
  put(v, from.axis, 1);
  put(v, from.s, by_s ? edge : along);
  put(v, from.t, by_s ? along : edge);
  const int crossed = by_s ? from.s : from.t;
  const FacePoint there = on_face(face_along(edge < 0 ? -crossed : crossed), v);
  const auto index = [&](double x) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(x * size)), 0, std::int64_t{size} - 1);
  };
  return {there.face, index(there.s), index(there.t)};
}

}  // namespace heddle::texture
