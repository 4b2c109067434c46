// DL: two pictures go through the same convolutional network, and what comes out is weighed in one dense layer.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "benchmark.hpp"
#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr int first_channels = 8, second_channels = 16, window = 5;
constexpr double tolerance = 1e-5;  // of the result, a sum of numbers that are not negative

// Sides of the pictures between the layers.
struct Sides {
  int in, first, pooled, second;
  explicit Sides(int side)
      : in(side), first((side - 3) / 2 + 1), pooled(first / window), second((pooled - 3) / 2 + 1) {}
  std::size_t in_pixels() const { return square(in); }
  std::size_t first_pixels() const { return first_channels * square(first); }
  std::size_t pooled_pixels() const { return first_channels * square(pooled); }
  std::size_t second_pixels() const { return second_channels * square(second); }
  std::uint64_t bytes() const {
    return 4 * (2 * (in_pixels() + first_pixels() + pooled_pixels()) + 6 * second_pixels()) + 8;
  }
  static std::size_t square(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
};
constexpr int smallest_side = 33;

// The least picture that has a pixel left in the end, or the largest within the bytes.
int side_of(std::uint64_t bytes) {
  int side = static_cast<int>(std::sqrt(static_cast<double>(bytes) / 25));
  while (side > smallest_side && Sides(side).bytes() > bytes) --side;
  return std::max(side, smallest_side);
}

// The first is another one in every round, and large enough that the result shows it.
float pixel(std::size_t i, unsigned picture, unsigned round, std::size_t pixels) {
  if (i == 0) return 0.01f * static_cast<float>(pixels) * static_cast<float>(1 + round + picture);
  return uniform(i, 30 + picture);
}
float first_weight(std::size_t i) { return 0.6f * uniform(i, 32) - 0.2f; }
float second_weight(std::size_t i) { return 0.3f * uniform(i, 33) - 0.1f; }
float dense_weight(std::size_t i) { return uniform(i, 34); }

void fill_picture(std::span<float> values, unsigned picture) {
  parallel_for(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = pixel(i, picture, 0, values.size());
  });
}
void fill(std::span<float> values, float (*at)(std::size_t)) {
  parallel_for(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = at(i);
  });
}
constexpr std::size_t first_weights = first_channels * 9, second_weights = first_channels * second_channels * 9;

class OnHeddle : public HeddleProgram {
 public:
  OnHeddle(Runtime& runtime, const Place& place, const Sides& s)
      : runtime_(runtime),
        module_(runtime.load_ptx_file(place.kernels / "dl.ptx")),
        s_(s),
        n_(static_cast<int>(s.second_pixels())),
        x_(runtime.array<float>(s.in_pixels())),
        y_(runtime.array<float>(s.in_pixels())),
        x1_(runtime.array<float>(s.first_pixels())),
        y1_(runtime.array<float>(s.first_pixels())),
        x2_(runtime.array<float>(s.pooled_pixels())),
        y2_(runtime.array<float>(s.pooled_pixels())),
        x3_(runtime.array<float>(s.second_pixels())),
        y3_(runtime.array<float>(s.second_pixels())),
        z_(runtime.array<float>(2 * s.second_pixels())),
        first_(runtime.array<float>(first_weights)),
        second_(runtime.array<float>(second_weights)),
        dense_(runtime.array<float>(2 * s.second_pixels())),
        res_(runtime.array<double>(1)) {
    fill_picture(x_.write(), 0);
    fill_picture(y_.write(), 1);
    fill(first_.write(), first_weight);
    fill(second_.write(), second_weight);
    fill(dense_.write(), dense_weight);
  }
  void touch(unsigned round) override {
    x_.write()[0] = pixel(0, 0, round, s_.in_pixels());
    y_.write()[0] = pixel(0, 1, round, s_.in_pixels());
    first_.write()[0] = first_weight(0);
    second_.write()[0] = second_weight(0);
    dense_.write()[0] = dense_weight(0);
    res_.write()[0] = 0;
  }
  void run(const Shape& shape) override {
    const LaunchOptions line = shape.line.options(), space = shape.space.options();
    const int one = 1, first = first_channels, second = second_channels, size = window;
    runtime_.launch(conv_, space, x_, x1_, first_, s_.in, one, s_.first, first);
    runtime_.launch(conv_, space, y_, y1_, first_, s_.in, one, s_.first, first);
    runtime_.launch(pool_, space, x1_, x2_, s_.first, s_.pooled, first, size);
    runtime_.launch(pool_, space, y1_, y2_, s_.first, s_.pooled, first, size);
    runtime_.launch(conv_, space, x2_, x3_, second_, s_.pooled, first, s_.second, second);
    runtime_.launch(conv_, space, y2_, y3_, second_, s_.pooled, first, s_.second, second);
    runtime_.launch(concat_, line, x3_, y3_, z_, n_);
    runtime_.launch(dot_, line, z_, dense_, res_, 2 * n_);
    static_cast<void>(res_.read()[0]);
  }
  Outputs outputs() override { return {output(res_)}; }

