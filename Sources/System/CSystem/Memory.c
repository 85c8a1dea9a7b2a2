#include "CSystem.h"

#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

static uint64_t limitOf(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

uint64_t csystem_address_limit(void) { return limitOf(RLIMIT_AS); }

uint64_t csystem_data_limit(void) { return limitOf(RLIMIT_DATA); }

uint64_t csystem_stack_limit(void) { return limitOf(RLIMIT_STACK); }

uint64_t csystem_processor_limit(void) { return limitOf(RLIMIT_CPU); }

static bool isLeft(size_t count, int protection) {
  void *start = mmap(NULL, count, protection, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (start == MAP_FAILED) return false;
  munmap(start, count);
  return true;
}

bool csystem_addresses_are_left(size_t count) { return isLeft(count, PROT_NONE); }

bool csystem_memory_is_left(size_t count) { return isLeft(count, PROT_READ | PROT_WRITE); }

void csystem_memory_save(void) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}
