// Casts to classes that have no classes derived from them.
#pragma once

#include <type_traits>
#include <typeinfo>

namespace heddle::device::cuda {

// The object as a `Final`; null where it is of another class. Takes less time than dynamic_cast.
template <class Final, class Any>
Final* exact_cast(Any& any) {
  static_assert(std::is_final_v<Final>);
  return typeid(any) == typeid(Final) ? static_cast<Final*>(&any) : nullptr;
}

}  // namespace heddle::device::cuda
