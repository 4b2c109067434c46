// The program that NVRTC runs in, so that nothing it does (crash, leak, read its environment, wait for itself) touches
// the process that compiles. It is built into the library and needs nothing but the C library (run.cpp starts it).
//
// Standard input has fields (fields.hpp): the library's path, "ask" or "compile"; to compile also the source's name,
// the source and the options. The answer has fields, too: "unusable" and why; or "usable", the version, the targets it
// knows, and to a compilation its result ("" is success), log, PTX, and what it asked of the file system: for each
// question 'r' (a file was opened), 'y' (a file is there) or 'n' (none is there) and the path.
//
// How NVRTC looks for headers is not told by any of its functions. It asks the C library, as any program does, and so
// the functions that it asks are defined here again: they note the question and go on to those of the C library.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// Bytes that grow. There is no C++ library here.
class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { free(data_); }
  void add(const void* bytes, size_t count) {
    if (size_ + count + 1 > room_) {
      room_ = 2 * (size_ + count) + 4096;
      data_ = static_cast<char*>(realloc(data_, room_));
      if (data_ == nullptr) _exit(71);
    }
    memcpy(data_ + size_, bytes, count);
    size_ += count;
    data_[size_] = '\0';
  }
  void add_field(const char* bytes, size_t count) {
    char length[32];
    add(length, static_cast<size_t>(snprintf(length, sizeof length, "%zu\n", count)));
    add(bytes, count);
    add("\n", 1);
  }
  void add_field(const char* text) { add_field(text, strlen(text)); }
  char* data() { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0, room_ = 0;
};

// --- What is asked of the file system ---------------------------------------------------------------------------

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool watching = false;
Text questions;
size_t question_count = 0;

void note(char answer, const char* path) {
  if (path == nullptr) return;
  pthread_mutex_lock(&lock);
  if (watching) {
    Text question;
    question.add(&answer, 1);
    question.add(path, strlen(path));
    questions.add_field(question.data(), question.size());
    ++question_count;
  }
  pthread_mutex_unlock(&lock);
}

char answer_of(bool found, mode_t mode) { return found && !S_ISDIR(mode) ? 'y' : 'n'; }

