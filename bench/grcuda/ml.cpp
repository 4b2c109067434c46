// ML: naive Bayes and ridge regression classify the same rows of 200 features, and the average of their votes counts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmark.hpp"
#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr int features = 200, classes = 10;
// How much less than the best vote (of at most 2) the vote for the chosen class may be, in the reference.
constexpr double tolerance = 2e-3;

// Counts from 0 to 9; the first rows are others in every round.
constexpr std::size_t touched_rows = 16;
float count_at(std::size_t i, unsigned round) {
  if (i < touched_rows * features) return static_cast<float>((scramble(i, 20) + round) % 10);
  return static_cast<float>(scramble(i, 20) % 10);
}
// The features of rows [first, end), column-major.
void fill_rows(std::span<float> x, std::size_t first, std::size_t end) {
  parallel_for(x.size(), [&](std::size_t from, std::size_t to) {
    const std::size_t rows = end - first;
    for (std::size_t i = from; i < to; ++i) x[i] = count_at((first + i % rows) * features + i / rows, 0);
  });
}
// Those of rows [0, rows) of which the first ones change.
void touch_rows(std::span<float> x, std::size_t rows, unsigned round) {
  for (std::size_t k = 0; k < features; ++k)
    for (std::size_t row = 0; row < std::min(rows, touched_rows); ++row)
      x[k * rows + row] = count_at(row * features + k, round);
}

float ridge_weight(std::size_t i) { return 0.2f * uniform(i, 21) - 0.1f; }
float ridge_intercept(std::size_t i) { return 0.5f * uniform(i, 22) - 0.25f; }
// Logarithms of probabilities that are alike, so that classes are near each other.
float log_likelihood(std::size_t i) { return std::log((0.95f + 0.1f * uniform(i, 23)) / features); }
// A model is an input like the rest, and its first number is written in every round.
void fill_model(std::span<float> values, float (*at)(std::size_t)) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(i);
}

class OnHeddle : public HeddleProgram {
 public:
  OnHeddle(Runtime& runtime, const Place& place, std::size_t rows)
      : runtime_(runtime),
        module_(runtime.load_ptx_file(place.kernels / "ml.ptx")),
        parts_(place.parts),
        rows_(static_cast<int>(rows)),
        x_(runtime.array<float>(rows * features)),
        z_(runtime.array<float>(rows * features)),
        r1_(runtime.array<float>(rows * classes)),
        r2_(runtime.array<float>(rows * classes)),
        largest_(runtime.array<float>(rows)),
        log_sum_(runtime.array<float>(rows)),
        weights_(runtime.array<float>(features * classes)),
        intercept_(runtime.array<float>(classes)),
        likelihood_(runtime.array<float>(features * classes)),
        sums_(runtime.array<double>(2 * features * place.parts)),
        r_(runtime.array<int>(rows)) {
    for (unsigned i = 0; i < parts_; ++i) {
      const Part p = part(i);
      fill_rows(x_.write().subspan(p.first * features, static_cast<std::size_t>(p.rows) * features), p.first,
                p.first + static_cast<std::size_t>(p.rows));
    }
    fill_model(weights_.write(), ridge_weight);
    fill_model(intercept_.write(), ridge_intercept);
    fill_model(likelihood_.write(), log_likelihood);
  }
  void touch(unsigned round) override {
    touch_rows(x_.write(), static_cast<std::size_t>(part(0).rows), round);
    weights_.write()[0] = ridge_weight(0);
    intercept_.write()[0] = ridge_intercept(0);
    likelihood_.write()[0] = log_likelihood(0);
  }
  void run(const Shape& shape) override {
    const LaunchOptions line = shape.line.options();
    const auto launch = [&](const Kernel& kernel, const auto&... arguments) {
      runtime_.launch(kernel, line, arguments...);
    };
    // Each launch for all parts, before the next one.
    const auto each = [&](const auto& f) {
      for (unsigned i = 0; i < parts_; ++i) f(part(i));
    };
    each([&](const Part& p) { standardise(launch, p); });
    each([&](const Part& p) { launch(nb1_, of(x_, p, features), likelihood_, of(r1_, p, classes), p.rows, features); });
    if (parts_ > 1) {
      const int parts = static_cast<int>(parts_);
      each([&](const Part& p) {
        launch(rr1_scale_, of(x_, p, features), sums_, of(z_, p, features), p.rows, features, parts, rows_);
      });
    }
    each([&](const Part& p) { launch(rr2_, of(z_, p, features), weights_, of(r2_, p, classes), p.rows, features); });
    each([&](const Part& p) { launch(nb2_, of(r1_, p, classes), of(largest_, p, 1), p.rows); });
    each([&](const Part& p) { launch(nb3_, of(r1_, p, classes), of(largest_, p, 1), of(log_sum_, p, 1), p.rows); });
    each([&](const Part& p) { launch(rr3_, of(r2_, p, classes), intercept_, p.rows); });
    each([&](const Part& p) { launch(nb4_, of(log_sum_, p, 1), of(r1_, p, classes), p.rows); });
    each([&](const Part& p) { launch(softmax_, of(r1_, p, classes), p.rows); });
    each([&](const Part& p) { launch(softmax_, of(r2_, p, classes), p.rows); });
    each([&](const Part& p) { launch(argmax_, of(r1_, p, classes), of(r2_, p, classes), of(r_, p, 1), p.rows); });
    static_cast<void>(r_.read()[0]);
  }
  Outputs outputs() override { return {output(r_)}; }

