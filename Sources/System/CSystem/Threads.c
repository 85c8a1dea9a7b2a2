// Glibc hides sched_getaffinity without it.
#define _GNU_SOURCE
#include "CSystem.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sched.h>
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

int csystem_processor_count(void) {
#if defined(__linux__)
  cpu_set_t processors;
  // Fails on a machine with more processors than the set has room for.
  if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
#endif
  return 0;
}
