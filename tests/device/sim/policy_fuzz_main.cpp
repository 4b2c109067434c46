// heddle_policy_fuzz: small random kernels under every policy of a simulated SM, in one process.
//   heddle_policy_fuzz --seeds 0:10000          a line for each 500 seeds, and for each that differs
//   heddle_policy_fuzz --seeds 7:8 --print      the kernel's text and the policies of its runs
//   heddle_policy_fuzz --seeds 7:8 --policies divergence=dwf,lanes=swizzle
// Exit code 0 when no kernel differs. A kernel that takes more than --seconds (60) of a processor ends the program
// with its seed.
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>

#include "device/sim/policy_fuzz.hpp"
#include "random/program.hpp"

namespace {

using namespace heddle::device::sim;

struct Options {
  std::uint64_t begin = 0, end = 1000;
  unsigned seconds = 60;
  bool print = false;
  std::string policies;
};

volatile std::uint64_t seed_under_way = 0;

void give_up(int) {
  char text[64] = "seed                      takes too long\n";
  std::uint64_t rest = seed_under_way;
  for (int at = 24; at > 4; --at, rest /= 10) text[at] = rest != 0 || at == 24 ? char('0' + rest % 10) : ' ';
  const auto written = write(STDOUT_FILENO, text, 42);
  _exit(written == 42 ? 1 : 3);
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--print") {
      options.print = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const std::string value = argv[++i];
    if (word == "--seeds") {
      const std::size_t colon = value.find(':');
      if (colon == std::string::npos) return false;
      options.begin = std::strtoull(value.c_str(), nullptr, 10);
      options.end = std::strtoull(value.c_str() + colon + 1, nullptr, 10);
    } else if (word == "--seconds") {
      options.seconds = static_cast<unsigned>(std::atoi(value.c_str()));
    } else if (word == "--policies") {
      options.policies = value;
    } else {
      return false;
    }
  }
  return options.begin < options.end && options.seconds != 0;
}

void print_kernel(std::uint64_t seed) {
  fmt::print("{}", heddle::test::random_kernel::generate_small(seed).text());
  for (const std::string& policies : fuzz_policies(seed)) fmt::print("// {}\n", policies);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr, "usage: heddle_policy_fuzz [--seeds A:B] [--policies OPTIONS] [--seconds N] [--print]\n");
    return 2;
  }
  constexpr std::uint64_t a_line = 500;
  std::signal(SIGPROF, give_up);
  std::uint64_t different = 0, runs = 0, instructions = 0;
  const double start = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  for (std::uint64_t seed = options.begin; seed < options.end; ++seed) {
    if (options.print) {
      print_kernel(seed);
      continue;
    }
    seed_under_way = seed;
    const itimerval limit{{0, 0}, {static_cast<time_t>(options.seconds), 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    const FuzzResult result = fuzz_seed(seed, options.policies);
    runs += result.runs;
    instructions += result.warp_instructions;
    if (!result.difference.empty()) {
      ++different;
      fmt::print("seed {} {}\n", seed, result.difference);
    }
    const std::uint64_t done = seed + 1 - options.begin;
    if (done % a_line == 0 || seed + 1 == options.end)
      fmt::print("{} kernels, {} simulations, {} warp instructions, {} differ, {:.0f} s of a processor\n", done, runs,
                 instructions, different, static_cast<double>(std::clock()) / CLOCKS_PER_SEC - start);
    std::fflush(stdout);
  }
  return different != 0;
}
