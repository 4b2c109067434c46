// Textures: the functions that read texture objects, as instructions of PTX. Each has a form for what a texture gives,
// floats, signed or unsigned numbers of 32 bits, and the type that the program asks for chooses one.
#pragma once
#pragma clang system_header

// The four channels that an instruction gives.
struct __heddle_floats { float x, y, z, w; };
struct __heddle_signed { int x, y, z, w; };
struct __heddle_unsigned { unsigned int x, y, z, w; };

// The types of texels: which channels they have, and from which form they come.
template <typename T> struct __heddle_texel;
#define __HEDDLE_TEXEL(CHANNEL, TYPE, WORDS)                                                     \
  template <> struct __heddle_texel<CHANNEL> {                                                   \
    typedef WORDS words;                                                                         \
    static __device__ CHANNEL make(const words& v) { return static_cast<CHANNEL>(v.x); }         \
  };                                                                                             \
  template <> struct __heddle_texel<TYPE##1> {                                                   \
    typedef WORDS words;                                                                         \
    static __device__ TYPE##1 make(const words& v) { return make_##TYPE##1(v.x); }               \
  };                                                                                             \
  template <> struct __heddle_texel<TYPE##2> {                                                   \
    typedef WORDS words;                                                                         \
    static __device__ TYPE##2 make(const words& v) { return make_##TYPE##2(v.x, v.y); }          \
  };                                                                                             \
  template <> struct __heddle_texel<TYPE##4> {                                                   \
    typedef WORDS words;                                                                         \
    static __device__ TYPE##4 make(const words& v) { return make_##TYPE##4(v.x, v.y, v.z, v.w); } \
  };
__HEDDLE_TEXEL(float, float, __heddle_floats)
__HEDDLE_TEXEL(int, int, __heddle_signed)
__HEDDLE_TEXEL(short, short, __heddle_signed)
__HEDDLE_TEXEL(signed char, char, __heddle_signed)
__HEDDLE_TEXEL(unsigned int, uint, __heddle_unsigned)
__HEDDLE_TEXEL(unsigned short, ushort, __heddle_unsigned)
__HEDDLE_TEXEL(unsigned char, uchar, __heddle_unsigned)
#undef __HEDDLE_TEXEL
template <> struct __heddle_texel<char> {
  typedef __heddle_signed words;
  static __device__ char make(const words& v) { return static_cast<char>(v.x); }
};

// One instruction in its three forms. MNEMONIC stands before the type of the result, REST behind it; INPUTS are the
// operands from %5 on.
#define __HEDDLE_UNPACK(...) __VA_ARGS__
#define __HEDDLE_READ_AS(NAME, WORDS, TYPE, C, MNEMONIC, REST, PARAMETERS, INPUTS)                     \
  __HEDDLE_DEVICE__ void __heddle_##NAME(WORDS& v, cudaTextureObject_t t, __HEDDLE_UNPACK PARAMETERS) { \
    __asm__ volatile(MNEMONIC ".v4." TYPE REST                                                          \
                     : "=" C(v.x), "=" C(v.y), "=" C(v.z), "=" C(v.w)                                   \
                     : "l"(t), __HEDDLE_UNPACK INPUTS);                                                 \
  }
#define __HEDDLE_READ(NAME, MNEMONIC, REST, PARAMETERS, INPUTS)                                 \
  __HEDDLE_READ_AS(NAME, __heddle_floats, "f32", "f", MNEMONIC, REST, PARAMETERS, INPUTS)       \
  __HEDDLE_READ_AS(NAME, __heddle_signed, "s32", "r", MNEMONIC, REST, PARAMETERS, INPUTS)       \
  __HEDDLE_READ_AS(NAME, __heddle_unsigned, "u32", "r", MNEMONIC, REST, PARAMETERS, INPUTS)
// The function that programs call, in its two shapes.
#define __HEDDLE_TEXTURE(NAME, MNEMONIC, REST, PARAMETERS, INPUTS, ARGUMENTS)                    \
  __HEDDLE_READ(NAME, MNEMONIC, REST, PARAMETERS, INPUTS)                                        \
  template <typename T>                                                                          \
  __HEDDLE_DEVICE__ T NAME(cudaTextureObject_t t, __HEDDLE_UNPACK PARAMETERS) {                  \
    typename __heddle_texel<T>::words v;                                                         \
    __heddle_##NAME(v, t, __HEDDLE_UNPACK ARGUMENTS);                                            \
    return __heddle_texel<T>::make(v);                                                           \
  }                                                                                              \
  template <typename T>                                                                          \
  __HEDDLE_DEVICE__ void NAME(T* result, cudaTextureObject_t t, __HEDDLE_UNPACK PARAMETERS) {    \
    *result = NAME<T>(t, __HEDDLE_UNPACK ARGUMENTS);                                             \
  }

__HEDDLE_TEXTURE(tex1Dfetch, "tex.1d", ".s32 {%0, %1, %2, %3}, [%4, {%5}];", (int x), ("r"(x)), (x))

