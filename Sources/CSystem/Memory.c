#include "CSystem.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

static uint64_t limitOf(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

uint64_t csystem_memory_limit(void) {
  uint64_t addresses = limitOf(RLIMIT_AS);
  uint64_t data = limitOf(RLIMIT_DATA);
  return addresses < data ? addresses : data;
}

bool csystem_memory_is_left(size_t count) {
  void *start = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (start == MAP_FAILED) return false;
  munmap(start, count);
  return true;
}

void csystem_memory_save(void) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

// What a handler needs lies here: the heap may be in any state then.
enum { MESSAGE_LIMIT = 1024 };
static char lastMessage[MESSAGE_LIMIT];
static size_t lastMessageCount;
static int lastDescriptor;
static int lastStatus;

static void endWithMessage(int number) {
  (void)number;
  // There is nobody to tell if it cannot be written.
  if (write(lastDescriptor, lastMessage, lastMessageCount) < 0) {}
  _exit(lastStatus);
}

void csystem_memory_guard(int descriptor, const void *message, size_t count, int status) {
  lastMessageCount = count < MESSAGE_LIMIT ? count : MESSAGE_LIMIT;
  memcpy(lastMessage, message, lastMessageCount);
  lastDescriptor = descriptor;
  lastStatus = status;
  // How runtime and libraries end when they get no memory: a trap, abort, or a pointer to nothing.
  const int numbers[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = endWithMessage;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(numbers[index], &action, NULL);
  }
}
