// IMG: a picture is blurred in three ways; edges say what the subject is, which is sharpened, and put before a blurred
// background.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "benchmark.hpp"
#include "parallel.hpp"
#include "picture.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr float unsharpening = 0.5f, large_value = 3e38f;
constexpr double tolerance = 1e-3;  // of a pixel, from 0 to 1

struct Blur {
  int size;
  double sigma;
};
constexpr Blur small_blur{3, 1}, large_blur{5, 10}, unsharpen_blur{3, 5};

std::vector<float> weights_of(const Blur& blur) {
  std::vector<double> weights;
  double sum = 0;
  const int radius = blur.size / 2;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      sum += weights.emplace_back(std::exp(-(x * x + y * y) / (2 * blur.sigma * blur.sigma)));
  std::vector<float> normed;
  for (const double weight : weights) normed.push_back(static_cast<float>(weight / sum));
  return normed;
}

// The input: a photograph, or a pattern that comes again and again.
class Source {
 public:
  static constexpr int period = 128;
  Source(int rows, int columns) : rows_(rows), columns_(columns) {}
  explicit Source(const std::filesystem::path& photo) {
    const images::Picture picture = images::read_png(photo);
    rows_ = picture.height;
    columns_ = picture.width;
    for (const images::Rgba& p : picture.pixels) gray_.push_back((0.299f * p.r + 0.587f * p.g + 0.114f * p.b) / 255);
  }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  std::size_t pixels() const { return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_); }
  bool is_photo() const { return !gray_.empty(); }

  // The first pixel of a pattern is another one in every round; that of a photograph stays.
  float at(int y, int x, unsigned round) const {
    const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
    if (is_photo()) return gray_[row * static_cast<std::size_t>(columns_) + column];
    if (y == 0 && x == 0) return 0.1f * static_cast<float>(1 + round % 9);
    return uniform(row % period * period + column % period, 50);
  }
  void write(std::span<float> values) const {
    parallel_for(static_cast<std::size_t>(rows_), [&](std::size_t begin, std::size_t end) {
      for (auto y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
        for (int x = 0; x < columns_; ++x)
          values[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x)] =
              at(y, x, 0);
    });
  }

 private:
  int rows_ = 0, columns_ = 0;
  std::vector<float> gray_;
};

class OnHeddle : public HeddleProgram {
 public:
  OnHeddle(Runtime& runtime, const Place& place, const Source& source)
      : runtime_(runtime), module_(runtime.load_ptx_file(place.kernels / "img.ptx")), source_(source) {
    source.write(i_.write());
  }
  void touch(unsigned round) override {
    i_.write()[0] = source_.at(0, 0, round);
    for (Array<float>* weights : {&small_, &large_, &unsharpen_}) weights->write()[0] = weights->read()[0];
    max_.write()[0] = 0;
    min_.write()[0] = large_value;
  }
  void run(const Shape& shape) override {
    const LaunchOptions line = shape.line.options(), plane = shape.plane.options();
    runtime_.launch(blur_, plane, i_, bs_, rows_, columns_, small_, small_blur.size);
    runtime_.launch(blur_, plane, i_, bl_, rows_, columns_, large_, large_blur.size);
    runtime_.launch(blur_, plane, i_, bu_, rows_, columns_, unsharpen_, unsharpen_blur.size);
    runtime_.launch(sobel_, plane, bs_, ms_, rows_, columns_);
    runtime_.launch(sobel_, plane, bl_, ml_, rows_, columns_);
    runtime_.launch(maximum_, line, ml_, max_, n_);
    runtime_.launch(minimum_, line, ml_, min_, n_);
    runtime_.launch(extend_, line, max_, min_, ml_, n_);
    runtime_.launch(sharpen_, line, i_, bu_, u_, unsharpening, n_);
    runtime_.launch(combine_, line, u_, bl_, ml_, i2_, n_);
    runtime_.launch(combine_, line, i2_, bs_, ms_, i3_, n_);
    static_cast<void>(i3_.read()[0]);
  }
  Outputs outputs() override { return {output(i3_)}; }

 private:
  Array<float> picture() { return runtime_.array<float>(source_.pixels()); }

