#include "random/kernel_writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

std::string Writer::declarations() const {
  return varying.declarations() + uniform.declarations() + temporaries.declarations();
}

namespace {

Dim3 block_shape(Random& random) {
  static constexpr Dim3 shapes[] = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {96, 1, 1}, {33, 1, 1},  {8, 8, 1},
                                    {16, 4, 1}, {5, 7, 1},  {32, 2, 1},  {3, 11, 1}, {64, 2, 1},  {4, 4, 4},
                                    {2, 3, 5},  {8, 2, 2},  {1, 16, 2},  {1, 1, 33}, {16, 16, 1}, {40, 1, 1},
                                    {7, 1, 9},  {2, 32, 1}, {12, 4, 1},  {32, 1, 3}, {256, 1, 1}};
  if (random.chance(25)) return {1 + random.below(16), 1, 1};
  if (random.chance(25)) return {1 + random.below(100), 1, 1};
  return random.pick(shapes);
}

Dim3 grid_shape(Random& random) {
  static constexpr Dim3 shapes[] = {{2, 2, 1}, {3, 2, 1}, {2, 1, 2}, {1, 3, 1}, {2, 2, 2}, {1, 1, 3}};
  if (random.chance(60)) return {1 + random.below(4), 1, 1};
  return random.pick(shapes);
}

Launch launch_of(Random& random, std::uint64_t most_threads) {
  Launch launch;
  do {
    launch.block = block_shape(random);
    launch.grid = grid_shape(random);
  } while (launch.block.count() * launch.grid.count() > most_threads);
  launch.blocks = {0, launch.grid.count()};
  if (random.chance(25)) {
    launch.blocks.begin = random.below(launch.grid.count());
    launch.blocks.end = launch.blocks.begin + 1 + random.below(launch.grid.count() - launch.blocks.begin);
  }
  if (random.chance(40)) launch.dynamic_shared = static_cast<std::uint32_t>(8 * launch.block.count());
  launch.check = random.chance(12);
  return launch;
}

std::string module_head(Setting& setting) {
  Random& random = setting.random;
  std::string text = fmt::format(".version {}.{}\n.target sm_{}\n.address_size 64\n", setting.target.ptx / 10,
                                 setting.target.ptx % 10, setting.target.sm);
  const auto table = [&](const char* space, const char* name, unsigned bytes) {
    text += fmt::format(".{} .align 16 .b32 {}[{}] = {{", space, name, bytes / 4);
    for (unsigned i = 0; i < bytes / 4; ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", random.bits() >> 33);
    text += "};\n";
  };
  table("global", "global_table", 1024);
  table("const", "constant_table", 512);
  const std::uint64_t threads = setting.block_threads();
  text += fmt::format(
      ".shared .align 16 .b8 own[{}];\n.shared .align 16 .b8 exchanged[{}];\n.shared .align 4 .b8 counters[16];\n",
      16 * threads, 8 * threads);
  if (setting.launch.dynamic_shared) text += ".extern .shared .align 16 .b8 dynamic[];\n";
  return text;
}

Signature signature_of(Setting& setting, unsigned number) {
  static constexpr Type types[] = {Type::b32, Type::b32, Type::b64, Type::f32, Type::f64};
  Random& random = setting.random;
  Signature signature;
  signature.name = fmt::format("f{}", number);
  if (!setting.signatures.empty() && random.chance(50)) {
    signature = setting.signatures.front();
    signature.name = fmt::format("f{}", number);
    if (!signature.recursive && !signature.takes_mask) return signature;
    signature = {signature.name, {}, Type::b32, false, false, false};
  }
  signature.result = random.pick(types);
  const unsigned kind = random.below(6);
  if (kind == 0) {
    signature.pair = true;
    return signature;
  }
  signature.recursive = kind == 1;
  signature.takes_mask = kind == 2 && setting.warp;
  if (signature.recursive || signature.takes_mask) signature.parameters.push_back(Type::b32);
  for (unsigned i = 1 + random.below(3); i > 0; --i) signature.parameters.push_back(random.pick(types));
  return signature;
}

// What kernels of a kind have in common.
struct Kind {
  bool for_gpu = false, small = false;
};

unsigned statements_of(Random& random, bool small) {
  if (small) return 4 + random.below(13);
  return random.chance(70) ? 8 + random.below(30) : 20 + random.below(60);
}

Program written(std::uint64_t seed, const Kind& kind) {
  static constexpr Target targets[] = {{70, 75}, {80, 80}, {83, 90}, {83, 90}, {83, 90}, {83, 90}, {90, 90}, {88, 100}};
  Random random(seed);
  static Catalog catalog;
  Program program;
  program.seed = seed;
  program.launch = launch_of(random, kind.small ? 128 : 400);
  Setting setting{random, catalog, random.pick(targets), program.launch};
  if (kind.for_gpu && setting.target.sm > newest_gpu.sm) setting.target = newest_gpu;
  setting.early_exit = random.chance(kind.small ? 30 : 12);
  setting.warp = random.chance(60);
  setting.for_gpu = kind.for_gpu;
  setting.irregular = !kind.for_gpu || random.chance(50);
  if (kind.small) setting.branching = 3;
  program.head = module_head(setting);
  for (unsigned i = random.chance(40) ? 1 + random.below(kind.small ? 2 : 3) : 0; i > 0; --i) {
    const Signature signature = signature_of(setting, static_cast<unsigned>(setting.signatures.size()));
    program.functions.push_back(FunctionWriter(setting, signature).write(3 + random.below(kind.small ? 4 : 10)));
    setting.signatures.push_back(signature);
  }
  setting.structures = structures_of(seed, KernelWriter::own_parameters);
  KernelWriter kernel(setting);
  program.functions.push_back(kernel.write(statements_of(random, kind.small)));
  program.arguments = kernel.arguments();
  return program;
}

}  // namespace

Program generate(std::uint64_t seed, bool for_gpu) { return written(seed, {for_gpu, false}); }
Program generate_small(std::uint64_t seed) { return written(seed, {false, true}); }

}  // namespace heddle::test::random_kernel
