// A library with NVRTC's functions, for tests on machines without it and of what NVRTC does not do on demand. It reads
// the source for commands, one a line:
//   include NAME  looks for NAME in the folders of --include-path, as NVRTC does, and puts its first line into the PTX
//   crash         accesses memory that is not there
//   leave         ends the process
//   chatter       prints
//   unseen        reads its files in a way that nobody sees
//   environment   puts NVRTC_APPEND_FLAGS and LD_LIBRARY_PATH into the log
//   fail TEXT     is an error, with this log
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

enum Result { success = 0, invalid_option = 5, compilation = 6 };

struct Program {
  std::string source, name, log, ptx;
};

std::string environment_variable(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

class Compilation {
 public:
  Compilation(Program& program, const std::vector<std::string>& options) : program_(program), options_(options) {}

  Result run() {
    std::string values;
    std::istringstream lines(program_.source);
    for (std::string line; std::getline(lines, line);) {
      const std::string command = line.substr(0, line.find(' ')),
                        rest = line.substr(std::min(command.size() + 1, line.size()));
      if (command == "crash") *reinterpret_cast<volatile int*>(16) = 1;
      if (command == "leave") _exit(3);
      if (command == "chatter") printf("chatter\n"), fflush(stdout);
      if (command == "unseen") unseen_ = true;
      if (command == "include") values += "// " + include(rest) + "\n";
      if (command == "environment")
        program_.log = environment_variable("NVRTC_APPEND_FLAGS") + "|" + environment_variable("LD_LIBRARY_PATH");
      if (command == "fail") {
        program_.log = program_.name + "(1): error: " + rest + "\n";
        return compilation;
      }
    }
    read_own_files();
    program_.ptx = ".version 8.0\n.target sm_80\n.address_size 64\n" + values + ".visible .entry k() { ret; }\n";
    return success;
  }

 private:
  std::string first_line(const std::string& path) const {
    char buffer[256] = "";
    if (unseen_) {
      const long file = syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY);
      if (file < 0) return {};
      if (syscall(SYS_read, file, buffer, sizeof buffer - 1) < 0) return {};
      syscall(SYS_close, file);
    } else {
      FILE* file = fopen(path.c_str(), "r");
      if (file == nullptr) return {};
      if (fgets(buffer, sizeof buffer, file) == nullptr) *buffer = '\0';
      fclose(file);
    }
    const std::string text = buffer;
    return text.substr(0, text.find('\n'));
  }

  std::string include(const std::string& name) const {
    constexpr const char* option = "--include-path=";
    for (const std::string& word : options_) {
      if (word.rfind(option, 0) != 0) continue;
      const std::string line = first_line(word.substr(strlen(option)) + "/" + name);
      if (!line.empty()) return line;
    }
    return {};
  }

  // What is included before everything, and the file that it asks for.
  void read_own_files() const {
    constexpr const char* option = "--pre-include=";
    for (const std::string& word : options_) {
      if (word.rfind(option, 0) != 0) continue;
      const std::string path = word.substr(strlen(option));
      first_line(path);
      first_line(path.substr(0, path.rfind('/')) + "/heddle-not-there.h");
    }
  }

  Program& program_;
  const std::vector<std::string>& options_;
  bool unseen_ = false;
};

Result give(const std::string& text, char* to) {
  memcpy(to, text.c_str(), text.size() + 1);
  return success;
}

}  // namespace

extern "C" {
Result nvrtcVersion(int* major, int* minor) {
  *major = 12, *minor = 3;
  return success;
}
Result nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return success;
}
Result nvrtcGetSupportedArchs(int* list) {
  list[0] = 80, list[1] = 90;
  return success;
}
Result nvrtcCreateProgram(Program** program, const char* source, const char* name, int, const char* const*,
                          const char* const*) {
  *program = new Program{source, name, {}, {}};
  return success;
}
Result nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  const std::vector<std::string> words(options, options + count);
  for (const std::string& word : words) {
    if (word == "--gpu-architecture=compute_70") return invalid_option;
  }
  return Compilation(*program, words).run();
}
Result nvrtcGetPTXSize(Program* program, size_t* size) {
  *size = program->ptx.size() + 1;
  return success;
}
Result nvrtcGetPTX(Program* program, char* ptx) { return give(program->ptx, ptx); }
Result nvrtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return success;
}
Result nvrtcGetProgramLog(Program* program, char* log) { return give(program->log, log); }
const char* nvrtcGetErrorString(Result result) {
  return result == compilation ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INVALID_OPTION";
}
}
