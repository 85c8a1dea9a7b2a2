#include "CSystem.h"

#include <pthread.h>
#include <stdlib.h>

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