 private:
  Runtime& runtime_;
  Module module_;
  Kernel conv_ = module_.kernel("conv"), pool_ = module_.kernel("pool"), concat_ = module_.kernel("concat"),
         dot_ = module_.kernel("dot");
  Sides s_;
  int n_;
  Array<float> x_, y_, x1_, y1_, x2_, y2_, x3_, y3_, z_, first_, second_, dense_;
  Array<double> res_;
};

class Bare : public BareProgram {
 public:
  Bare(const Cuda& cuda, const Place& place, const Sides& s)
      : module_(cuda, place.kernels / "dl.ptx"),
        s_(s),
        n_(static_cast<int>(s.second_pixels())),
        x_(cuda, s.in_pixels(), On::both),
        y_(cuda, s.in_pixels(), On::both),
        x1_(cuda, s.first_pixels()),
        y1_(cuda, s.first_pixels()),
        x2_(cuda, s.pooled_pixels()),
        y2_(cuda, s.pooled_pixels()),
        x3_(cuda, s.second_pixels()),
        y3_(cuda, s.second_pixels()),
        z_(cuda, 2 * s.second_pixels()),
        first_(cuda, first_weights, On::both),
        second_(cuda, second_weights, On::both),
        dense_(cuda, 2 * s.second_pixels(), On::both),
        res_(cuda, 1, On::both) {
    fill_picture(x_.values(), 0);
    fill_picture(y_.values(), 1);
    fill(first_.values(), first_weight);
    fill(second_.values(), second_weight);
    fill(dense_.values(), dense_weight);
  }
  void touch(unsigned round) override {
    x_.values()[0] = pixel(0, 0, round, s_.in_pixels());
    y_.values()[0] = pixel(0, 1, round, s_.in_pixels());
  }
  unsigned streams() const override { return 2; }
  // What both need, and is small, goes first; the dense layer's weights last.
  void run(Streams& s, const Shape& shape) override {
    const int one = 1, first = first_channels, second = second_channels, size = window;
    s.copy_in(0, first_);
    s.copy_in(0, second_);
    s.wait_for(1, 0);
    s.copy_in(0, x_);
    s.launch(0, conv_, shape.space, x_, x1_, first_, s_.in, one, s_.first, first);
    s.copy_in(1, y_);
    s.launch(1, conv_, shape.space, y_, y1_, first_, s_.in, one, s_.first, first);
    s.launch(0, pool_, shape.space, x1_, x2_, s_.first, s_.pooled, first, size);
    s.launch(1, pool_, shape.space, y1_, y2_, s_.first, s_.pooled, first, size);
    s.launch(0, conv_, shape.space, x2_, x3_, second_, s_.pooled, first, s_.second, second);
    s.launch(1, conv_, shape.space, y2_, y3_, second_, s_.pooled, first, s_.second, second);
    s.copy_in(0, dense_);
    s.fill(0, res_);
    s.wait_for(0, 1);
    s.launch(0, concat_, shape.line, x3_, y3_, z_, n_);
    s.launch(0, dot_, shape.line, z_, dense_, res_, 2 * n_);
    s.copy_out(0, res_);
  }
  void build(GraphBuilder& g, const Shape& shape) override {
    const Node first = g.copy_in(first_), second = g.copy_in(second_);
    const Node x = branch(g, shape, g.copy_in(x_), first, second, x_, x1_, x2_, x3_);
    const Node y = branch(g, shape, g.copy_in(y_), first, second, y_, y1_, y2_, y3_);
    const Node both = g.launch({x, y}, concat_, shape.line, x3_, y3_, z_, n_);
    const Node made = g.launch({both, g.copy_in(dense_), g.fill(res_)}, dot_, shape.line, z_, dense_, res_, 2 * n_);
    g.copy_out(res_, {made});
  }
  Outputs outputs() override { return {res_.output()}; }