  Runtime& runtime_;
  Module module_;
  const Source& source_;
  Kernel blur_ = module_.kernel("blur"), sobel_ = module_.kernel("sobel"), maximum_ = module_.kernel("maximum"),
         minimum_ = module_.kernel("minimum"), extend_ = module_.kernel("extend"),
         sharpen_ = module_.kernel("unsharpen"), combine_ = module_.kernel("combine");
  int rows_ = source_.rows(), columns_ = source_.columns(), n_ = static_cast<int>(source_.pixels());
  Array<float> i_ = picture(), bs_ = picture(), bl_ = picture(), bu_ = picture(), ms_ = picture(), ml_ = picture(),
               u_ = picture(), i2_ = picture(), i3_ = picture();
  Array<float> small_ = runtime_.array(weights_of(small_blur)), large_ = runtime_.array(weights_of(large_blur)),
               unsharpen_ = runtime_.array(weights_of(unsharpen_blur)), max_ = runtime_.array<float>(1),
               min_ = runtime_.array<float>(1);
};

class Bare : public BareProgram {
 public:
  Bare(const Cuda& cuda, const Place& place, const Source& source)
      : cuda_(cuda), module_(cuda, place.kernels / "img.ptx"), source_(source) {
    source.write(i_.values());
    write(small_, small_blur);
    write(large_, large_blur);
    write(unsharpen_, unsharpen_blur);
  }
  void touch(unsigned round) override { i_.values()[0] = source_.at(0, 0, round); }
  unsigned streams() const override { return 4; }
  void run(Streams& s, const Shape& shape) override {
    const Grid &line = shape.line, &plane = shape.plane;
    for (const BareArray<float>* weights : {&small_, &large_, &unsharpen_}) s.copy_in(0, *weights);
    s.copy_in(0, i_);
    const Event copied = s.mark(0);
    s.wait(1, copied);
    s.wait(2, copied);
    s.launch(0, blur_, plane, i_, bs_, rows_, columns_, small_, small_blur.size);
    s.launch(1, blur_, plane, i_, bl_, rows_, columns_, large_, large_blur.size);
    s.launch(2, blur_, plane, i_, bu_, rows_, columns_, unsharpen_, unsharpen_blur.size);
    s.launch(0, sobel_, plane, bs_, ms_, rows_, columns_);
    s.launch(1, sobel_, plane, bl_, ml_, rows_, columns_);
    s.fill(3, min_, std::bit_cast<unsigned>(large_value));
    s.wait_for(3, 1);
    s.fill(1, max_);
    s.launch(1, maximum_, line, ml_, max_, n_);
    s.launch(3, minimum_, line, ml_, min_, n_);
    s.wait_for(1, 3);
    s.launch(1, extend_, line, max_, min_, ml_, n_);
    s.launch(2, sharpen_, line, i_, bu_, u_, unsharpening, n_);
    s.wait_for(1, 2);
    s.launch(1, combine_, line, u_, bl_, ml_, i2_, n_);
    s.wait_for(0, 1);
    s.launch(0, combine_, line, i2_, bs_, ms_, i3_, n_);
    s.copy_out(0, i3_);
  }
  void build(GraphBuilder& g, const Shape& shape) override {
    const Grid &line = shape.line, &plane = shape.plane;
    const Node i = g.copy_in(i_), small = g.copy_in(small_), large = g.copy_in(large_), sharp = g.copy_in(unsharpen_);
    const Node most = g.fill(max_), least = g.fill(min_, std::bit_cast<unsigned>(large_value));
    const Node bs = g.launch({i, small}, blur_, plane, i_, bs_, rows_, columns_, small_, small_blur.size);
    const Node bl = g.launch({i, large}, blur_, plane, i_, bl_, rows_, columns_, large_, large_blur.size);
    const Node bu = g.launch({i, sharp}, blur_, plane, i_, bu_, rows_, columns_, unsharpen_, unsharpen_blur.size);
    const Node ms = g.launch({bs}, sobel_, plane, bs_, ms_, rows_, columns_);
    const Node ml = g.launch({bl}, sobel_, plane, bl_, ml_, rows_, columns_);
    const Node max = g.launch({ml, most}, maximum_, line, ml_, max_, n_);
    const Node min = g.launch({ml, least}, minimum_, line, ml_, min_, n_);
    const Node mask = g.launch({max, min}, extend_, line, max_, min_, ml_, n_);
    const Node u = g.launch({bu}, sharpen_, line, i_, bu_, u_, unsharpening, n_);
    const Node i2 = g.launch({mask, u}, combine_, line, u_, bl_, ml_, i2_, n_);
    g.copy_out(i3_, {g.launch({ms, i2}, combine_, line, i2_, bs_, ms_, i3_, n_)});
  }
  Outputs outputs() override { return {i3_.output()}; }

