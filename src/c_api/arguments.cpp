#include "c_api/arguments.hpp"

#include <span>
#include <string>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace heddle::c_api {
namespace {

struct Place {
  const char* function;
  std::size_t index;
  [[noreturn]] void refuse(const char* what) const {
    c_api::refuse(std::string(function) + ": argument " + std::to_string(index + 1) + what);
  }
};

Argument value(const heddle_argument& from, const Place& place, Argument::Kind kind) {
  const bool is_inline = from.inline_bytes != 0;
  const std::size_t bytes = is_inline ? from.inline_bytes : from.length;
  if (from.inline_bytes > sizeof from.value.bytes) place.refuse(" has more inline bytes than there are");
  const void* data = is_inline ? static_cast<const void*>(from.value.bytes) : from.value.data;
  if (bytes > 0 && data == nullptr) place.refuse(" is a value whose data is NULL");
  return {kind, std::span(static_cast<const std::byte*>(data), bytes)};
}

Argument array(const heddle_argument& from, const Place& place, Direction direction) {
  if (from.value.array == nullptr) place.refuse(" is an array whose handle is NULL; pass heddle_null()");
  const std::size_t length = from.length == HEDDLE_REST ? ArraySlice<std::byte>::rest : from.length;
  if (from.inline_bytes > HEDDLE_ELEMENT_OTHER)
    place.refuse(" is an array whose elements are of no type that there is");
  return Argument(from.value.array->array.slice(from.offset, length))
      .with(direction)
      .with(static_cast<ElementType>(from.inline_bytes));
}

Argument argument(const heddle_argument& from, const Place& place) {
  switch (from.kind) {
    case HEDDLE_ARGUMENT_NULL: return nullptr;
    case HEDDLE_ARGUMENT_INTEGER: return value(from, place, Argument::Kind::integer);
    case HEDDLE_ARGUMENT_FLOATING: return value(from, place, Argument::Kind::floating);
    case HEDDLE_ARGUMENT_STRUCTURE: return value(from, place, Argument::Kind::structure);
    case HEDDLE_ARGUMENT_ARRAY: return array(from, place, Direction::found);
    case HEDDLE_ARGUMENT_IN: return array(from, place, Direction::in);
    case HEDDLE_ARGUMENT_OUT: return array(from, place, Direction::out);
    case HEDDLE_ARGUMENT_INOUT: return array(from, place, Direction::inout);
    case HEDDLE_ARGUMENT_OPAQUE: return value(from, place, Argument::Kind::opaque);
  }
  place.refuse(" is of no kind that there is");
}

}  // namespace

std::vector<Argument> argument_list(const heddle_argument* arguments, std::size_t count, const char* function) {
  if (count > 0) given(arguments, function, "the list of arguments");
  std::vector<Argument> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i) list.push_back(argument(arguments[i], {function, i}));
  return list;
}

}  // namespace heddle::c_api
