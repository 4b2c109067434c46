// Trees of kernels, and the caller's functions in them.
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_api/arguments.hpp"
#include "c_api/function_error.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "c_api/tree_handles.hpp"

namespace {

using namespace heddle;         // NOLINT: this file gives its C++ names others for C
using namespace heddle::c_api;  // NOLINT
using skeleton::Binding;
using skeleton::LoopView;
using skeleton::Merge;
using skeleton::Slot;
using skeleton::Trait;
using skeleton::Tree;

// What belongs to the caller's functions, until the last copy of them is gone.
std::shared_ptr<void> owned(void* user, void (*release)(void*)) {
  return {user, [release](void* of) {
            if (release != nullptr) release(of);
          }};
}

Slot slot_of(const heddle_binding& from, const std::shared_ptr<void>& owner, const char* function) {
  Slot slot(from.slot, static_cast<ElementType>(choice(from.element, HEDDLE_ELEMENT_OTHER, function, "element")));
  if (from.unit != 0) slot = slot.unit(from.unit);
  if (from.per_thread != 0) slot = slot.per_thread(from.per_thread);
  if (from.copy != 0) slot = slot.copy();
  if (from.resident != 0) slot = slot.resident();
  const auto merge = static_cast<Merge>(choice(from.merge, HEDDLE_MERGE_FUNCTION, function, "merge"));
  if (merge != Merge::function) return merge == Merge::none ? slot : slot.merge(merge);
  if (from.function == nullptr) refuse(std::string(function) + ": a merge function is NULL");
  if (from.neutral_bytes > 0 && from.neutral == nullptr)
    refuse(std::string(function) + ": the neutral element of a merge function is NULL");
  const auto* const neutral = static_cast<const std::byte*>(from.neutral);
  return slot.merge_bytes({neutral, neutral + from.neutral_bytes},
                          [owner, merge = from.function](std::span<std::byte> whole, std::span<const std::byte> part) {
                            forget_sentence();
                            check_function(merge(owner.get(), whole.data(), part.data(), whole.size()),
                                           "a merge function");
                          });
}

Binding binding_of(const heddle_binding& from, const std::shared_ptr<void>& owner, const char* function) {
  switch (from.kind) {
    case HEDDLE_BINDING_NUMBER: return Binding(argument_list(&from.number, 1, function)[0]);
    case HEDDLE_BINDING_SLOT: return slot_of(from, owner, function);
    case HEDDLE_BINDING_SIZE: return Trait::size;
    case HEDDLE_BINDING_OFFSET: return Trait::offset;
    case HEDDLE_BINDING_UNITS: return Trait::units;
    case HEDDLE_BINDING_FIRST_UNIT: return Trait::first_unit;
    case HEDDLE_BINDING_TOTAL: return Trait::total;
    default: refuse(std::string(function) + ": a binding is of no kind that there is");
  }
}

skeleton::KernelOptions kernel_options(const heddle_tree_kernel_options* options, const char* function) {
  const heddle_tree_kernel_options from = known(options, function);
  skeleton::KernelOptions made;
  if (from.block != 0) made.block = from.block;
  made.cpu_block = from.cpu_block;
  if (from.per_thread != 0) made.per_thread = from.per_thread;
  made.shared_per_thread = from.shared_per_thread;
  if (from.block_count > 0) given(from.blocks, function, "the list of sizes of blocks");
  made.blocks.assign(from.blocks, from.blocks + from.block_count);
  return made;
}

skeleton::LoopState loop_state(const heddle_loop_state& from, const char* function) {
  const std::shared_ptr<void> owner = owned(from.user, from.release);
  skeleton::LoopState state{.iterations = from.iterations, .global_sync = from.global_sync != 0};
  if (from.condition != nullptr)
    state.condition = [owner, condition = from.condition](LoopView& view) {
      heddle_loop_view shown{view};
      std::int32_t more = 0;
      forget_sentence();
      check_function(condition(owner.get(), &shown, &more), "the condition of a loop");
      return more != 0;
    };
  if (from.update != nullptr)
    state.update = [owner, update = from.update](LoopView& view) {
      heddle_loop_view shown{view};
      forget_sentence();
      check_function(update(owner.get(), &shown), "the update of a loop");
    };
  if (from.swap_count > 0) given(from.swap, function, "the list of arguments that change places");
  for (std::size_t i = 0; i < from.swap_count; ++i) state.swap.emplace_back(from.swap[2 * i], from.swap[2 * i + 1]);
  return state;
}

void hand_out_tree(Tree tree, heddle_tree** to, const char* function) {
  auto& place = given(to, function, "the place of the tree");
  std::string name = tree.name();
  place = new heddle_tree{std::move(tree), std::move(name)};
}

}  // namespace

