// Runs a fuzz target over every file of a corpus folder, and over fixed mutations of each (cuts, flipped bytes, spliced
// pieces), so that an ordinary build exercises it without libFuzzer. Usage: NAME_corpus FOLDER
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutated(const std::string& input, std::mt19937& random) {
  std::string text = input;
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  switch (random() % 4) {
    case 0: text.resize(below(text.size() + 1)); break;
    case 1:
      if (!text.empty()) text[below(text.size())] = static_cast<char>(random());
      break;
    case 2: text.insert(below(text.size() + 1), text.substr(below(text.size()), below(24))); break;
    default: text.erase(below(text.size() + 1), below(24)); break;
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  constexpr unsigned mutations = 64;
  constexpr std::size_t large = 64 * 1024;  // fewer mutations of large files, to keep this a fast test
  std::size_t files = 0;
  std::mt19937 random(1);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[1])) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    run(input);
    for (unsigned i = 0; i < (input.size() > large ? 4 : mutations); ++i) run(mutated(input, random));
    ++files;
  }
  std::printf("%zu files\n", files);
  return files == 0 ? 1 : 0;
}