 private:
  // Rows that are worked on together.
  struct Part {
    std::size_t number, first;
    int rows;
  };
  Part part(unsigned i) const {
    const auto all = static_cast<std::size_t>(rows_);
    const std::size_t first = all * i / parts_, end = all * (i + 1) / parts_;
    return {i, first, static_cast<int>(end - first)};
  }
  // The part of an array with so many numbers for each row.
  template <class T>
  static ArraySlice<T> of(const Array<T>& array, const Part& part, std::size_t of_row) {
    return array.slice(part.first * of_row, static_cast<std::size_t>(part.rows) * of_row);
  }
  // Means and variances are those of all rows: with parts this is their sums only.
  template <class Launch>
  void standardise(const Launch& launch, const Part& p) {
    constexpr std::size_t sums = 2 * features;
    if (parts_ == 1)
      launch(rr1_, of(x_, p, features), of(z_, p, features), p.rows, features);
    else
      launch(rr1_sums_, of(x_, p, features), sums_.slice(p.number * sums, sums), p.rows, features);
  }

  Runtime& runtime_;
  Module module_;
  unsigned parts_;
  Kernel rr1_ = module_.kernel("rr1"), rr1_sums_ = module_.kernel("rr1_sums"), rr1_scale_ = module_.kernel("rr1_scale"),
         rr2_ = module_.kernel("rr2"), rr3_ = module_.kernel("rr3"), nb1_ = module_.kernel("nb1"),
         nb2_ = module_.kernel("nb2"), nb3_ = module_.kernel("nb3"), nb4_ = module_.kernel("nb4"),
         softmax_ = module_.kernel("softmax"), argmax_ = module_.kernel("argmax");
  int rows_;
  Array<float> x_, z_, r1_, r2_, largest_, log_sum_, weights_, intercept_, likelihood_;
  Array<double> sums_;
  Array<int> r_;
};

