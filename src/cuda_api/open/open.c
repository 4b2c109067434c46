/* Loaded into each process under `heddle run` before all else: a library of CUDA that a program opens by its path, as
   Python packages do, is Heddle's where Heddle has one. And a program that has called nothing of CUDA says at its end
   that there is no timeline, as nobody else would. Nothing but C, as every process loads it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void* (*open_function)(const char* file, int mode);

static const char* const replaced[] = {"libcuda.so.1",    "libcudart.so.11.0",  "libcudart.so.12",
                                       "libcudart.so.13", "libnvJitLink.so.12", "libnvJitLink.so.13"};
enum { replaced_count = sizeof replaced / sizeof *replaced };

static char* files[replaced_count]; /* Heddle's; null: it has none */
static char* asked[replaced_count]; /* what the program asked for instead, the first time */
static open_function next_open;

__attribute__((constructor)) static void find_libraries(void) {
  Dl_info own;
  next_open = (open_function)dlsym(RTLD_NEXT, "dlopen");
  if (!dladdr((void*)&find_libraries, &own) || !own.dli_fname) return;
  const char* const slash = strrchr(own.dli_fname, '/');
  const size_t folder = slash ? (size_t)(slash - own.dli_fname) + 1 : 0;
  for (size_t i = 0; i < replaced_count; ++i) {
    char* const file = malloc(folder + strlen(replaced[i]) + 1);
    if (!file) return;
    memcpy(file, own.dli_fname, folder);
    strcpy(file + folder, replaced[i]);
    files[i] = file;
  }
}

/* `file`, or Heddle's library of that name. Plain names are found by the environment. */
__attribute__((used)) static const char* chosen(const char* file) {
  const char* const slash = file ? strrchr(file, '/') : NULL;
  if (!slash) return file;
  for (size_t i = 0; i < replaced_count; ++i) {
    if (!files[i] || strcmp(slash + 1, replaced[i]) != 0) continue;
    char* expected = NULL;
    char* const copy = strcmp(file, files[i]) != 0 ? strdup(file) : NULL;
    if (copy && !__atomic_compare_exchange_n(&asked[i], &expected, copy, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      free(copy);
    return files[i];
  }
  return file;
}

/* For Heddle's own code, which looks for NVIDIA's libraries. */
__attribute__((visibility("default"))) void* heddle_open_unchanged(const char* file, int mode) {
  return next_open ? next_open(file, mode) : NULL;
}

/* The library of this name that the program would have got; null: it has asked for none. */
__attribute__((visibility("default"))) void* heddle_open_original(const char* name) {
  for (size_t i = 0; i < replaced_count; ++i) {
    const char* const file = __atomic_load_n(&asked[i], __ATOMIC_ACQUIRE);
    if (file && next_open && strcmp(name, replaced[i]) == 0) return next_open(file, RTLD_NOW | RTLD_LOCAL);
  }
  return NULL;
}

__attribute__((used)) static open_function next(void) {
  return next_open ? next_open : (open_function)dlsym(RTLD_NEXT, "dlopen");
}

/* The loader looks into the library that calls, by the return address: so this must be a jump, no call. */
#if defined(__x86_64__)
__attribute__((naked, visibility("default"))) void* dlopen(const char* file, int mode) {
  (void)file;
  (void)mode;
  __asm__(
      "endbr64\n\t"
      "push %rsi\n\t"
      "call chosen\n\t"
      "push %rax\n\t"
      "sub $8, %rsp\n\t"
      "call next\n\t"
      "add $8, %rsp\n\t"
      "pop %rdi\n\t"
      "pop %rsi\n\t"
      "jmp *%rax\n\t");
}
#else
__attribute__((visibility("default"))) void* dlopen(const char* file, int mode) { return next()(chosen(file), mode); }
#endif

/* What `heddle run --trace` has left for the process that it became; null: it is another process, or says nothing. */
static char* trace;
static char* state_before; /* of the file; see base/trace_claim.hpp */
static pid_t process;

__attribute__((constructor)) static void find_trace(void) {
  const char* const file = getenv("HEDDLE_RUN_TRACE");
  const char* const claim = getenv("HEDDLE_RUN_TRACE_CLAIM");
  const char* const colon = claim ? strchr(claim, ':') : NULL;
  if (!file || !colon || strtol(claim, NULL, 10) != (long)getpid()) return;
  trace = strdup(file); /* the program may change its variables */
  state_before = strdup(colon + 1);
  process = getpid();
}

/* For Heddle's own code: this process makes the timeline, and says what becomes of it. */
__attribute__((visibility("default"))) void heddle_open_uses_trace(void) { trace = NULL; }

/* In signal handlers too, by _exit(). */
__attribute__((destructor)) static void report_missing_trace(void) {
  struct stat status;
  char state[256] = "new";
  if (!trace || !state_before || process != getpid()) return; /* a child by fork() has no say */
  const int is_there = stat(trace, &status) == 0;
  if (is_there)
    snprintf(state, sizeof state, "%llu:%llu:%lld:%lld:%ld", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino, (long long)status.st_size, (long long)status.st_mtim.tv_sec,
             (long)status.st_mtim.tv_nsec);
  if (strcmp(state, state_before) != 0) return; /* a child has written it */
  dprintf(STDERR_FILENO,
          "heddle: there is no new timeline, as the program has called nothing of CUDA, or could not write one; %s is "
          "%s\n",
          trace, is_there ? "as it was" : "not there");
}

/* Shells end without destructors. */
__attribute__((visibility("default"), noreturn)) void _exit(int code) {
  report_missing_trace();
  while (1) syscall(SYS_exit_group, code);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int code) { _exit(code); }