extern "C" {

heddle_status heddle_tree_kernel(heddle_kernel* kernel, const heddle_tree_kernel_options* options,
                                 const heddle_binding* bindings, size_t count, heddle_tree** tree) {
  return guarded([&] {
    const char* const function = "heddle_tree_kernel";
    if (count > 0) given(bindings, function, "the list of bindings");
    std::vector<heddle_binding> from;
    std::vector<std::shared_ptr<void>> owners;  // released whatever is wrong
    for (std::size_t i = 0; i < count; ++i) {
      from.push_back(known(bindings + i, function));
      owners.push_back(owned(from.back().user, from.back().release));
    }
    const Kernel& of = given(kernel, function, "the kernel").kernel;
    std::vector<Binding> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(binding_of(from[i], owners[i], function));
    hand_out_tree(skeleton::kernel_of(of, kernel_options(options, function), std::move(list)), tree, function);
  });
}

heddle_status heddle_tree_pipeline(heddle_tree* const* stages, size_t count, heddle_tree** tree) {
  return guarded([&] {
    const char* const function = "heddle_tree_pipeline";
    if (count > 0) given(stages, function, "the list of stages");
    std::vector<Tree> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(given(stages[i], function, "a stage").tree);
    hand_out_tree(skeleton::pipeline_of(std::move(list)), tree, function);
  });
}

heddle_status heddle_tree_map(heddle_tree* tree, heddle_tree** made) {
  return guarded([&] {
    const char* const function = "heddle_tree_map";
    hand_out_tree(skeleton::map(given(tree, function, "the tree").tree), made, function);
  });
}

heddle_status heddle_tree_map_reduce(heddle_tree* map_stage, heddle_tree* reduction, heddle_tree** made) {
  return guarded([&] {
    const char* const function = "heddle_tree_map_reduce";
    hand_out_tree(skeleton::map_reduce(given(map_stage, function, "the map stage").tree,
                                       given(reduction, function, "the reduction").tree),
                  made, function);
  });
}

heddle_status heddle_tree_loop(heddle_tree* body, const heddle_loop_state* state, heddle_tree** tree) {
  return guarded([&] {
    const char* const function = "heddle_tree_loop";
    given(state, function, "the state");
    skeleton::LoopState made = loop_state(known(state, function), function);
    hand_out_tree(skeleton::loop(given(body, function, "the body").tree, std::move(made)), tree, function);
  });
}

heddle_status heddle_loop_iteration(heddle_loop_view* view, size_t* iteration) {
  return guarded([&] {
    const char* const function = "heddle_loop_iteration";
    given(iteration, function, "the place of the number") = given(view, function, "the view").view.iteration();
  });
}

heddle_status heddle_loop_read(heddle_loop_view* view, uint32_t slot, size_t element_bytes, const void** data,
                               size_t* bytes) {
  return guarded([&] {
    const char* const function = "heddle_loop_read";
    auto& to = given(data, function, "the place of the pointer");
    auto& size = given(bytes, function, "the place of the size");
    const auto found = given(view, function, "the view").view.read_bytes(slot, element_bytes);
    to = found.data();
    size = found.size();
  });
}

heddle_status heddle_loop_set(heddle_loop_view* view, uint32_t slot, const heddle_argument* number) {
  return guarded([&] {
    const char* const function = "heddle_loop_set";
    given(number, function, "the number");
    given(view, function, "the view").view.set_value(slot, argument_list(number, 1, function)[0]);
  });
}

heddle_status heddle_tree_name(heddle_tree* tree, const char** name) {
  return guarded([&] {
    const char* const function = "heddle_tree_name";
    given(name, function, "the place of the name") = given(tree, function, "the tree").name.c_str();
  });
}

void heddle_tree_free(heddle_tree* tree) { delete tree; }
}