class Bare : public BareProgram {
 public:
  Bare(const Cuda& cuda, const Place& place, std::size_t rows)
      : module_(cuda, place.kernels / "ml.ptx"),
        rows_(static_cast<int>(rows)),
        x_(cuda, rows * features, On::both),
        z_(cuda, rows * features),
        r1_(cuda, rows * classes),
        r2_(cuda, rows * classes),
        largest_(cuda, rows),
        log_sum_(cuda, rows),
        weights_(cuda, features * classes, On::both),
        intercept_(cuda, classes, On::both),
        likelihood_(cuda, features * classes, On::both),
        r_(cuda, rows, On::both) {
    fill_rows(x_.values(), 0, rows);
    fill_model(weights_.values(), ridge_weight);
    fill_model(intercept_.values(), ridge_intercept);
    fill_model(likelihood_.values(), log_likelihood);
  }
  void touch(unsigned round) override { touch_rows(x_.values(), static_cast<std::size_t>(rows_), round); }
  unsigned streams() const override { return 2; }
  // Small copies first: they would wait for the large one's copy engine.
  void run(Streams& s, const Shape& shape) override {
    const Grid& line = shape.line;
    s.copy_in(1, likelihood_);
    s.copy_in(0, weights_);
    s.copy_in(0, intercept_);
    s.copy_in(0, x_);
    s.wait_for(1, 0);
    s.launch(0, rr1_, line, x_, z_, rows_, features);
    s.launch(1, nb1_, line, x_, likelihood_, r1_, rows_, features);
    s.launch(0, rr2_, line, z_, weights_, r2_, rows_, features);
    s.launch(1, nb2_, line, r1_, largest_, rows_);
    s.launch(1, nb3_, line, r1_, largest_, log_sum_, rows_);
    s.launch(0, rr3_, line, r2_, intercept_, rows_);
    s.launch(1, nb4_, line, log_sum_, r1_, rows_);
    s.launch(1, softmax_, line, r1_, rows_);
    s.launch(0, softmax_, line, r2_, rows_);
    s.wait_for(1, 0);
    s.launch(1, argmax_, line, r1_, r2_, r_, rows_);
    s.copy_out(1, r_);
  }
  void build(GraphBuilder& g, const Shape& shape) override {
    const Grid& line = shape.line;
    const Node x = g.copy_in(x_), weights = g.copy_in(weights_), intercept = g.copy_in(intercept_);
    const Node likelihood = g.copy_in(likelihood_);
    const Node rr1 = g.launch({x}, rr1_, line, x_, z_, rows_, features);
    const Node rr2 = g.launch({rr1, weights}, rr2_, line, z_, weights_, r2_, rows_, features);
    const Node rr3 = g.launch({rr2, intercept}, rr3_, line, r2_, intercept_, rows_);
    const Node ridge = g.launch({rr3}, softmax_, line, r2_, rows_);
    const Node nb1 = g.launch({x, likelihood}, nb1_, line, x_, likelihood_, r1_, rows_, features);
    const Node nb2 = g.launch({nb1}, nb2_, line, r1_, largest_, rows_);
    const Node nb3 = g.launch({nb2}, nb3_, line, r1_, largest_, log_sum_, rows_);
    const Node nb4 = g.launch({nb3}, nb4_, line, log_sum_, r1_, rows_);
    const Node bayes = g.launch({nb4}, softmax_, line, r1_, rows_);
    g.copy_out(r_, {g.launch({bayes, ridge}, argmax_, line, r1_, r2_, r_, rows_)});
  }
  Outputs outputs() override { return {r_.output()}; }

 private:
  BareModule module_;
  Function rr1_ = module_.function("rr1"), rr2_ = module_.function("rr2"), rr3_ = module_.function("rr3"),
           nb1_ = module_.function("nb1"), nb2_ = module_.function("nb2"), nb3_ = module_.function("nb3"),
           nb4_ = module_.function("nb4"), softmax_ = module_.function("softmax"), argmax_ = module_.function("argmax");
  int rows_;
  BareArray<float> x_, z_, r1_, r2_, largest_, log_sum_, weights_, intercept_, likelihood_;
  BareArray<int> r_;
};

using Votes = std::array<double, classes>;

Votes softmax(Votes votes) {
  const double largest = *std::max_element(votes.begin(), votes.end());
  double sum = 0;
  for (double& vote : votes) sum += vote = std::exp(vote - largest);
  for (double& vote : votes) vote /= sum;
  return votes;
}

