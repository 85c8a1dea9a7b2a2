// Glibc hides sched_getaffinity without it.
#define _GNU_SOURCE
#include "CSystem.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/resource.h>
#endif

struct start {
  void (*run)(void *);
  void *context;
};

static void *begin(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.run(start.context);
  return NULL;
}

int csystem_thread_start(void (*run)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) abort();
  *start = (struct start){run, context};
  pthread_t thread;
  int result = pthread_create(&thread, NULL, begin, start);
  if (result == 0) {
    pthread_detach(thread);
  } else {
    free(start);
  }
  return result;
}

void csystem_reserve_heaps(void) {
#if defined(__GLIBC__)
  // Such limits count memory that is writable and not used.
  const int limits[] = {RLIMIT_DATA, RLIMIT_AS};
  for (int index = 0; index < 2; index++) {
    struct rlimit limit;
    if (getrlimit(limits[index], &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  }
  // The size of a thread's heap. A smaller reserve is used up once, and then each page takes a call.
  mallopt(M_TOP_PAD, 64 << 20);
  // The largest value. The option above keeps the threshold from growing to it.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

void csystem_release_free_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

int csystem_processor_count(void) {
#if defined(__linux__)
  cpu_set_t processors;
  // Fails on a machine with more processors than the set has room for.
  if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
#endif
  return 0;
}
