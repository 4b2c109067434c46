// operator new and delete of device code, which clang's <new> defines. These declarations come first: the functions have
// no lines of their own, so that a mistake of delete is reported at the program's line.
#pragma once
#pragma clang system_header

namespace std {
struct nothrow_t;
}

#define __HEDDLE_NEW__ __attribute__((always_inline, nodebug, device)) inline
__HEDDLE_NEW__ void* operator new(__SIZE_TYPE__ size);
__HEDDLE_NEW__ void* operator new(__SIZE_TYPE__ size, const std::nothrow_t&) noexcept;
__HEDDLE_NEW__ void* operator new[](__SIZE_TYPE__ size);
__HEDDLE_NEW__ void* operator new[](__SIZE_TYPE__ size, const std::nothrow_t&);
__HEDDLE_NEW__ void operator delete(void* pointer) noexcept;
__HEDDLE_NEW__ void operator delete(void* pointer, const std::nothrow_t&) noexcept;
__HEDDLE_NEW__ void operator delete[](void* pointer) noexcept;
__HEDDLE_NEW__ void operator delete[](void* pointer, const std::nothrow_t&) noexcept;
#if __cplusplus >= 201402L
__HEDDLE_NEW__ void operator delete(void* pointer, __SIZE_TYPE__ size) noexcept;
__HEDDLE_NEW__ void operator delete[](void* pointer, __SIZE_TYPE__ size) noexcept;
#endif
#undef __HEDDLE_NEW__