char answer_of_descriptor(int descriptor) {
  struct stat info{};
  return descriptor >= 0 && fstat(descriptor, &info) == 0 && !S_ISDIR(info.st_mode) ? 'r' : 'n';
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// In the C library's place for everything that is loaded later. Under names of their own here, since the headers of the
// C library declare the real ones with attributes that these must not have.
#define HEDDLE_INSTEAD_OF(name) __asm__(name) __attribute__((visibility("default")))

#define HEDDLE_WATCH_FOPEN(NAME)                                                               \
  extern "C" FILE* heddle_##NAME(const char* path, const char* mode) HEDDLE_INSTEAD_OF(#NAME); \
  extern "C" FILE* heddle_##NAME(const char* path, const char* mode) {                         \
    FILE* file = next<FILE*(const char*, const char*)>(#NAME)(path, mode);                     \
    note(answer_of_descriptor(file != nullptr ? fileno(file) : -1), path);                     \
    return file;                                                                               \
  }
HEDDLE_WATCH_FOPEN(fopen)
HEDDLE_WATCH_FOPEN(fopen64)

#define HEDDLE_WATCH_OPEN(NAME)                                                            \
  extern "C" int heddle_##NAME(const char* path, int flags, ...) HEDDLE_INSTEAD_OF(#NAME); \
  extern "C" int heddle_##NAME(const char* path, int flags, ...) {                         \
    va_list rest;                                                                          \
    va_start(rest, flags);                                                                 \
    const mode_t mode = va_arg(rest, mode_t);                                              \
    va_end(rest);                                                                          \
    const int descriptor = next<int(const char*, int, ...)>(#NAME)(path, flags, mode);     \
    note(answer_of_descriptor(descriptor), path);                                          \
    return descriptor;                                                                     \
  }
HEDDLE_WATCH_OPEN(open)
HEDDLE_WATCH_OPEN(open64)

#define HEDDLE_WATCH_STAT(NAME)                                                               \
  extern "C" int heddle_##NAME(const char* path, struct stat* info) HEDDLE_INSTEAD_OF(#NAME); \
  extern "C" int heddle_##NAME(const char* path, struct stat* info) {                         \
    const int result = next<int(const char*, struct stat*)>(#NAME)(path, info);               \
    note(answer_of(result == 0, info->st_mode), path);                                        \
    return result;                                                                            \
  }
HEDDLE_WATCH_STAT(stat)
HEDDLE_WATCH_STAT(stat64)
HEDDLE_WATCH_STAT(lstat)
HEDDLE_WATCH_STAT(lstat64)

#define HEDDLE_WATCH_XSTAT(NAME)                                                                           \
  extern "C" int heddle_##NAME(int version, const char* path, struct stat* info) HEDDLE_INSTEAD_OF(#NAME); \
  extern "C" int heddle_##NAME(int version, const char* path, struct stat* info) {                         \
    const int result = next<int(int, const char*, struct stat*)>(#NAME)(version, path, info);              \
    note(answer_of(result == 0, info->st_mode), path);                                                     \
    return result;                                                                                         \
  }
HEDDLE_WATCH_XSTAT(__xstat)
HEDDLE_WATCH_XSTAT(__xstat64)
HEDDLE_WATCH_XSTAT(__lxstat)
HEDDLE_WATCH_XSTAT(__lxstat64)

extern "C" int heddle_access(const char* path, int how) HEDDLE_INSTEAD_OF("access");
extern "C" int heddle_access(const char* path, int how) {
  const int result = next<int(const char*, int)>("access")(path, how);
  struct stat info{};
  note(answer_of(result == 0 && fstatat(AT_FDCWD, path, &info, 0) == 0, info.st_mode), path);
  return result;
}

// --- NVRTC ------------------------------------------------------------------------------------------------------

namespace {

using Program = struct OpaqueProgram*;
using Result = int;
constexpr Result success = 0;

// NVRTC's functions, found by name; the last two are not in every version.
struct Functions {
  Result (*version)(int* major, int* minor) = nullptr;
  Result (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                   const char* const* names) = nullptr;
  Result (*compile)(Program, int count, const char* const* options) = nullptr;
  Result (*ptx_size)(Program, size_t*) = nullptr;
  Result (*ptx)(Program, char*) = nullptr;
  Result (*log_size)(Program, size_t*) = nullptr;
  Result (*log)(Program, char*) = nullptr;
  const char* (*error_text)(Result) = nullptr;
  Result (*target_count)(int*) = nullptr;
  Result (*targets)(int*) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// The name of a function that the library lacks, or null.
const char* find_functions(void* library, Functions& nvrtc) {
  find(library, "nvrtcGetNumSupportedArchs", nvrtc.target_count);
  find(library, "nvrtcGetSupportedArchs", nvrtc.targets);
  if (!find(library, "nvrtcVersion", nvrtc.version)) return "nvrtcVersion";
  if (!find(library, "nvrtcCreateProgram", nvrtc.create)) return "nvrtcCreateProgram";
  if (!find(library, "nvrtcCompileProgram", nvrtc.compile)) return "nvrtcCompileProgram";
  if (!find(library, "nvrtcGetPTXSize", nvrtc.ptx_size)) return "nvrtcGetPTXSize";
  if (!find(library, "nvrtcGetPTX", nvrtc.ptx)) return "nvrtcGetPTX";
  if (!find(library, "nvrtcGetProgramLogSize", nvrtc.log_size)) return "nvrtcGetProgramLogSize";
  if (!find(library, "nvrtcGetProgramLog", nvrtc.log)) return "nvrtcGetProgramLog";
  if (!find(library, "nvrtcGetErrorString", nvrtc.error_text)) return "nvrtcGetErrorString";
  return nullptr;
}

void describe(const Functions& nvrtc, Text& answer) {
  int major = 0, minor = 0, count = 0;
  nvrtc.version(&major, &minor);
  char number[32];
  snprintf(number, sizeof number, "%d.%d", major, minor);
  answer.add_field("usable");
  answer.add_field(number);
  Text known;
  known.add("", 0);
  if (nvrtc.target_count != nullptr && nvrtc.targets != nullptr && nvrtc.target_count(&count) == success && count > 0) {
    int* list = static_cast<int*>(calloc(static_cast<size_t>(count), sizeof(int)));
    if (list != nullptr && nvrtc.targets(list) == success) {
      for (int i = 0; i < count; ++i) {
        known.add(number, static_cast<size_t>(snprintf(number, sizeof number, i > 0 ? " %d" : "%d", list[i])));
      }
    }
    free(list);
  }
  answer.add_field(known.data(), known.size());
}

// A text of the program with a zero at its end that counts in its size.
void add_text(Program program, Result (*size_of)(Program, size_t*), Result (*get)(Program, char*), Text& answer) {
  size_t size = 0;
  char* text = nullptr;
  if (program != nullptr && size_of(program, &size) == success && size > 0) {
    text = static_cast<char*>(calloc(size + 1, 1));
    if (text != nullptr && get(program, text) != success) *text = '\0';
  }
  answer.add_field(text != nullptr ? text : "");
  free(text);
}

void watch(bool on) {
  pthread_mutex_lock(&lock);
  watching = on;
  pthread_mutex_unlock(&lock);
}

// NVRTC's other half, libnvrtc-builtins, which it opens when it first compiles, is a file that it has read, too.
int note_library(dl_phdr_info* library, size_t, void*) {
  if (strstr(library->dlpi_name, "libnvrtc") != nullptr) note('r', library->dlpi_name);
  return 0;
}

void compile(const Functions& nvrtc, const char* name, const char* source, const char* const* options, int count,
             Text& answer) {
  Program program = nullptr;
  watch(true);
  Result result = nvrtc.create(&program, source, name, 0, nullptr, nullptr);
  if (result == success) result = nvrtc.compile(program, count, options);
  dl_iterate_phdr(note_library, nullptr);
  watch(false);
  answer.add_field(result == success ? "" : nvrtc.error_text(result));
  add_text(program, nvrtc.log_size, nvrtc.log, answer);
  add_text(result == success ? program : nullptr, nvrtc.ptx_size, nvrtc.ptx, answer);
  char number[32];
  snprintf(number, sizeof number, "%zu", question_count);
  answer.add_field(number);
  answer.add(questions.data() != nullptr ? questions.data() : "", questions.size());
}

// --- Fields -----------------------------------------------------------------------------------------------------

void read_all(int descriptor, Text& all) {
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got <= 0) return;
    all.add(buffer, static_cast<size_t>(got));
  }
}

// The next field as a text that ends with a zero, written over its line end; null when there is none.
char* take_field(char*& at, const char* end) {
  char* behind = nullptr;
  if (at == nullptr || at >= end) return nullptr;
  const size_t length = strtoul(at, &behind, 10);
  if (*behind != '\n' || static_cast<size_t>(end - behind) < length + 2) return nullptr;
  char* field = behind + 1;
  field[length] = '\0';
  at = field + length + 1;
  return field;
}

bool write_all(int descriptor, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(descriptor, bytes, count);
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

void answer_request(Text& request, Text& answer) {
  char *at = request.data(), *end = at != nullptr ? at + request.size() : nullptr;
  const char *path = take_field(at, end), *task = take_field(at, end);
  if (path == nullptr || task == nullptr) _exit(64);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Functions nvrtc;
  const char* missing = library != nullptr ? find_functions(library, nvrtc) : nullptr;
  if (library == nullptr || missing != nullptr) {
    answer.add_field("unusable");
    Text text;
    if (missing != nullptr) text.add("it has no function ", 19);
    const char* rest = missing != nullptr ? missing : dlerror();
    if (rest == nullptr) rest = "";
    text.add(rest, strlen(rest));
    answer.add_field(text.data(), text.size());
    return;
  }
  describe(nvrtc, answer);
  if (strcmp(task, "compile") != 0) return;
  const char *name = take_field(at, end), *source = take_field(at, end), *options[1024];
  if (name == nullptr || source == nullptr) _exit(64);
  int count = 0;
  while (count < 1024 && (options[count] = take_field(at, end)) != nullptr) ++count;
  compile(nvrtc, name, source, options, count, answer);
}

}  // namespace

int main() {
  prctl(PR_SET_NAME, "heddle-nvrtc");
  // What NVRTC prints, if it does, must not come between the fields of the answer.
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 71;
  Text request, answer;
  read_all(STDIN_FILENO, request);
  answer_request(request, answer);
  if (!write_all(out, answer.data(), answer.size())) _exit(74);
  // Without what the libraries would do at the end: all is said, and what they fail at would be reported as an error.
  _exit(0);
}
