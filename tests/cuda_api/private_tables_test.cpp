// The tables that the CUDA runtime within a program takes from the driver's library, used as it uses them.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "cuda_api/driver/runtime_check.hpp"

namespace heddle::tests {
namespace {

using cuda_api::md2;

std::vector<std::uint8_t> bytes(const std::string& text) { return {text.begin(), text.end()}; }

std::string hex(const std::array<std::uint8_t, 16>& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

// RFC 1319, appendix A.5.
TEST(Md2, HasTheStandardsDigests) {
  EXPECT_EQ(hex(md2({})), "8350e5a3e24c153df2275c9f80692773");
  EXPECT_EQ(hex(md2(bytes("a"))), "32ec01ec4a6dac72c0ab96fb34c0b5d1");
  EXPECT_EQ(hex(md2(bytes("abc"))), "da853b0d3f88d99b30283a69e6ded6bb");
  EXPECT_EQ(hex(md2(bytes("message digest"))), "ab4f496bfb2a530b219ff33031fe06b0");
  EXPECT_EQ(hex(md2(bytes("1234567890123456789012345678901234567890123456789012345678901234567890123456789"
                          "0"))),
            "d5976f79d83d3a0dc9806c3c66f3efd8");
}

const void* const* table(std::array<unsigned char, 16> id) {
  CUuuid wanted;
  std::memcpy(wanted.bytes, id.data(), id.size());
  const void* found = nullptr;
  EXPECT_EQ(cuGetExportTable(&found, &wanted), CUDA_SUCCESS);
  return static_cast<const void* const*>(found);
}
const void* const* runtime_table() {
  return table({0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4, 0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39, 0x12, 0xFD, 0x9D, 0xF9});
}
const void* const* storage_table() {
  return table({0xC6, 0x93, 0x33, 0x6E, 0x11, 0x21, 0xDF, 0x11, 0xA8, 0xC3, 0x68, 0xF3, 0x55, 0xD8, 0x95, 0x93});
}
const void* const* check_table() {
  return table({0xD4, 0x08, 0x20, 0x55, 0xBD, 0xE6, 0x70, 0x4B, 0x8D, 0x34, 0xBA, 0x12, 0x3C, 0x66, 0xE1, 0xF2});
}
template <class Function>
Function* entry(const void* const* of, std::size_t index) {
  return reinterpret_cast<Function*>(const_cast<void*>(of[index]));
}

class PrivateTables : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  }
  void TearDown() override { cuDevicePrimaryCtxRelease(0); }
  CUcontext context = nullptr;
};

TEST_F(PrivateTables, UnknownOnesAreNotThere) {
  const void* found = &found;
  const CUuuid unknown = {};
  EXPECT_EQ(cuGetExportTable(&found, &unknown), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cuGetExportTable(nullptr, &unknown), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetExportTable(&found, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(PrivateTables, TheDriverIsFoundToBeTheRightOne) {
  const void* const* const check = check_table();
  EXPECT_EQ(reinterpret_cast<std::size_t>(check[0]), 3 * sizeof(void*));
  auto* const ask = entry<CUresult(unsigned, std::uint64_t, std::uint64_t*)>(check, 1);
  std::uint64_t code[2] = {};
  ASSERT_EQ(ask(13000, 7, code), CUDA_SUCCESS);
  EXPECT_EQ(code[0], 0x3341181C03CB675Cu);
  ASSERT_EQ(ask(13001, 7, code), CUDA_SUCCESS);
  EXPECT_EQ(code[0], 0x1841181C03CB675Cu);
  EXPECT_EQ(code[1], 0x8ED383AA1F4CD1E8u);
  ASSERT_EQ(ask(13002, 1'700'000'000, code), CUDA_SUCCESS);

  // The same, by the definition of HMAC.
  std::string message;
  const auto put = [&](const auto& value) { message.append(reinterpret_cast<const char*>(&value), sizeof value); };
  int driver = 0, devices = 0;
  ASSERT_EQ(cuDriverGetVersion(&driver), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetCount(&devices), CUDA_SUCCESS);
  put(driver);
  put(13002u);
  put(static_cast<std::uint32_t>(getpid()));
  put(static_cast<std::uint32_t>(pthread_self()));
  put(static_cast<const void*>(runtime_table()));
  put(static_cast<const void*>(check));
  put(check[1]);
  put(std::uint64_t{1'700'000'000});
  for (int i = 0; i < devices; ++i) {
    CUuuid uuid;
    ASSERT_EQ(cuDeviceGetUuid(&uuid, i), CUDA_SUCCESS);
    put(uuid);
    for (const CUdevice_attribute which :
         {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID}) {
      int value = 0;
      ASSERT_EQ(cuDeviceGetAttribute(&value, which, i), CUDA_SUCCESS);
      put(value);
    }
  }
  const std::string key = "\x14\x6A\xDD\xAE\x53\xA9\xA7\x52\xAA\x08\x41\x36\x0B\xF5\x5A\x9F";
  std::string inner, outer;
  for (const char byte : key) {
    inner += static_cast<char>(byte ^ 0x36);
    outer += static_cast<char>(byte ^ 0x5C);
  }
  const auto inside = md2(bytes(inner + message));
  const auto expected = md2(bytes(outer + std::string(inside.begin(), inside.end())));
  EXPECT_EQ(std::memcmp(code, expected.data(), expected.size()), 0);
}

int ended = 0;
void* ended_with = nullptr;
void at_end(CUcontext, void*, void* value) {
  ++ended;
  ended_with = value;
}

TEST_F(PrivateTables, ValuesAreKeptWithAContextUntilItEnds) {
  const void* const* const storage = storage_table();
  auto* const put = entry<CUresult(CUcontext, void*, void*, void (*)(CUcontext, void*, void*))>(storage, 0);
  auto* const remove = entry<CUresult(CUcontext, void*)>(storage, 1);
  auto* const get = entry<CUresult(void**, CUcontext, void*)>(storage, 2);
  int key = 0, other = 0, kept = 0;
  void* found = nullptr;
  EXPECT_EQ(get(&found, nullptr, &key), CUDA_ERROR_INVALID_HANDLE);
  // The runtime asks before the thread has a context: no failure of the program's, which --check=api would report.
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(get(&found, nullptr, &key), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(put(nullptr, &key, &kept, at_end), CUDA_SUCCESS);
  ASSERT_EQ(put(context, &other, &kept, at_end), CUDA_SUCCESS);
  ASSERT_EQ(get(&found, context, &key), CUDA_SUCCESS);
  EXPECT_EQ(found, &kept);
  ASSERT_EQ(remove(context, &other), CUDA_SUCCESS);
  EXPECT_EQ(get(&found, context, &other), CUDA_ERROR_INVALID_HANDLE);
  CUcontext second = nullptr;
  ASSERT_EQ(cuCtxCreate(&second, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(get(&found, second, &key), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuCtxDestroy(second), CUDA_SUCCESS);
  EXPECT_EQ(ended, 0);
  ASSERT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(ended_with, &kept);
}

TEST_F(PrivateTables, TheRuntimeLoadsModulesAndFindsTheDevicesContext) {
  const void* const* const runtime = runtime_table();
  EXPECT_EQ(reinterpret_cast<std::size_t>(runtime[0]), 13 * sizeof(void*));
  CUcontext own = nullptr;
  ASSERT_EQ((entry<CUresult(CUcontext*, CUdevice)>(runtime, 2)(&own, 0)), CUDA_SUCCESS);
  EXPECT_EQ(own, context);
  constexpr const char* text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ((entry<CUresult(CUmodule*, const void*)>(runtime, 1)(&module, text)), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  ASSERT_EQ(
      (entry<CUresult(CUmodule*, const void*, void*, void*, unsigned)>(runtime, 6)(&module, text, nullptr, nullptr, 0)),
      CUDA_SUCCESS);
  ASSERT_EQ(
      (entry<CUresult(const void*, CUmodule*, void*, void*, unsigned)>(runtime, 8)(text, &module, nullptr, nullptr, 0)),
      CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::tests
