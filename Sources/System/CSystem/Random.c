#include "CSystem.h"

#include <errno.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/random.h>
#endif

int csystem_fill_random(void *bytes, size_t count) {
#if defined(__linux__)
  unsigned char *next = bytes;
  while (count > 0) {
    ssize_t filled = getrandom(next, count, 0);
    if (filled < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    next += filled;
    count -= (size_t)filled;
  }
#else
  arc4random_buf(bytes, count);
#endif
  return 0;
}
