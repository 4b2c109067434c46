// VEC: z = sum of (x^2 - y^2). Whole numbers, so that every sum is exact.
#include <fmt/format.h>

#include <optional>

#include "benchmark.hpp"
#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

float x_at(std::size_t i) { return static_cast<float>(scramble(i, 1) % 16); }
float y_at(std::size_t i) { return static_cast<float>(scramble(i, 2) % 16); }
void fill(std::span<float> values, float (*at)(std::size_t)) {
  parallel_for(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = at(i);
  });
}
// The first of x and the last of y are other numbers in every round.
float first_x(unsigned round) { return static_cast<float>(100 + round); }
float last_y(unsigned round) { return static_cast<float>(60 + round); }

class OnHeddle : public HeddleProgram {
 public:
  OnHeddle(Runtime& runtime, const Place& place, std::size_t n)
      : runtime_(runtime),
        module_(runtime.load_ptx_file(place.kernels / "vec.ptx")),
        square_(module_.kernel("square")),
        reduce_(module_.kernel("reduce")),
        n_(static_cast<int>(n)),
        x_(runtime.array<float>(n)),
        y_(runtime.array<float>(n)),
        x1_(runtime.array<float>(n)),
        y1_(runtime.array<float>(n)),
        z_(runtime.array<double>(1)) {
    fill(x_.write(), x_at);
    fill(y_.write(), y_at);
  }
  void touch(unsigned round) override {
    x_.write().front() = first_x(round);
    y_.write().back() = last_y(round);
    z_.write()[0] = 0;
  }
  void run(const Shape& shape) override {
    const LaunchOptions line = shape.line.options();
    runtime_.launch(square_, line, x_, x1_, n_);
    runtime_.launch(square_, line, y_, y1_, n_);
    runtime_.launch(reduce_, line, x1_, y1_, z_, n_);
    static_cast<void>(z_.read()[0]);
  }
  Outputs outputs() override { return {output(z_)}; }

 private:
  Runtime& runtime_;
  Module module_;
  Kernel square_, reduce_;
  int n_;
  Array<float> x_, y_, x1_, y1_;
  Array<double> z_;
};

class Bare : public BareProgram {
 public:
  Bare(const Cuda& cuda, const Place& place, std::size_t n)
      : module_(cuda, place.kernels / "vec.ptx"),
        square_(module_.function("square")),
        reduce_(module_.function("reduce")),
        n_(static_cast<int>(n)),
        x_(cuda, n, On::both),
        y_(cuda, n, On::both),
        x1_(cuda, n),
        y1_(cuda, n),
        z_(cuda, 1, On::both) {
    fill(x_.values(), x_at);
    fill(y_.values(), y_at);
  }
  void touch(unsigned round) override {
    x_.values().front() = first_x(round);
    y_.values().back() = last_y(round);
  }
  unsigned streams() const override { return 2; }
  void run(Streams& s, const Shape& shape) override {
    s.copy_in(0, x_);
    s.launch(0, square_, shape.line, x_, x1_, n_);
    s.copy_in(1, y_);
    s.launch(1, square_, shape.line, y_, y1_, n_);
    s.fill(0, z_);
    s.wait_for(0, 1);
    s.launch(0, reduce_, shape.line, x1_, y1_, z_, n_);
    s.copy_out(0, z_);
  }
  void build(GraphBuilder& g, const Shape& shape) override {
    const Node x = g.launch({g.copy_in(x_)}, square_, shape.line, x_, x1_, n_);
    const Node y = g.launch({g.copy_in(y_)}, square_, shape.line, y_, y1_, n_);
    const Node sum = g.launch({x, y, g.fill(z_)}, reduce_, shape.line, x1_, y1_, z_, n_);
    g.copy_out(z_, {sum});
  }
  Outputs outputs() override { return {z_.output()}; }

 private:
  BareModule module_;
  Function square_, reduce_;
  int n_;
  BareArray<float> x_, y_, x1_, y1_;
  BareArray<double> z_;
};

class Vec : public Benchmark {
 public:
  Vec(const Place& place, std::uint64_t bytes) : place_(place), n_(std::max<std::size_t>(bytes / 16, 64)) {}
  std::uint64_t bytes() const override { return n_ * 16; }
  std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const override {
    return std::make_unique<OnHeddle>(runtime, place_, n_);
  }
  std::unique_ptr<BareProgram> bare(const Cuda& cuda) const override {
    return std::make_unique<Bare>(cuda, place_, n_);
  }
  Plan plan() const override { return {{{}, {}, {{0, 1}, {}}}, {2}}; }
  bool exact() const override { return true; }

  // Exactly: all sums are whole numbers below 2^53.
  std::string difference(const Outputs& outputs) override {
    if (!reference_) reference_ = static_cast<double>(sum());
    const double got = as<double>(outputs.at(0))[0];
    if (got == *reference_) return {};
    return fmt::format("the sum is {:.17g}, and should be {:.17g}", got, *reference_);
  }

 private:
  long long sum() const {
    const auto square = [](float value) { return static_cast<long long>(value) * static_cast<long long>(value); };
    const long long all = parallel_sum<long long>(n_, [&](std::size_t begin, std::size_t end) {
      long long own = 0;
      for (std::size_t i = begin; i < end; ++i) own += square(x_at(i)) - square(y_at(i));
      return own;
    });
    return all + square(first_x(0)) - square(x_at(0)) - square(last_y(0)) + square(y_at(n_ - 1));
  }

  Place place_;
  std::size_t n_;
  std::optional<double> reference_;
};

}  // namespace

std::unique_ptr<Benchmark> make_vec(const Place& place, std::uint64_t bytes) {
  return std::make_unique<Vec>(place, bytes);
}

}  // namespace heddle::bench::grcuda
