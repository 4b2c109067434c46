#include "random_programs/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace heddle::test::random_programs {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr std::size_t most_arrays = 20;
constexpr int statements = 60;
constexpr std::uint32_t longest_delay = 3000;

// An array on the machine and the plain one beside it.
struct Twin {
  Array<std::uint32_t> array;
  Values plain;
};

// Elements [first, first + count) of an array.
struct Part {
  std::size_t array, first, count;
};

enum class Kernel { copy, mix, cross, sum };

struct Call {
  Kernel kernel;
  std::vector<Part> parts;
  std::string device;
};

class Program {
 public:
  Program(Machine& machine, std::uint64_t seed) : machine_(machine), random_(seed) {
    const std::size_t least = machine.least_arrays();
    for (std::size_t i = 0; i < least + below(most_arrays - 4); ++i) add_array();
  }

  std::string run() {
    for (int i = 0; i < statements && difference_.empty(); ++i) statement();
    for (std::size_t i = 0; i < twins_.size() && difference_.empty(); ++i) compare({i, 0, twins_[i]->plain.size()});
    return difference_;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

  void add_array() {
    const std::size_t count = 16 + below(most_elements - 15);
    twins_.push_back(std::make_unique<Twin>(Twin{machine_.array(count), Values(count)}));
  }

  void statement() {
    const std::size_t kind = below(100);
    if (kind < 55)
      launch(call());
    else if (kind < 70)
      compare(part(chance(30)));
    else if (kind < 80)
      write(part(chance(30)));
    else if (kind < 86)
      replace_array();
    else if (kind < 88)
      machine_.synchronize();
    else
      loop();
  }

  Part part(bool whole) {
    const std::size_t array = below(twins_.size()), size = twins_[array]->plain.size();
    if (whole) return {array, 0, size};
    const std::size_t first = below(size), count = 1 + below(size - first);
    return {array, first, count};
  }

  // A part of `count` elements.
  Part part_of(std::size_t count) {
    std::size_t array = below(twins_.size());
    while (twins_[array]->plain.size() < count) array = (array + 1) % twins_.size();
    return {array, below(twins_[array]->plain.size() - count + 1), count};
  }

  static bool overlap(const Part& a, const Part& b) {
    return a.array == b.array && a.first < b.first + b.count && b.first < a.first + a.count;
  }

  // What is written must be nothing that another thread of the launch reads: results would hang on the order.
  Call call() {
    Call made{static_cast<Kernel>(below(4)), {}, machine_.devices()[below(machine_.devices().size())]};
    const Part data = part(chance(50));
    made.parts.push_back(data);
    if (made.kernel == Kernel::mix) return made;
    if (made.kernel == Kernel::cross) made.parts.push_back(part_of(data.count));
    Part out{};
    do {
      out = made.kernel == Kernel::sum ? part_of(1) : part_of(data.count);
      if (std::any_of(made.parts.begin(), made.parts.end(), [&](const Part& in) { return overlap(in, out); }))
        add_array();  // there may be no other place
    } while (std::any_of(made.parts.begin(), made.parts.end(), [&](const Part& in) { return overlap(in, out); }));
    made.parts.push_back(out);
    return made;
  }

  // What is true of an argument: what only is written is overwritten as a whole.
  static Argument said(const Call& made, bool last, const Argument& plain) {
    if (made.kernel == Kernel::mix) return inout(plain);
    if (!last) return in(plain);
    return made.kernel == Kernel::sum ? inout(plain) : out(plain);
  }

  void launch(const Call& made) {
    const auto number = static_cast<std::uint32_t>(random_());
    const auto delay = static_cast<std::uint32_t>(chance(40) ? below(longest_delay) : 0);
    std::vector<Argument> arguments{Argument(delay)};
    if (made.kernel == Kernel::mix) arguments.emplace_back(number);
    const bool annotated = chance(30);
    for (const Part& part : made.parts) {
      const Argument plain = twins_[part.array]->array.slice(part.first, part.count);
      arguments.push_back(annotated ? said(made, &part == &made.parts.back(), plain) : plain);
    }
    static const char* const names[] = {"copy", "mix", "cross", "sum"};
    const auto threads = static_cast<std::uint32_t>(made.parts[0].count);
    std::uint32_t blocks = chance(50) ? 1 + static_cast<std::uint32_t>(below(12)) : 1;
    while (threads % blocks != 0) --blocks;
    machine_.launch(names[static_cast<int>(made.kernel)],
                    {.grid = {blocks}, .block = {threads / blocks}, .device = made.device}, arguments);
    apply(made, number);
  }

  std::uint32_t* plain(const Part& part) { return twins_[part.array]->plain.data() + part.first; }

  void apply(const Call& made, std::uint32_t number) {
    std::uint32_t* const a = plain(made.parts[0]);
    const std::size_t count = made.parts[0].count;
    const std::uint32_t* const other = made.kernel == Kernel::cross ? plain(made.parts[1]) : nullptr;
    std::uint32_t* const out = plain(made.parts.back());
    switch (made.kernel) {
      case Kernel::copy:
        for (std::size_t i = 0; i < count; ++i) out[i] = 3 * a[i] + 1;
        break;
      case Kernel::mix:
        for (std::size_t i = 0; i < count; ++i) a[i] = 5 * a[i] + number;
        break;
      case Kernel::cross:
        for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + 7 * other[count - 1 - i];
        break;
      case Kernel::sum: out[0] += std::accumulate(a, a + count, 0u); break;
    }
  }

  // The same launches several times, as replay looks for them; the host may read at the end of each turn.
  void loop() {
    std::vector<Call> body;
    for (std::size_t i = 0; i < 1 + below(4); ++i) {
      body.push_back(call());
      body.back().device = body.front().device;
    }
    const Part seen = part(chance(30));
    const bool reads = chance(50);
    const std::size_t turns = reads ? 4 + below(20) : 10 + below(120);
    for (std::size_t turn = 0; turn < turns && difference_.empty(); ++turn) {
      for (const Call& made : body) launch(made);
      if (chance(2)) launch(call());
      if (reads) compare(seen);
    }
  }

  void compare(const Part& part) {
    Twin& twin = *twins_[part.array];
    const std::uint32_t* const expected = plain(part);
    const bool whole = part.first == 0 && part.count == twin.plain.size();
    if (part.count == 1 && chance(50)) {
      if (twin.array[part.first] != *expected) differs(part, 0, twin.array[part.first]);
      return;
    }
    const std::span<const std::uint32_t> got = whole ? twin.array.read() : twin.array.read(part.first, part.count);
    for (std::size_t i = 0; i < part.count; ++i)
      if (got[i] != expected[i]) return differs(part, i, got[i]);
  }

  void differs(const Part& part, std::size_t i, std::uint32_t got) {
    difference_ =
        fmt::format("element {} of array {} is {}, and must be {}", part.first + i, part.array, got, plain(part)[i]);
  }

  void write(const Part& part) {
    Twin& twin = *twins_[part.array];
    const bool whole = part.first == 0 && part.count == twin.plain.size();
    const std::span<std::uint32_t> to = whole ? twin.array.write() : twin.array.write(part.first, part.count);
    for (std::size_t i = 0; i < part.count; ++i) to[i] = plain(part)[i] = static_cast<std::uint32_t>(random_());
  }

  void replace_array() {
    std::swap(twins_[below(twins_.size())], twins_.back());
    twins_.pop_back();
    add_array();
  }

  Machine& machine_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Twin>> twins_;
  std::string difference_;
};

}  // namespace

std::string run(Machine& machine, std::uint64_t seed) { return Program(machine, seed).run(); }

}  // namespace heddle::test::random_programs
