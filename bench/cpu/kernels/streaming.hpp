// Stores that go past the caches, for the loops that say what the memory can do.
#pragma once

namespace heddle::bench::loops {

constexpr int lanes = 16;
typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));

inline Vector load(const float* from) { return *reinterpret_cast<const Vector*>(from); }
inline void stream(float* to, Vector values) { __builtin_nontemporal_store(values, reinterpret_cast<Vector*>(to)); }

}  // namespace heddle::bench::loops
