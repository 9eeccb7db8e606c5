// A program whose calls are counted, in the way that it is told: it waits for a line, works, says on a line
// of JSON how often it called what, and ends when there are no more lines.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define COUNTED extern "C" [[gnu::noinline]]

namespace {
std::atomic<unsigned> sink{0};
}

COUNTED void counted_leaf() { sink.fetch_add(1); }
COUNTED void counted_middle(int times) {
  for (int i = 0; i < times; ++i) counted_leaf();
}
COUNTED void counted_sleeper(int milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  ::nanosleep(&time, nullptr);
}
COUNTED void counted_thrower(int deep) {
  if (deep == 0) throw deep;
  counted_thrower(deep - 1);
  sink.fetch_add(1);
}
COUNTED void counted_catcher() {
  try {
    counted_thrower(3);
  } catch (int) {
    counted_leaf();
  }
}

namespace {

void work_plainly() {
  for (int i = 0; i < 100; ++i) counted_middle(1000);
  counted_sleeper(400);
  std::printf(R"({"counted_leaf": 100000, "counted_middle": 100, "counted_sleeper": 1})");
}

void work_in_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([] { counted_middle(20'000); });
  for (std::thread& one : threads) one.join();
  std::printf(R"({"counted_leaf": 160000, "counted_middle": 8})");
}

void work_with_exceptions() {
  for (int i = 0; i < 1000; ++i) counted_catcher();
  std::printf(R"({"counted_catcher": 1000, "counted_thrower": 4000, "counted_leaf": 1000})");
}

/// A child counts for itself from its begin, and so does a child of it. One that executes another program
/// does not.
void work_in_children() {
  counted_middle(10);
  const pid_t other = ::fork();
  if (other == 0) ::execlp("sleep", "sleep", "1", nullptr);
  const pid_t child = ::fork();
  counted_middle(5);
  if (child == 0) {
    const pid_t grandchild = ::fork();
    counted_middle(2);
    counted_sleeper(700);  // The recorder looks which children there are.
    if (grandchild != 0) ::waitpid(grandchild, nullptr, 0);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  ::waitpid(other, nullptr, 0);
  std::printf(R"({"counted_middle": 5, "counted_leaf": 24, "counted_sleeper": 2})");
}

/// As daemons do. The memory stays, though its file has no descriptor.
void work_without_descriptors() {
  for (int fd = 3; fd < 64; ++fd) ::close(fd);
  counted_middle(7);
  std::printf(R"({"counted_middle": 1, "counted_leaf": 7})");
}

/// Another library comes where one was.
void work_in_libraries(char** names) {
  for (int i = 0; i < 2; ++i) {
    void* library = ::dlopen(names[i], RTLD_NOW);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", ::dlerror());
      std::exit(3);
    }
    void* found = ::dlsym(library, i == 0 ? "counted_in_first" : "counted_in_second");
    void (*function)() = nullptr;
    std::memcpy(&function, &found, sizeof function);
    for (int k = 0; k < 50 * (i + 1); ++k) function();
    counted_sleeper(1000);  // The recorder looks which libraries there are.
    ::dlclose(library);
  }
  std::printf(R"({"counted_in_first": 50, "counted_in_second": 100})");
}

void work(const std::string& way, char** rest) {
  if (way == "threads") return work_in_threads();
  if (way == "exceptions") return work_with_exceptions();
  if (way == "children") return work_in_children();
  if (way == "descriptors") return work_without_descriptors();
  if (way == "libraries") return work_in_libraries(rest);
  work_plainly();
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  char line[16];
  if (std::fgets(line, sizeof line, stdin) == nullptr) return 2;
  work(way, arguments + 2);
  std::printf("\n");
  std::fflush(stdout);
  if (way == "killed") ::raise(SIGKILL);  // Right after its last call.
  while (std::fgets(line, sizeof line, stdin) != nullptr) continue;
  return 0;
}
