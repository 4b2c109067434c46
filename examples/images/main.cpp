// Image processing with CUDA kernels on every device that Heddle finds: writes the pictures, a contact sheet and a table
// of times, and compares every kernel's result with plain C++. Exit code 0 only when all are right.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

#include "contact_sheet.hpp"
#include "picture.hpp"
#include "pipeline.hpp"

namespace {

struct Options {
  std::string photo = IMAGES_FOLDER "/photo.png", kernels = IMAGES_FOLDER "/images.cu", out = "images-out", devices;
  int scale = 1, repeats = 9;
};

Options parse(int count, char** arguments) {
  Options options;
  CLI::App app("Image processing with CUDA kernels on every device found.");
  app.add_option("--photo", options.photo, "a PNG file")->capture_default_str();
  app.add_option("--kernels", options.kernels, "the CUDA source")->capture_default_str();
  app.add_option("--out", options.out, "folder for the pictures")->capture_default_str();
  app.add_option("--devices", options.devices, "comma separated; default: all that are found");
  app.add_option("--scale", options.scale, "enlarge the photograph this many times first")->check(CLI::Range(1, 16));
  app.add_option("--repeats", options.repeats, "times each kernel runs; the median counts")->check(CLI::Range(1, 1000));
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name + ".png";
}

void print_table(const std::string& device, const images::Report& report) {
  std::printf("\n%-20s %12s %14s %9s  %s\n", device.c_str(), "median", "C++, 1 thread", "ratio", "check against C++");
  for (const images::Step& step : report.steps) {
    std::printf("%-20s %9.3f ms %11.3f ms %8.1fx  %s\n", step.kernel.c_str(), step.seconds * 1e3,
                step.reference_seconds * 1e3, step.reference_seconds / step.seconds, step.check.c_str());
  }
}

int run(const Options& options) {
  const images::Picture photo = images::enlarged(images::read_png(options.photo), options.scale);
  heddle::Runtime runtime({.devices = options.devices});
  std::printf("%s: %d x %d pixels\n", options.photo.c_str(), photo.width, photo.height);
  heddle::Module module = runtime.compile_file(options.kernels);
  std::printf("%s: %zu kernels compiled\n", options.kernels.c_str(), module.kernel_names().size());
  std::filesystem::create_directories(options.out);
  bool right = true;
  for (const heddle::DeviceInfo& device : runtime.devices()) {
    const auto progress = [&](const std::string& kernel) {
      std::fprintf(stderr, "\r%s: %-24s", device.id.c_str(), kernel.c_str());
    };
    images::Report report = images::process(runtime, module, device.id, photo, options.repeats, progress);
    std::fprintf(stderr, "\r%40s\r", "");
    print_table(device.id + " (" + device.name + ")", report);
    const auto& s = report.statistics;
    std::printf("grey levels: mean %.2f, from %u to %u\n", static_cast<double>(s.sum) / photo.count(), s.smallest, s.largest);
    right = right && report.right();

    const std::filesystem::path folder = std::filesystem::path(options.out) / device.id;
    std::filesystem::create_directories(folder);
    report.pictures.insert(report.pictures.begin(), {"photograph", photo});
    for (const auto& [name, picture] : report.pictures) images::write_png((folder / file_name(name)).string(), picture);
    images::write_png((folder / "contact-sheet.png").string(), images::contact_sheet(report.pictures));
    std::printf("%zu pictures and contact-sheet.png in %s\n", report.pictures.size(), folder.string().c_str());
  }
  std::printf("\n%s\n", right ? "All results are right." : "SOME RESULTS ARE WRONG.");
  return right ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "images: %s\n", error.what());
    return 1;
  }
}
