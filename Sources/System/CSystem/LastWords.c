#include "CSystem.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

// What a handler needs lies here: the heap may be in any state then.
enum { MESSAGE_LIMIT = 1024 };

struct words {
  char bytes[MESSAGE_LIMIT];
  size_t count;
  int descriptor;
  int status;
};

static struct words wordsOnMemory, wordsOnProcessor;

static void keep(struct words *words, int descriptor, const void *message, size_t count, int status) {
  words->count = count < MESSAGE_LIMIT ? count : MESSAGE_LIMIT;
  memcpy(words->bytes, message, words->count);
  words->descriptor = descriptor;
  words->status = status;
}

static void end(const struct words *words) {
  // Nobody would read it on a screen that goes away.
  csystem_terminal_leave();
  // There is nobody to tell if it cannot be written.
  if (write(words->descriptor, words->bytes, words->count) < 0) {}
  _exit(words->status);
}

// How runtime and libraries end when they get no memory: a trap, abort, or a pointer to nothing. Others may have handlers for
// them, which come next.
static const int fatalSignals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS};
enum { FATAL_COUNT = sizeof fatalSignals / sizeof *fatalSignals };
static struct sigaction fatalActions[FATAL_COUNT];
static uint64_t addressLimit = UINT64_MAX, dataLimit = UINT64_MAX;

static bool hasThreeQuarters(uint64_t limit, int protection) {
  // No limit, or one that is none for addresses of 32 bits.
  if (limit >= SIZE_MAX) return true;
  size_t count = limit - limit / 4;
  void *start = mmap(NULL, count, protection, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return false;
  munmap(start, count);
  return true;
}

// What wants memory and gets none wants at most twice what it has, to grow: more than a quarter is then in use. With less in use
// it was something else.
static bool isPlentyLeft(void) {
  return hasThreeQuarters(addressLimit, PROT_NONE) && hasThreeQuarters(dataLimit, PROT_READ | PROT_WRITE);
}

static void endForMemory(int number) {
  if (!isPlentyLeft()) end(&wordsOnMemory);
  for (size_t index = 0; index < FATAL_COUNT; index++) {
    if (fatalSignals[index] == number) sigaction(number, &fatalActions[index], NULL);
  }
  // A fault happens again when the handler returns; a signal that was sent would not.
  raise(number);
}

static void endForProcessor(int number) {
  (void)number;
  end(&wordsOnProcessor);
}

static void handle(int number, void (*handler)(int), struct sigaction *previous) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, previous);
}

void csystem_memory_guard(int descriptor, const void *message, size_t count, int status) {
  keep(&wordsOnMemory, descriptor, message, count, status);
  addressLimit = csystem_address_limit();
  dataLimit = csystem_data_limit();
  for (size_t index = 0; index < FATAL_COUNT; index++) handle(fatalSignals[index], endForMemory, &fatalActions[index]);
}

void csystem_processor_guard(int descriptor, const void *message, size_t count, int status) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  keep(&wordsOnProcessor, descriptor, message, count, status);
  handle(SIGXCPU, endForProcessor, NULL);
  // Where the soft limit is the hard one, SIGKILL comes instead. So a timer comes first, by a tenth of a second.
  handle(SIGPROF, endForProcessor, NULL);
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return;
  const long long second = 1000000;
  // Longer than anybody waits, and far from what a number holds.
  const rlim_t seconds = limit.rlim_cur < 1000000000 ? limit.rlim_cur : 1000000000;
  long long rest = (long long)seconds * second - second / 10;
  rest -= (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * second + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  if (rest < 1) rest = 1;
  struct itimerval timer;
  memset(&timer, 0, sizeof timer);
  timer.it_value.tv_sec = (time_t)(rest / second);
  timer.it_value.tv_usec = (suseconds_t)(rest % second);
  setitimer(ITIMER_PROF, &timer, NULL);
}
