// Image processing with CUDA kernels on every device that Heddle finds, and on the interpreter: writes the pictures, a
// contact sheet and a table of times, and compares every kernel's result with plain C++. Exit code 0 only when all are
// right.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

#include "contact_sheet.hpp"
#include "picture.hpp"
#include "pipeline.hpp"
#include "table.hpp"

namespace {

namespace fs = std::filesystem;

const std::string interpreter = "interp";

// Where the photograph and the kernels are: beside the folder of this program in an archive of script/bundle, else in
// the source.
fs::path own_folder() {
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "images";
  return !error && fs::exists(beside / "images.cu", error) ? beside : fs::path(IMAGES_FOLDER);
}

struct Options {
  std::string photo = own_folder() / "photo.png", kernels = own_folder() / "images.cu", out = "images-out", devices;
  int scale = 1, repeats = 9, interpreter_part = 6;
};

Options parse(int count, char** arguments) {
  Options options;
  CLI::App app("Image processing with CUDA kernels on every device found.");
  app.add_option("--photo", options.photo, "a PNG file")->capture_default_str();
  app.add_option("--kernels", options.kernels, "the CUDA source")->capture_default_str();
  app.add_option("--out", options.out, "folder for the pictures and times.txt")->capture_default_str();
  app.add_option("--devices", options.devices, "comma separated; default: all that are found, then the interpreter");
  app.add_option("--scale", options.scale, "enlarge the photograph this many times first")->check(CLI::Range(1, 16));
  app.add_option("--repeats", options.repeats, "times each kernel runs; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--interp-part", options.interpreter_part,
                 "the slow interpreter runs each kernel once, on a picture this many times less wide and high")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

std::string found_devices() {
  std::string ids;
  for (const heddle::DeviceInfo& device : heddle::Runtime().devices()) ids += device.id + ",";
  return ids + interpreter;
}

// Relative where the file lies below the working folder.
std::string shown(const fs::path& path) {
  const fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name + ".png";
}

std::string size_of(const images::Picture& picture) {
  return std::to_string(picture.width) + " x " + std::to_string(picture.height) + " pixels";
}

// To the terminal at once, and to times.txt in the end.
class Journal {
 public:
  void add(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    all_ += text;
  }
  void write(const fs::path& file) const {
    std::ofstream out(file);
    out << all_;
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  }

 private:
  std::string all_;
};

class Demo {
 public:
  explicit Demo(const Options& options)
      : options_(options), runtime_({.devices = options.devices.empty() ? found_devices() : options.devices}) {}

  int run() {
    const images::Picture photo = images::enlarged(images::read_png(options_.photo), options_.scale);
    journal_.add("Photograph: " + shown(options_.photo) + ", " + size_of(photo) + "\n");
    heddle::Module module = compile();
    for (const heddle::DeviceInfo& device : runtime_.devices()) {
      if (device.id == interpreter) {
        const int part = options_.interpreter_part;
        process(module, device,
                images::resized(photo, std::max(1, photo.width / part), std::max(1, photo.height / part)), 1);
      } else {
        process(module, device, photo, options_.repeats);
      }
    }
    return finish();
  }

 private:
  heddle::Module compile() {
    std::printf("Kernels:    %s, from CUDA C++ to PTX ... ", shown(options_.kernels).c_str());
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    heddle::Module module = runtime_.compile_file(options_.kernels);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%zu kernels in %.2f s\n", module.kernel_names().size(), seconds);
    return module;
  }

  void process(heddle::Module& module, const heddle::DeviceInfo& device, const images::Picture& photo, int repeats) {
    journal_.add("\n== " + device.id + ": " + device.name + "; " + size_of(photo) + "\n");
    journal_.add(repeats == 1 ? "Each kernel runs once"
                              : "Each kernel runs " + std::to_string(repeats) + " times; time: the median");
    journal_.add(device.id == interpreter ? ", on a small picture: this is the slow, simple oracle of Heddle's tests. "
                                          : ". ");
    journal_.add("C++: plain loops, one thread.\n\n");
    journal_.add(images::table::heading());
    const images::Listener listener = {
        .begins = [this](const images::Step& step) { journal_.add(images::table::row_start(step)); },
        .ends = [this](const images::Step& step) { journal_.add(images::table::row_end(step)); }};
    images::Report report = images::process(runtime_, module, device.id, photo, repeats, listener);
    journal_.add(images::table::total(report.steps));
    const auto& s = report.statistics;
    std::printf("\nGrey levels of the photograph: from %u to %u, mean %.2f\n", s.smallest, s.largest,
                static_cast<double>(s.sum) / photo.count());
    report.pictures.insert(report.pictures.begin(), {"photograph", size_of(photo), photo});
    write_pictures(device, report);
    for (const images::Step& step : report.steps) ++(step.right ? right_ : wrong_);
  }

  void write_pictures(const heddle::DeviceInfo& device, const images::Report& report) {
    const fs::path folder = fs::path(options_.out) / device.id;
    fs::create_directories(folder);
    for (const images::NamedPicture& named : report.pictures) {
      images::write_png((folder / file_name(named.name)).string(), named.picture);
    }
    const std::string line = device.name + ": " + std::to_string(report.steps.size()) + " kernels, " +
                             (report.right() ? "all results as plain C++ has them" : "SOME RESULTS ARE WRONG");
    const fs::path sheet = folder / "contact-sheet.png";
    images::write_png(sheet.string(),
                      images::contact_sheet("Heddle: CUDA kernels on " + device.id, line, report.pictures));
    std::printf("Wrote %zu pictures to %s\n", report.pictures.size(), shown(folder).c_str());
    sheets_.push_back(sheet);
  }

  int finish() {
    const fs::path times = fs::path(options_.out) / "times.txt";
    journal_.write(times);
    if (wrong_ == 0) {
      std::printf(
          "\nAll %d results are right: each was compared with plain C++, value by value. \"within\" is the largest\n"
          "difference where floating-point numbers are added up in another order.\n",
          right_);
    } else {
      std::printf("\nWRONG: %d of %d results are not those of plain C++.\n", wrong_, right_ + wrong_);
    }
    for (const fs::path& sheet : sheets_) std::printf("Pictures, all on one page:  %s\n", fs::absolute(sheet).c_str());
    std::printf("Tables:                     %s\n", fs::absolute(times).c_str());
    return wrong_ == 0 ? 0 : 1;
  }

  const Options& options_;
  heddle::Runtime runtime_;
  Journal journal_;
  std::vector<fs::path> sheets_;
  int right_ = 0, wrong_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  try {
    return Demo(options).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\nimages: %s\n", error.what());
    return 1;
  }
}
