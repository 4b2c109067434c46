#include "device/cpu/object_loader.hpp"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/mman.h>

#include <map>
#include <mutex>
#include <string>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/memory_limit.hpp"
#include "device/cpu/llvm_end.hpp"

namespace heddle::device::cpu {
namespace {

constexpr std::uintptr_t page = 4096;
std::uintptr_t to_page(std::uintptr_t value) { return (value + page - 1) / page * page; }

// One mapping for all sections of an object, so that they reach one another with 32-bit offsets. Written first, then
// closed for writing before anything in it runs.
class SectionMemory final : public llvm::RuntimeDyld::MemoryManager {
 public:
  ~SectionMemory() override {
    if (base_ != nullptr) ::munmap(base_, size_);
  }

  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(std::uintptr_t code, llvm::Align, std::uintptr_t read_only, llvm::Align,
                              std::uintptr_t data, llvm::Align) override {
    // Room for the padding between sections, which the sizes may leave out.
    constexpr std::uintptr_t slack = page;
    const std::uintptr_t sizes[parts] = {to_page(code + slack), to_page(read_only + slack), to_page(data + slack)};
    size_ = sizes[0] + sizes[1] + sizes[2];
    void* mapping = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
      base::fail(ErrorCode::out_of_memory, "cpu: no memory for {} of code{}", base::format_bytes(size_),
                 base::memory_limit_note());
    base_ = static_cast<std::uint8_t*>(mapping);
    std::uint8_t* at = base_;
    for (unsigned i = 0; i < parts; ++i) {
      parts_[i] = {at, at, at + sizes[i]};
      at += sizes[i];
    }
  }
  std::uint8_t* allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned, llvm::StringRef) override {
    return allocate(parts_[0], size, alignment);
  }
  std::uint8_t* allocateDataSection(std::uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                                    bool read_only) override {
    return allocate(parts_[read_only ? 1 : 2], size, alignment);
  }
  void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}  // nothing is thrown through kernels
  void deregisterEHFrames() override {}
  bool finalizeMemory(std::string* = nullptr) override {
    return ::mprotect(parts_[0].begin, length(parts_[0]), PROT_READ | PROT_EXEC) != 0 ||
           ::mprotect(parts_[1].begin, length(parts_[1]), PROT_READ) != 0;
  }
  bool code_contains(const void* address) const { return address >= parts_[0].begin && address < parts_[0].end; }

 private:
  static constexpr unsigned parts = 3;
  struct Part {
    std::uint8_t *begin = nullptr, *next = nullptr, *end = nullptr;
  };
  static std::size_t length(const Part& part) { return static_cast<std::size_t>(part.end - part.begin); }
  static std::uint8_t* allocate(Part& part, std::uintptr_t size, unsigned alignment) {
    if (alignment == 0) alignment = 16;
    const auto next = reinterpret_cast<std::uintptr_t>(part.next);
    auto* start = part.next + ((next + alignment - 1) / alignment * alignment - next);
    if (start > part.end || size > static_cast<std::uintptr_t>(part.end - start)) {
      base::fail(ErrorCode::internal, "cpu: a section of {} bytes does not fit where the object said it would", size);
    }
    part.next = start + size;
    return start;
  }

  std::uint8_t* base_ = nullptr;
  std::size_t size_ = 0;
  Part parts_[parts];
};

// Objects are complete in themselves.
class NoSymbols final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override { return note(name); }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
  const std::string& missing() const { return missing_; }

 private:
  llvm::JITSymbol note(const std::string& name) {
    missing_ = name;
    return nullptr;
  }
  std::string missing_;
};

class LoadedKernel final : public KernelCode {
 public:
  explicit LoadedKernel(CompiledKernel compiled) : bytes_(std::move(compiled.object)), dyld_(memory_, symbols_) {
    shape = compiled.shape;
    width = compiled.width;
    may_wait = compiled.may_wait;
    static_shared_bytes = compiled.static_shared_bytes;
    stack_bytes = compiled.stack_bytes;
    frame_bytes = compiled.frame_bytes;
    streamed_bytes = compiled.streamed_bytes;
    const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes_.data(), bytes_.size()), "kernel");
    auto object = llvm::object::ObjectFile::createObjectFile(buffer);
    if (!object) fail(llvm::toString(object.takeError()));
    object_ = std::move(*object);
    info_ = dyld_.loadObject(*object_);
    dyld_.resolveRelocations();
    if (!symbols_.missing().empty()) fail("it refers to the symbol '" + symbols_.missing() + "'");
    if (dyld_.hasError()) fail(dyld_.getErrorString().str());
    if (memory_.finalizeMemory()) fail("the system does not let its memory be executed");
    entry = reinterpret_cast<const void*>(dyld_.getSymbol("heddle_kernel").getAddress());
    if (entry == nullptr) fail("it has no function heddle_kernel");
  }

  bool contains(const void* address) const override { return memory_.code_contains(address); }
  unsigned line_of(const void* address) const override {
    if (!memory_.code_contains(address) || llvm_has_ended()) return 0;
    const std::lock_guard guard(mutex_);
    if (context_ == nullptr) {
      context_ =
          llvm::DWARFContext::create(*object_, llvm::DWARFContext::ProcessDebugRelocations::Process, info_.get());
    }
    const auto place = reinterpret_cast<std::uint64_t>(address);
    return context_->getLineInfoForAddress({place, section_of(place)}).Line;
  }

 private:
  // The index in the object of the section that has been loaded around `place`: line tables are kept by section.
  std::uint64_t section_of(std::uint64_t place) const {
    for (const llvm::object::SectionRef& section : object_->sections()) {
      if (!section.isText()) continue;
      const std::uint64_t begin = info_->getSectionLoadAddress(section);
      if (begin != 0 && place >= begin && place - begin < section.getSize()) return section.getIndex();
    }
    return llvm::object::SectionedAddress::UndefSection;
  }
  [[noreturn]] static void fail(const std::string& why) {
    base::fail(ErrorCode::internal, "cpu: generated code cannot be loaded: {}", why);
  }

  std::vector<char> bytes_;
  SectionMemory memory_;
  NoSymbols symbols_;
  llvm::RuntimeDyld dyld_;
  std::unique_ptr<llvm::object::ObjectFile> object_;
  std::unique_ptr<llvm::RuntimeDyld::LoadedObjectInfo> info_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<llvm::DWARFContext> context_;
};

}  // namespace

std::shared_ptr<const KernelCode> load_object(CompiledKernel compiled) {
  return std::make_shared<LoadedKernel>(std::move(compiled));
}

}  // namespace heddle::device::cpu