__HEDDLE_TEXTURE(tex1D, "tex.1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}];", (float x), ("f"(x)), (x))
__HEDDLE_TEXTURE(tex2D, "tex.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y), ("f"(x), "f"(y)), (x, y))
__HEDDLE_TEXTURE(tex3D, "tex.3d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", (float x, float y, float z),
                 ("f"(x), "f"(y), "f"(z)), (x, y, z))
__HEDDLE_TEXTURE(tex1DLayered, "tex.a1d", ".f32 {%0, %1, %2, %3}, [%4, {%6, %5}];", (float x, int layer),
                 ("f"(x), "r"(layer)), (x, layer))
__HEDDLE_TEXTURE(tex2DLayered, "tex.a2d", ".f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];",
                 (float x, float y, int layer), ("f"(x), "f"(y), "r"(layer)), (x, y, layer))
__HEDDLE_TEXTURE(texCubemap, "tex.cube", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", (float x, float y, float z),
                 ("f"(x), "f"(y), "f"(z)), (x, y, z))
__HEDDLE_TEXTURE(texCubemapLayered, "tex.acube", ".f32 {%0, %1, %2, %3}, [%4, {%8, %5, %6, %7}];",
                 (float x, float y, float z, int layer), ("f"(x), "f"(y), "f"(z), "r"(layer)), (x, y, z, layer))

__HEDDLE_TEXTURE(tex1DLod, "tex.level.1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}], %6;", (float x, float level),
                 ("f"(x), "f"(level)), (x, level))
__HEDDLE_TEXTURE(tex2DLod, "tex.level.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;",
                 (float x, float y, float level), ("f"(x), "f"(y), "f"(level)), (x, y, level))
__HEDDLE_TEXTURE(tex3DLod, "tex.level.3d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;",
                 (float x, float y, float z, float level), ("f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, level))
__HEDDLE_TEXTURE(tex1DLayeredLod, "tex.level.a1d", ".f32 {%0, %1, %2, %3}, [%4, {%6, %5}], %7;",
                 (float x, int layer, float level), ("f"(x), "r"(layer), "f"(level)), (x, layer, level))
__HEDDLE_TEXTURE(tex2DLayeredLod, "tex.level.a2d", ".f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}], %8;",
                 (float x, float y, int layer, float level), ("f"(x), "f"(y), "r"(layer), "f"(level)),
                 (x, y, layer, level))
__HEDDLE_TEXTURE(texCubemapLod, "tex.level.cube", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;",
                 (float x, float y, float z, float level), ("f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, level))
__HEDDLE_TEXTURE(texCubemapLayeredLod, "tex.level.acube", ".f32 {%0, %1, %2, %3}, [%4, {%8, %5, %6, %7}], %9;",
                 (float x, float y, float z, int layer, float level),
                 ("f"(x), "f"(y), "f"(z), "r"(layer), "f"(level)), (x, y, z, layer, level))

__HEDDLE_TEXTURE(tex1DGrad, "tex.grad.1d", ".f32 {%0, %1, %2, %3}, [%4, {%5}], {%6}, {%7};",
                 (float x, float dx, float dy), ("f"(x), "f"(dx), "f"(dy)), (x, dx, dy))
__HEDDLE_TEXTURE(tex2DGrad, "tex.grad.2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};",
                 (float x, float y, float2 dx, float2 dy),
                 ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)), (x, y, dx, dy))
__HEDDLE_TEXTURE(tex3DGrad, "tex.grad.3d",
                 ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
                 (float x, float y, float z, float4 dx, float4 dy),
                 ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)),
                 (x, y, z, dx, dy))
__HEDDLE_TEXTURE(tex1DLayeredGrad, "tex.grad.a1d", ".f32 {%0, %1, %2, %3}, [%4, {%6, %5}], {%7}, {%8};",
                 (float x, int layer, float dx, float dy), ("f"(x), "r"(layer), "f"(dx), "f"(dy)), (x, layer, dx, dy))
__HEDDLE_TEXTURE(tex2DLayeredGrad, "tex.grad.a2d",
                 ".f32 {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}], {%8, %9}, {%10, %11};",
                 (float x, float y, int layer, float2 dx, float2 dy),
                 ("f"(x), "f"(y), "r"(layer), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)), (x, y, layer, dx, dy))
__HEDDLE_TEXTURE(texCubemapGrad, "tex.grad.cube",
                 ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
                 (float x, float y, float z, float4 dx, float4 dy),
                 ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)),
                 (x, y, z, dx, dy))

// One channel of four texels; which one is a part of the instruction.
#define __HEDDLE_GATHER(NAME, CHANNEL)                                                                           \
  __HEDDLE_READ(NAME, "tld4." CHANNEL ".2d", ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", (float x, float y),       \
                ("f"(x), "f"(y)))
__HEDDLE_GATHER(gather0, "r")
__HEDDLE_GATHER(gather1, "g")
__HEDDLE_GATHER(gather2, "b")
__HEDDLE_GATHER(gather3, "a")
#undef __HEDDLE_GATHER
template <typename T>
__HEDDLE_DEVICE__ T tex2Dgather(cudaTextureObject_t t, float x, float y, int channel = 0) {
  typename __heddle_texel<T>::words v;
  switch (channel) {
    case 0: __heddle_gather0(v, t, x, y); break;
    case 1: __heddle_gather1(v, t, x, y); break;
    case 2: __heddle_gather2(v, t, x, y); break;
    default: __heddle_gather3(v, t, x, y); break;
  }
  return __heddle_texel<T>::make(v);
}
template <typename T>
__HEDDLE_DEVICE__ void tex2Dgather(T* result, cudaTextureObject_t t, float x, float y, int channel = 0) {
  *result = tex2Dgather<T>(t, x, y, channel);
}
#undef __HEDDLE_TEXTURE
#undef __HEDDLE_READ
#undef __HEDDLE_READ_AS