class Ml : public Benchmark {
 public:
  Ml(const Place& place, std::uint64_t bytes)
      : place_(place), rows_(std::max<std::size_t>((bytes - std::min(bytes, model_bytes)) / row_bytes, 16)) {}
  std::uint64_t bytes() const override { return rows_ * row_bytes + model_bytes; }
  std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const override {
    return std::make_unique<OnHeddle>(runtime, place_, rows_);
  }
  std::unique_ptr<BareProgram> bare(const Cuda& cuda) const override {
    return std::make_unique<Bare>(cuda, place_, rows_);
  }
  // rr1, nb1, rr2, nb2, nb3, rr3, nb4, softmax of Bayes, softmax of ridge, argmax
  Plan plan() const override {
    return {{{{}, {}},
             {{}, {0}},
             {{0}, {}},
             {{1}, {}},
             {{3}, {}},
             {{2}, {}},
             {{4}, {}},
             {{6}, {}},
             {{5}, {}},
             {{7, 8}, {}}},
            {9}};
  }
  bool exact() const override { return true; }
  bool has_parts() const override { return true; }

  // Of all rows, or some 2000 of them, and the first ones.
  std::string difference(const Outputs& outputs) override {
    if (mean_.empty()) standardise();
    const auto chosen = as<int>(outputs.at(0));
    std::size_t seen = 0, with_a_class[classes] = {};
    for (std::size_t row = 0; row < rows_; row += row < touched_rows ? 1 : std::max<std::size_t>(rows_ / 2000, 1)) {
      const Votes votes = votes_of(row);
      const auto best = std::max_element(votes.begin(), votes.end());
      const int got = chosen[row];
      if (got < 0 || got >= classes || votes[static_cast<std::size_t>(got)] < *best - tolerance)
        return fmt::format("row {} is of class {}, and should be of class {}", row, got, best - votes.begin());
      ++seen;
      ++with_a_class[got];
    }
    if (seen >= 100 && *std::max_element(with_a_class, with_a_class + classes) == seen)
      return "all rows are of one class, which checks nothing";
    return {};
  }

 private:
  static constexpr std::uint64_t row_bytes = 2 * features * 4 + 2 * classes * 4 + 12,
                                 model_bytes = (2 * features + 1) * classes * 4;

  void standardise() {
    struct Sums {
      std::array<double, features> sum{}, squares{};
      void operator+=(const Sums& other) {
        for (std::size_t k = 0; k < features; ++k) {
          sum[k] += other.sum[k];
          squares[k] += other.squares[k];
        }
      }
    };
    const auto sums = parallel_sum<Sums>(rows_, [](std::size_t begin, std::size_t end) {
      Sums own;
      for (std::size_t row = begin; row < end; ++row) {
        for (std::size_t k = 0; k < features; ++k) {
          const double value = count_at(row * features + k, 0);
          own.sum[k] += value;
          own.squares[k] += value * value;
        }
      }
      return own;
    });
    const auto n = static_cast<double>(rows_);
    for (std::size_t k = 0; k < features; ++k) {
      mean_.push_back(sums.sum[k] / n);
      const double variance = sums.squares[k] / n - mean_[k] * mean_[k];
      deviation_.push_back(variance > 0 ? std::sqrt(variance) : 1);
    }
  }

  Votes votes_of(std::size_t row) const {
    Votes ridge{}, bayes{};
    for (std::size_t c = 0; c < classes; ++c) {
      ridge[c] = ridge_intercept(c);
      for (std::size_t k = 0; k < features; ++k) {
        const double value = count_at(row * features + k, 0);
        ridge[c] += (value - mean_[k]) / deviation_[k] * ridge_weight(c * features + k);
        bayes[c] += value * log_likelihood(c * features + k);
      }
    }
    ridge = softmax(ridge);
    bayes = softmax(softmax(bayes));
    for (std::size_t c = 0; c < classes; ++c) ridge[c] += bayes[c];
    return ridge;
  }

  Place place_;
  std::size_t rows_;
  std::vector<double> mean_, deviation_;
};

}  // namespace

std::unique_ptr<Benchmark> make_ml(const Place& place, std::uint64_t bytes) {
  return std::make_unique<Ml>(place, bytes);
}

}  // namespace heddle::bench::grcuda
