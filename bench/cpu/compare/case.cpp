#include "compare/case.hpp"

#include <random>

namespace heddle::bench {

ArrayIndex Case::add(ArraySpec array) {
  arrays.push_back(std::move(array));
  return {arrays.size() - 1};
}

ArraySpec random_floats(std::string name, std::size_t count, float low, float high, unsigned seed, Role role) {
  std::minstd_rand engine(seed + 1);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = draw(engine);
  return values<float>(std::move(name), Element::f32, numbers, role);
}

ArraySpec zeros(std::string name, std::size_t count, Role role, Element element) {
  const std::size_t bytes = element == Element::u8 ? 1 : 4;
  return {std::move(name), element, role, std::vector<std::byte>(count * bytes)};
}

Dim3 blocks_for(std::size_t n, unsigned threads) { return {static_cast<std::uint32_t>((n + threads - 1) / threads)}; }

Dim3 blocks_for_plane(std::size_t columns, std::size_t rows) {
  return {blocks_for(columns, plane_block.x).x, blocks_for(rows, plane_block.y).x};
}

}  // namespace heddle::bench