 private:
  using Floats = BareArray<float>;
  Node branch(GraphBuilder& g, const Shape& shape, Node copied, Node first, Node second, const Floats& a,
              const Floats& b, const Floats& c, const Floats& d) {
    const int one = 1, few = first_channels, many = second_channels, size = window;
    const Node conv1 = g.launch({copied, first}, conv_, shape.space, a, b, first_, s_.in, one, s_.first, few);
    const Node pool = g.launch({conv1}, pool_, shape.space, b, c, s_.first, s_.pooled, few, size);
    return g.launch({pool, second}, conv_, shape.space, c, d, second_, s_.pooled, few, s_.second, many);
  }

  BareModule module_;
  Function conv_ = module_.function("conv"), pool_ = module_.function("pool"), concat_ = module_.function("concat"),
           dot_ = module_.function("dot");
  Sides s_;
  int n_;
  Floats x_, y_, x1_, y1_, x2_, y2_, x3_, y3_, z_, first_, second_, dense_;
  BareArray<double> res_;
};

class Dl : public Benchmark {
 public:
  Dl(const Place& place, std::uint64_t bytes) : place_(place), s_(side_of(bytes)) {}
  std::uint64_t bytes() const override { return s_.bytes(); }
  std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const override {
    return std::make_unique<OnHeddle>(runtime, place_, s_);
  }
  std::unique_ptr<BareProgram> bare(const Cuda& cuda) const override {
    return std::make_unique<Bare>(cuda, place_, s_);
  }
  // conv of x and y, pool of both, conv of both, concat, dot
  Plan plan() const override {
    return {{{{}, {}}, {{}, {}}, {{0}, {}}, {{1}, {}}, {{2}, {}}, {{3}, {}}, {{4, 5}, {}}, {{6}, {}}}, {7}};
  }
  bool exact() const override { return false; }

  std::string difference(const Outputs& outputs) override {
    if (!reference_) reference_ = branch(0, 0) + branch(1, s_.second_pixels());
    const double got = as<double>(outputs.at(0))[0];
    if (std::abs(got - *reference_) <= tolerance * *reference_) return {};
    return fmt::format("the result is {:.9g}, and should be {:.9g}", got, *reference_);
  }

 private:
  // A pooled pixel of every channel, from the picture.
  void pooled_at(unsigned picture, int y, int x, float* channels) const {
    std::fill(channels, channels + first_channels, 0.0f);
    for (int wy = 0; wy < window; ++wy) {
      for (int wx = 0; wx < window; ++wx) {
        float around[9];
        for (int k = 0; k < 9; ++k) {
          const auto row = static_cast<std::size_t>(2 * (y * window + wy) + k / 3);
          const auto column = static_cast<std::size_t>(2 * (x * window + wx) + k % 3);
          around[k] = pixel(row * static_cast<std::size_t>(s_.in) + column, picture, 0, s_.in_pixels());
        }
        for (std::size_t c = 0; c < first_channels; ++c) {
          float sum = 0;
          for (std::size_t k = 0; k < 9; ++k) sum += around[k] * first_weights_[c * 9 + k];
          channels[c] += std::max(sum, 0.0f);
        }
      }
    }
    for (int c = 0; c < first_channels; ++c) channels[c] /= window * window;
  }

  // What a picture adds to the result; its part of the dense layer begins at `from`.
  double branch(unsigned picture, std::size_t from) {
    for (std::size_t i = 0; i < first_weights; ++i) first_weights_[i] = first_weight(i);
    const auto side = static_cast<std::size_t>(s_.pooled);
    std::vector<float> pooled(side * side * first_channels);  // channels side by side
    parallel_for(side * side, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        pooled_at(picture, static_cast<int>(i / side), static_cast<int>(i % side), &pooled[i * first_channels]);
    });
    const auto out = static_cast<std::size_t>(s_.second);
    return parallel_sum<double>(s_.second_pixels(), [&](std::size_t begin, std::size_t end) {
      double own = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t k = i / (out * out), y = i / out % out, x = i % out;
        double sum = 0;
        for (std::size_t t = 0; t < 9; ++t)
          for (std::size_t c = 0; c < first_channels; ++c)
            sum += pooled[((2 * y + t / 3) * side + 2 * x + t % 3) * first_channels + c] *
                   second_weight((k * first_channels + c) * 9 + t);
        own += std::max(sum, 0.0) * dense_weight(from + i);
      }
      return own;
    });
  }

  Place place_;
  Sides s_;
  float first_weights_[first_weights] = {};
  std::optional<double> reference_;
};

}  // namespace

std::unique_ptr<Benchmark> make_dl(const Place& place, std::uint64_t bytes) {
  return std::make_unique<Dl>(place, bytes);
}

}  // namespace heddle::bench::grcuda
