// Statistics of many values.
#include <random>

#include "compare/cases.hpp"
#include "kernels/loops.hpp"

namespace heddle::bench {
namespace {

// The triangular kernels take small blocks, of which there are then enough for all cores.
constexpr unsigned threads = 256, few_threads = 64;
constexpr int n = 768, m = 768;

ArraySpec data() { return random_floats("data", static_cast<std::size_t>(n) * m, 0, 1, 1); }
ArraySpec result() { return zeros("result", static_cast<std::size_t>(m) * m, Role::output); }

Case correlation() {
  Case made;
  const auto from = made.add(data()), average = made.add(zeros("average", m, Role::output));
  const auto spread = made.add(zeros("spread", m, Role::output));
  const auto normal = made.add(zeros("normal", static_cast<std::size_t>(n) * m, Role::output));
  const auto to = made.add(result());
  made.steps = {{"mean", blocks_for(m, threads), {threads}, {n, m, from, average}},
                {"deviation", blocks_for(m, threads), {threads}, {n, m, from, average, spread}},
                {"normalise", blocks_for_plane(m, n), plane_block, {n, m, from, average, spread, normal}},
                {"correlation", blocks_for(m, few_threads), {few_threads}, {n, m, normal, to}}};
  made.loops = [](const HostArrays& h) { loops::correlation(n, m, h.get(0), h.get(1), h.get(2), h.get(3), h.get(4)); };
  return made;
}

Case covariance() {
  Case made;
  const auto from = made.add(data()), average = made.add(zeros("average", m, Role::output));
  const auto centred = made.add(zeros("centred", static_cast<std::size_t>(n) * m, Role::output));
  const auto to = made.add(result());
  made.steps = {{"mean", blocks_for(m, threads), {threads}, {n, m, from, average}},
                {"centre", blocks_for_plane(m, n), plane_block, {n, m, from, average, centred}},
                {"covariance", blocks_for(m, few_threads), {few_threads}, {n, m, centred, to}}};
  made.loops = [](const HostArrays& h) { loops::covariance(n, m, h.get(0), h.get(1), h.get(2), h.get(3)); };
  return made;
}

Case reduction() {
  constexpr int count = 1 << 24;
  constexpr int blocks = 256;
  Case made;
  const auto in = made.add(random_floats("in", count, 0, 1, 1));
  const auto partial = made.add(zeros("partial", blocks, Role::scratch)), out = made.add(zeros("out", 1, Role::output));
  made.steps = {{"reduce", {blocks}, {threads}, {count, in, partial}},
                {"reduce", {1}, {threads}, {blocks, partial, out}}};
  made.loops = [](const HostArrays& h) { loops::reduction(count, h.get(0), h.get(2)); };
  return made;
}

Case histogram() {
  constexpr int count = 1 << 25;
  constexpr std::uint32_t blocks = 256;
  std::minstd_rand engine(3);
  std::vector<std::uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(engine() >> 8);
  Case made;
  const auto in = made.add(values<std::uint8_t>("data", Element::u8, bytes));
  const auto bins = made.add(zeros("bins", 256, Role::output, Element::u32));
  made.steps = {{"clear", {1}, {threads}, {bins}}, {"histogram", {blocks}, {threads}, {count, in, bins}}};
  made.loops = [](const HostArrays& h) { loops::histogram(count, h.get<unsigned char>(0), h.get<unsigned>(1)); };
  return made;
}

}  // namespace

std::vector<CaseMaker> statistics_cases() {
  return {{"correlation", correlation}, {"covariance", covariance}, {"reduction", reduction}, {"histogram", histogram}};
}

}  // namespace heddle::bench
