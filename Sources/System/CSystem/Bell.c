#include "CSystem.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct csystem_bell {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool isRung;
};

struct csystem_bell *csystem_bell_make(void) {
  struct csystem_bell *bell = malloc(sizeof *bell);
  if (bell == NULL) abort();
  bell->isRung = false;
  pthread_mutex_init(&bell->mutex, NULL);
#if defined(__APPLE__)
  pthread_cond_init(&bell->condition, NULL);
#else
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&bell->condition, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
  return bell;
}

void csystem_bell_free(struct csystem_bell *bell) {
  pthread_cond_destroy(&bell->condition);
  pthread_mutex_destroy(&bell->mutex);
  free(bell);
}

void csystem_bell_ring(struct csystem_bell *bell) {
  pthread_mutex_lock(&bell->mutex);
  bell->isRung = true;
  pthread_cond_signal(&bell->condition);
  pthread_mutex_unlock(&bell->mutex);
}

void csystem_bell_wait(struct csystem_bell *bell, uint64_t nanoseconds) {
  const uint64_t second = 1000000000;
  struct timespec time = {(time_t)(nanoseconds / second), (long)(nanoseconds % second)};
#if !defined(__APPLE__)
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  time.tv_sec += now.tv_sec;
  time.tv_nsec += now.tv_nsec;
  if (time.tv_nsec >= (long)second) {
    time.tv_sec += 1;
    time.tv_nsec -= (long)second;
  }
#endif
  pthread_mutex_lock(&bell->mutex);
  if (!bell->isRung) {
#if defined(__APPLE__)
    pthread_cond_timedwait_relative_np(&bell->condition, &bell->mutex, &time);
#else
    pthread_cond_timedwait(&bell->condition, &bell->mutex, &time);
#endif
  }
  bell->isRung = false;
  pthread_mutex_unlock(&bell->mutex);
}