 private:
  static void write(const BareArray<float>& array, const Blur& blur) {
    const std::vector<float> weights = weights_of(blur);
    std::copy(weights.begin(), weights.end(), array.values().begin());
  }
  std::size_t pixels() const { return source_.pixels(); }

  const Cuda& cuda_;
  BareModule module_;
  const Source& source_;
  Function blur_ = module_.function("blur"), sobel_ = module_.function("sobel"), maximum_ = module_.function("maximum"),
           minimum_ = module_.function("minimum"), extend_ = module_.function("extend"),
           sharpen_ = module_.function("unsharpen"), combine_ = module_.function("combine");
  int rows_ = source_.rows(), columns_ = source_.columns(), n_ = static_cast<int>(source_.pixels());
  BareArray<float> i_{cuda_, pixels(), On::both}, bs_{cuda_, pixels()}, bl_{cuda_, pixels()}, bu_{cuda_, pixels()},
      ms_{cuda_, pixels()}, ml_{cuda_, pixels()}, u_{cuda_, pixels()}, i2_{cuda_, pixels()},
      i3_{cuda_, pixels(), On::both};
  BareArray<float> small_{cuda_, 9, On::both}, large_{cuda_, 25, On::both}, unsharpen_{cuda_, 9, On::both},
      max_{cuda_, 1}, min_{cuda_, 1};
};

// The picture that must come out, pixel by pixel.
class Reference {
 public:
  explicit Reference(const Source& source) : source_(source) {
    for (const int y : representatives(source.rows())) {
      for (const int x : representatives(source.columns())) {
        const double value = sobel(large_, y, x);
        largest_ = std::max(largest_, value);
        smallest_ = std::min(smallest_, value);
      }
    }
  }

  double at(int y, int x) const {
    const double small = blurred(small_, y, x), large = blurred(large_, y, x);
    const double unsharp = static_cast<double>(unsharpening), own = source_.at(y, x, 0);
    const double sharpened = std::clamp(own * (1 + unsharp) - blurred(unsharpen_, y, x) * unsharp, 0.0, 1.0);
    const double range = largest_ - smallest_;
    const double mask = range > 0 ? std::min((sobel(large_, y, x) - smallest_) * 5 / range, 1.0) : 0;
    const double before = sharpened * mask + large * (1 - mask), edge = sobel(small_, y, x);
    return before * edge + small * (1 - edge);
  }

  // Lines such that every other one, in a picture that repeats itself, has a neighbourhood like one of these.
  std::vector<int> representatives(int lines) const {
    constexpr int margin = 8;
    std::vector<int> all;
    for (int i = 0; i < lines; ++i) {
      if (!source_.is_photo() && i == margin + Source::period) i = std::max(i, lines - margin);
      all.push_back(i);
    }
    return all;
  }

 private:
  struct Weights {
    explicit Weights(const Blur& blur) : size(blur.size), values(weights_of(blur)) {}
    int size;
    std::vector<float> values;
  };

  double blurred(const Weights& weights, int y, int x) const {
    double sum = 0;
    const int radius = weights.size / 2;
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx)
        sum +=
            static_cast<double>(weights.values[static_cast<std::size_t>((dy + radius) * weights.size + dx + radius)]) *
            static_cast<double>(source_.at(inside(y + dy, source_.rows()), inside(x + dx, source_.columns()), 0));
    return sum;
  }
  double sobel(const Weights& weights, int y, int x) const {
    const auto at = [&](int dy, int dx) {
      return blurred(weights, inside(y + dy, source_.rows()), inside(x + dx, source_.columns()));
    };
    const double gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    const double gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    return std::sqrt(gx * gx + gy * gy);
  }
  static int inside(int i, int n) { return std::clamp(i, 0, n - 1); }

  const Source& source_;
  Weights small_{small_blur}, large_{large_blur}, unsharpen_{unsharpen_blur};
  double largest_ = 0, smallest_ = static_cast<double>(large_value);
};

