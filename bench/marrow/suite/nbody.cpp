// Bodies that attract each other, by direct sums: a loop whose parts meet after each iteration.
#include <algorithm>
#include <cmath>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

constexpr float step = 1e-3f;

struct Float4 {
  float x, y, z, w;
};

// One step of one body, as the kernel computes it.
struct Moved {
  Float4 position, velocity;
};
Moved moved(const std::vector<Float4>& all, std::size_t body, const Float4& velocity) {
  double x = 0, y = 0, z = 0;
  const Float4& me = all[body];
  for (const Float4& other : all) {
    const double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const double inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-4);
    const double pull = other.w * inverse * inverse * inverse;
    x += pull * dx;
    y += pull * dy;
    z += pull * dz;
  }
  const Float4 v{static_cast<float>(velocity.x + step * x), static_cast<float>(velocity.y + step * y),
                 static_cast<float>(velocity.z + step * z), velocity.w};
  return {{me.x + step * v.x, me.y + step * v.y, me.z + step * v.z, me.w}, v};
}

class NBody final : public Program {
 public:
  NBody(Runtime& runtime, const Module& module, const Inputs& inputs)
      : iterations_(inputs.iterations),
        kernel_(module.kernel("nbody")),
        bodies_(runtime.array<Float4>(inputs.bodies)),
        velocity_(runtime.array<Float4>(inputs.bodies)),
        next_(runtime.array<Float4>(inputs.bodies)) {}

  std::string name() const override { return "N-Body"; }
  double bar() const override { return 1.0; }
  std::vector<Value> arguments() override { return {value_of(bodies_), value_of(velocity_), value_of(next_)}; }
  Tree tree() const override { return steps(iterations_); }

  void fill() override {
    std::ranges::copy(start(), bodies_.write().begin());
    std::ranges::fill(velocity_.write(), Float4{});
  }
  void take_to_host() override {
    bodies_.write();
    velocity_.write();
  }

  // All bodies over two iterations where that is little; else some bodies over one, as each needs all others.
  std::string verify(Executor& executor) override {
    fill();
    std::vector<Float4> all = start();
    const bool few = all.size() <= 4096;
    const std::size_t iterations = few ? 2 : 1;
    executor.run(steps(iterations), arguments()).get();
    std::vector<Float4> velocity(all.size()), next(all.size());
    const std::size_t stride = few ? 1 : all.size() / 64;
    for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
      for (std::size_t i = 0; i < all.size(); i += stride) {
        const Moved one = moved(all, i, velocity[i]);
        next[i] = one.position;
        velocity[i] = one.velocity;
      }
      std::swap(all, next);
    }
    // After an odd number of iterations the results are in the other array, as they have changed places.
    const std::span<const Float4> found = iterations % 2 == 0 ? bodies_.read() : next_.read();
    const std::span<const Float4> speeds = velocity_.read();
    for (std::size_t i = 0; i < found.size(); i += stride) {
      if (!(std::abs(found[i].x - all[i].x) <= 1e-4f)) return differs("x of body", i, found[i].x, all[i].x);
      const float tolerance = 1e-3f * (1 + std::abs(velocity[i].y));
      if (!(std::abs(speeds[i].y - velocity[i].y) <= tolerance))
        return differs("vertical speed of body", i, speeds[i].y, velocity[i].y);
    }
    return {};
  }

 private:
  Tree steps(std::size_t iterations) const {
    return loop(kernel(kernel_, {}, skeleton::size, offset, total, step, arg(0).copy(), result(arg(1)), result(arg(2))),
                {.iterations = iterations, .swap = {{0, 2}}, .global_sync = true});
  }
  std::vector<Float4> start() const {
    std::vector<Float4> list;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto at = [i](std::uint32_t salt) {
        return static_cast<float>(static_cast<std::uint32_t>((i + 1) * 2654435761U * salt) >> 8) / 16777216.0f;
      };
      list.push_back({at(1), at(3), at(7), 1.0f / static_cast<float>(bodies_.size())});
    }
    return list;
  }

  std::size_t iterations_;
  Kernel kernel_;
  Array<Float4> bodies_, velocity_, next_;
};

}  // namespace

std::unique_ptr<Program> make_nbody(Runtime& runtime, const Module& module, const Inputs& inputs) {
  return std::make_unique<NBody>(runtime, module, inputs);
}

}  // namespace heddle::bench::marrow
