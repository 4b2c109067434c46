// Cubes: which face a direction meets, and where; and what lies behind the edge of a face (CUDA C++ Programming Guide,
// "Cubemap Textures").
#pragma once

#include <array>
#include <cstdint>

namespace heddle::texture {

struct FacePoint {
  unsigned face = 0;    // +x, -x, +y, -y, +z, -z
  double s = 0, t = 0;  // from 0 to 1
  double axis = 1;      // the largest coordinate, without its sign
};
FacePoint face_of(double x, double y, double z);

// The texel that continues a face behind one of its edges: `i` or `j` is -1 or `size`, the other one within the face.
struct FaceTexel {
  unsigned face = 0;
  std::int64_t i = 0, j = 0;
};
FaceTexel behind_edge(unsigned face, std::int64_t i, std::int64_t j, std::uint32_t size);

}  // namespace heddle::texture