class Img : public Benchmark {
 public:
  Img(const Place& place, Source source) : place_(place), source_(std::move(source)) {}
  std::uint64_t bytes() const override { return 36 * source_.pixels() + 4 * (9 + 25 + 9 + 2); }
  std::unique_ptr<HeddleProgram> on_heddle(Runtime& runtime) const override {
    return std::make_unique<OnHeddle>(runtime, place_, source_);
  }
  std::unique_ptr<BareProgram> bare(const Cuda& cuda) const override {
    return std::make_unique<Bare>(cuda, place_, source_);
  }
  // Three blurs, two Sobels, maximum, minimum, extend, unsharpen, two combines.
  Plan plan() const override {
    return {{{{}, {}},
             {{}, {0}},
             {{}, {0}},
             {{0}, {}},
             {{1}, {}},
             {{4}, {}},
             {{4}, {}},
             {{5, 6}, {}},
             {{2}, {}},
             {{7, 8}, {}},
             {{3, 9}, {}}},
            {10}};
  }
  bool exact() const override { return true; }
  const Source& source() const { return source_; }

  // All pixels of a small picture and some of a large one, corners and edges among them.
  std::string difference(const Outputs& outputs) override {
    if (!reference_) reference_ = std::make_unique<Reference>(source_);
    const auto picture = as<float>(outputs.at(0));
    const std::vector<int> rows = reference_->representatives(source_.rows());
    const std::vector<int> columns = reference_->representatives(source_.columns());
    const std::size_t all = rows.size() * columns.size(), step = std::max<std::size_t>(all / 20'000, 1);
    std::string wrong;
    for (std::size_t k = 0; k < all && wrong.empty(); k += step) {
      wrong = difference(picture, rows[k / columns.size()], columns[k % columns.size()]);
      // The same somewhere else in the picture.
      if (wrong.empty() && step > 1)
        wrong = difference(picture, static_cast<int>(scramble(k, 51) % static_cast<unsigned>(source_.rows())),
                           static_cast<int>(scramble(k, 52) % static_cast<unsigned>(source_.columns())));
    }
    return wrong;
  }

 private:
  std::string difference(std::span<const float> picture, int y, int x) const {
    const double expected = reference_->at(y, x);
    const auto i =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(source_.columns()) + static_cast<std::size_t>(x);
    const auto got = static_cast<double>(picture[i]);
    if (std::abs(got - expected) <= tolerance * std::max(1.0, std::abs(expected))) return {};
    return fmt::format("the pixel in row {} and column {} is {:.6g}, and should be {:.6g}", y, x, got, expected);
  }

  Place place_;
  Source source_;
  std::unique_ptr<Reference> reference_;
};

}  // namespace

std::unique_ptr<Benchmark> make_img(const Place& place, std::uint64_t bytes) {
  const int side = std::max(static_cast<int>(std::sqrt(static_cast<double>(bytes) / 36)), 16);
  return std::make_unique<Img>(place, Source(side, side));
}
std::unique_ptr<Benchmark> make_img(const Place& place, const std::filesystem::path& photo) {
  return std::make_unique<Img>(place, Source(photo));
}

void write_photo(const Benchmark& img, const Outputs& outputs, const std::filesystem::path& file) {
  const Source& source = dynamic_cast<const Img&>(img).source();
  const auto values = as<float>(outputs.at(0));
  images::Gray gray(source.columns(), source.rows());
  for (std::size_t i = 0; i < values.size(); ++i)
    gray.pixels[i] = static_cast<std::uint8_t>(std::clamp(values[i], 0.0f, 1.0f) * 255 + 0.5f);
  images::write_png(file, gray);
}

}  // namespace heddle::bench::grcuda
