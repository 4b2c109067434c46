// What trees consist of.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/skeleton.hpp"

namespace heddle::skeleton {

struct Node {
  enum class Kind { kernel, pipeline, loop, map, map_reduce };
  Kind kind = Kind::map;
  unsigned levels = 1;                                // of the tree below it, with it
  std::vector<std::shared_ptr<const Node>> children;  // stages; the body; the map stage and the reduction
  LoopState state;                                    // of a loop
  // Of a kernel.
  std::shared_ptr<const Kernel> kernel;
  KernelOptions options;
  std::vector<Binding> bindings;
  bool sliced = false;  // parts are launches of their own, not ranges of the blocks of one
};

// Calls `visit` for every kernel of the tree, depth first: the order in which one part runs them.
void for_each_kernel(const Node& node, const std::function<void(const Node&)>& visit);
// For messages: as it is in the source, "saxpy(int, float*)".
std::string readable_name(const Kernel& kernel);
// "parameter x of kernel saxpy", for messages.
std::string describe(const Kernel& kernel, std::size_t parameter);
// "pipeline(noise,loop(blur))".
std::string structure_of(const Node& node);
bool has_global_sync(const Node& node);

// Arguments of run() that a tree uses.
struct UsedArguments {
  std::size_t count = 0;       // with the last one that a kernel takes or a loop swaps
  bool host_sees_all = false;  // functions of loops may read and set others: then nothing says which are too many
};
UsedArguments used_arguments(const Node& node);

}  // namespace heddle::skeleton
