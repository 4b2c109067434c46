#include "pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace images {
namespace {

using heddle::Array;
using heddle::LaunchOptions;

constexpr unsigned linear_block = 256;
constexpr int reference_repeats = 3;

// Elements that differ, and by how much at most; unequal sizes differ everywhere.
template <typename T>
std::pair<std::size_t, double> difference(std::span<const T> got, std::span<const T> wanted) {
  std::size_t wrong = got.size() == wanted.size() ? 0 : wanted.size();
  double largest = 0;
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    const double by = std::fabs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
    if (by > 0 || std::isnan(by)) ++wrong;
    largest = std::isnan(by) ? by : std::max(largest, by);
  }
  return {wrong, largest};
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Run {
 public:
  Run(heddle::Runtime& runtime, heddle::Module& module, std::string device, const Picture& photo, int repeats,
      const Listener& listener)
      : runtime_(runtime),
        module_(module),
        device_(std::move(device)),
        photo_(photo),
        repeats_(repeats),
        listener_(listener),
        n_(photo.count()),
        colour_(runtime.array(photo.pixels)),
        gray_(runtime.array<std::uint8_t>(photo.pixels.size())),
        bytes_(runtime.array<std::uint8_t>(photo.pixels.size())),
        floats_(runtime.array<float>(photo.pixels.size())),
        blurred_(runtime.array<float>(photo.pixels.size())),
        words_(runtime.array<std::uint32_t>(photo.pixels.size())),
        sums_(runtime.array<std::uint32_t>(photo.pixels.size())) {}

  Report report() {
    convert_and_measure();
    blur_and_sharpen();
    find_edges();
    equalise();
    transpose_and_scan();
    smooth();
    return std::move(report_);
  }

 private:
  LaunchOptions linear() const {
    return {.grid = {blocks(n_, linear_block)}, .block = {linear_block}, .device = device_};
  }
  // Fewer blocks than pixels need: kernels that stride over the picture.
  LaunchOptions strided() const {
    return {.grid = {std::min(blocks(n_, linear_block), 256u)}, .block = {linear_block}, .device = device_};
  }
  LaunchOptions tiled(unsigned tile_width = 32, unsigned tile_height = 8) const {
    return tiled_over(photo_.width, photo_.height, tile_width, tile_height);
  }
  LaunchOptions tiled_over(int width, int height, unsigned tile_width, unsigned tile_height) const {
    return {.grid = {blocks(width, tile_width), blocks(height, tile_height)}, .block = {32, 8}, .device = device_};
  }
  static unsigned blocks(int size, unsigned each) { return (static_cast<unsigned>(size) + each - 1) / each; }

  // Times a kernel: `reset` before each repeat, then the launch.
  template <typename... Arguments>
  void run(const char* kernel, const char* what, const LaunchOptions& shape, const std::function<void()>& reset,
           const Arguments&... arguments) {
    report_.steps.push_back({.kernel = kernel, .what = what});
    listener_.begins(report_.steps.back());
    const heddle::Kernel handle = module_.kernel(kernel);
    LaunchOptions timed = shape;
    timed.timed = true;
    std::vector<double> seconds;
    for (int i = 0; i < repeats_; ++i) {
      if (reset) reset();
      seconds.push_back(runtime_.launch(handle, timed, arguments...).seconds());
    }
    report_.steps.back().seconds = median_of(seconds);
  }

  // Runs the reference of the last step, timed.
  template <typename Function>
  auto expect(Function reference) {
    std::vector<double> seconds;
    while (true) {
      const auto start = std::chrono::steady_clock::now();
      auto wanted = reference();
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      if (static_cast<int>(seconds.size()) < std::min(repeats_, reference_repeats)) continue;
      report_.steps.back().reference_seconds = median_of(seconds);
      return wanted;
    }
  }

  // Compares the last step's result: equal for integers, no further apart than `tolerance` for what went through
  // floats.
  template <typename T>
  void check(std::span<const T> got, std::span<const T> wanted, double tolerance = 0) {
    Step& step = report_.steps.back();
    const auto [wrong, largest] = difference(got, wanted);
    step.right = got.size() == wanted.size() && largest <= tolerance;
    if (!step.right) {
      step.check = "WRONG: " + std::to_string(wrong) + " values differ, by up to " + number(largest);
    } else {
      step.check = wrong == 0 ? "exact" : "within " + number(largest);
    }
    listener_.ends(step);
  }
  void check(std::span<const std::uint8_t> got, const Gray& wanted, double tolerance = 0) {
    check<std::uint8_t>(got, wanted.pixels, tolerance);
  }

  void keep(const char* name, std::span<const std::uint8_t> pixels) { keep(name, pixels, photo_.width, photo_.height); }
  void keep(const char* name, std::span<const std::uint8_t> pixels, int width, int height) {
    Gray picture(width, height);
    std::copy(pixels.begin(), pixels.end(), picture.pixels.begin());
    keep(name, in_colour(picture));
  }
  void keep(const char* name, Picture picture) {
    const Step& step = report_.steps.back();
    char caption[64];
    std::snprintf(caption, sizeof caption, "%s %.2f ms", step.kernel.c_str(), step.seconds * 1e3);
    report_.pictures.push_back({name, caption, std::move(picture)});
  }

  void convert_and_measure() {
    run("gray", "colour to grey levels", linear(), {}, colour_, gray_, n_);
    wanted_gray_ = expect([&] { return reference::gray(photo_); });
    check(gray_.read(), wanted_gray_);
    keep("gray", gray_.read());

    auto result = runtime_.array<reference::Statistics>(1);
    run("statistics", "reduction: sum, least, greatest", strided(), [&] { result.write()[0] = {}; }, gray_, result, n_);
    const reference::Statistics wanted = expect([&] { return reference::statistics(wanted_gray_); });
    report_.statistics = result.read()[0];
    const std::uint64_t got[] = {report_.statistics.sum, report_.statistics.smallest, report_.statistics.largest};
    const std::uint64_t right[] = {wanted.sum, wanted.smallest, wanted.largest};
    check<std::uint64_t>(got, right);
  }

  void blur_and_sharpen() {
    const auto weights = reference::gaussian_weights(settings_.gaussian_radius, settings_.gaussian_sigma);
    module_.write_variable("gaussian_weights", 0, std::as_bytes(std::span(weights)), device_);
    // Sums of a dozen products near 255, in another order and with fused multiply-adds: a few units in the last place.
    constexpr double tolerance = 1e-3;
    run("gaussian_rows", "Gaussian blur along rows", tiled(), {}, gray_, floats_, photo_.width, photo_.height,
        settings_.gaussian_radius);
    const auto rows = expect([&] { return reference::gaussian_rows(wanted_gray_, weights); });
    check<float>(floats_.read(), rows, tolerance);
    run("gaussian_columns", "Gaussian blur along columns", tiled(), {}, floats_, blurred_, photo_.width, photo_.height,
        settings_.gaussian_radius);
    const auto blurred =
        expect([&] { return reference::gaussian_columns(rows, photo_.width, photo_.height, weights); });
    check<float>(blurred_.read(), blurred, tolerance);
    std::vector<std::uint8_t> shown(blurred.size());
    std::transform(blurred_.read().begin(), blurred_.read().end(), shown.begin(),
                   [](float v) { return static_cast<std::uint8_t>(v + 0.5f); });
    keep("gaussian", shown);

    // One grey level where rounding falls on the other side.
    run("unsharp", "unsharp mask: adds what the blur took", linear(), {}, gray_, blurred_, bytes_,
        settings_.unsharp_amount, n_);
    check(bytes_.read(), expect([&] { return reference::unsharp(wanted_gray_, blurred, settings_.unsharp_amount); }),
          1);
    keep("unsharp", bytes_.read());

    auto box = runtime_.array<Rgba>(photo_.pixels.size());
    run("box_blur", "mean of 11 x 11 pixels, in colour", tiled(), {}, colour_, box, photo_.width, photo_.height,
        settings_.box_radius);
    const Picture wanted = expect([&] { return reference::box_blur(photo_, settings_.box_radius); });
    check<std::uint8_t>(channels(box.read()), channels(wanted.pixels));
    Picture picture(photo_.width, photo_.height);
    std::copy(box.read().begin(), box.read().end(), picture.pixels.begin());
    keep("box blur", std::move(picture));
  }

  void find_edges() {
    run("sobel", "strength of edges, tiles with a halo", tiled(), {}, gray_, bytes_, photo_.width, photo_.height);
    const Gray edges = expect([&] { return reference::sobel(wanted_gray_); });
    check(bytes_.read(), edges);
    keep("sobel", bytes_.read());
    auto strong = runtime_.array<std::uint8_t>(photo_.pixels.size());
    run("threshold", "strong edges only", linear(), {}, bytes_, strong, settings_.edge_level, n_);
    check(strong.read(), expect([&] { return reference::threshold(edges, settings_.edge_level); }));
    keep("edges", strong.read());
  }

  void equalise() {
    auto bins = runtime_.array<std::uint32_t>(256);
    run(
        "histogram", "256 bins, atomics in shared memory", strided(), [&] { std::ranges::fill(bins.write(), 0u); },
        gray_, bins, n_);
    const auto wanted_bins = expect([&] { return reference::histogram(wanted_gray_); });
    check<std::uint32_t>(bins.read(), wanted_bins);
    auto table = runtime_.array<std::uint8_t>(256);
    run("equalisation_table", "scan of the histogram, one block", {.grid = {1}, .block = {256}, .device = device_}, {},
        bins, table, n_);
    const auto wanted_table = expect([&] { return reference::equalisation_table(wanted_bins, n_); });
    check<std::uint8_t>(table.read(), wanted_table);
    run("apply_table", "histogram equalisation", linear(), {}, gray_, table, bytes_, n_);
    check(bytes_.read(), expect([&] { return reference::apply_table(wanted_gray_, wanted_table); }));
    keep("equalised", bytes_.read());
  }

  void transpose_and_scan() {
    run("transpose_bytes", "transpose through shared memory", tiled(32, 32), {}, gray_, bytes_, photo_.width,
        photo_.height);
    check(bytes_.read(), expect([&] { return reference::transpose(wanted_gray_); }));
    keep("transposed", bytes_.read(), photo_.height, photo_.width);

    const auto rows_of = [&](int rows) {
      return LaunchOptions{.grid = {static_cast<unsigned>(rows)}, .block = {256}, .device = device_};
    };
    run("scan_rows_bytes", "scan of each row, warp by warp", rows_of(photo_.height), {}, gray_, sums_, photo_.width);
    const auto scanned = expect([&] { return reference::scan_rows(wanted_gray_); });
    check<std::uint32_t>(sums_.read(), scanned);
    run("transpose_words", "transpose of the sums", tiled(32, 32), {}, sums_, words_, photo_.width, photo_.height);
    check<std::uint32_t>(words_.read(), expect([&] { return transposed(scanned); }));
    run("scan_rows_words", "second scan: a summed-area table", rows_of(photo_.width), {}, words_, sums_, photo_.height);
    check<std::uint32_t>(sums_.read(), expect([&] { return reference::summed_area(wanted_gray_); }));
    run("adaptive_threshold", "darker than the 33 x 33 pixels around", tiled(), {}, gray_, sums_, bytes_, photo_.width,
        photo_.height, settings_.adaptive_radius, settings_.adaptive_percent);
    check(bytes_.read(), expect([&] {
            return reference::adaptive_threshold(wanted_gray_, settings_.adaptive_radius, settings_.adaptive_percent);
          }));
    keep("adaptive threshold", bytes_.read());
  }

  void smooth() {
    run("median", "median of 3 x 3, a sorting network", tiled(), {}, gray_, bytes_, photo_.width, photo_.height);
    check(bytes_.read(), expect([&] { return reference::median(wanted_gray_); }));
    keep("median", bytes_.read());
    const float distance = settings_.bilateral_sigma_distance, grey = settings_.bilateral_sigma_difference;
    run("bilateral", "smooths, keeps edges", tiled(), {}, gray_, bytes_, photo_.width, photo_.height,
        settings_.bilateral_radius, 1 / (2 * distance * distance), 1 / (2 * grey * grey));
    check(bytes_.read(),
          expect([&] { return reference::bilateral(wanted_gray_, settings_.bilateral_radius, distance, grey); }), 1);
    keep("bilateral", bytes_.read());
  }

  static std::span<const std::uint8_t> channels(std::span<const Rgba> pixels) {
    return {&pixels.data()->r, pixels.size() * 4};
  }
  std::vector<std::uint32_t> transposed(const std::vector<std::uint32_t>& in) const {
    std::vector<std::uint32_t> out(in.size());
    for (int y = 0; y < photo_.height; ++y) {
      for (int x = 0; x < photo_.width; ++x) {
        out[static_cast<std::size_t>(x) * photo_.height + y] = in[static_cast<std::size_t>(y) * photo_.width + x];
      }
    }
    return out;
  }

  heddle::Runtime& runtime_;
  heddle::Module& module_;
  std::string device_;
  const Picture& photo_;
  int repeats_;
  const Listener& listener_;
  int n_;
  Array<Rgba> colour_;
  Array<std::uint8_t> gray_, bytes_;
  Array<float> floats_, blurred_;
  Array<std::uint32_t> words_, sums_;
  reference::Settings settings_;
  Gray wanted_gray_;
  Report report_;
};

}  // namespace

bool Report::right() const {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.right; });
}

Report process(heddle::Runtime& runtime, heddle::Module& module, const std::string& device, const Picture& photo,
               int repeats, const Listener& listener) {
  return Run(runtime, module, device, photo, repeats, listener).report();
}

}  // namespace images
