// Glibc hides sync_file_range without it.
#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#endif

int csystem_lock(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void csystem_unlock(int descriptor) {
  flock(descriptor, LOCK_UN);
}

void csystem_start_writeback(int descriptor) {
#if defined(__linux__)
  sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor;
#endif
}

// Returns 0, or -1 with errno; ENOTSUP if there is no such call.
static int rename_exclusively(const char *path, const char *new_path) {
#if defined(__APPLE__)
  return renamex_np(path, new_path, RENAME_EXCL);
#elif defined(SYS_renameat2)
  // Some C libraries lack the function, others hide it.
  const unsigned int no_replace = 1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, new_path, no_replace);
#else
  (void)path, (void)new_path;
  errno = ENOTSUP;
  return -1;
#endif
}

// Returns 0 or an error number.
static int link_uninterrupted(const char *path, const char *new_path) {
  while (link(path, new_path) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

static int unlink_uninterrupted(const char *path) {
  while (unlink(path) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int csystem_rename_without_replacing(const char *path, const char *new_path) {
  while (rename_exclusively(path, new_path) != 0) {
    if (errno == EINTR) continue;
    // The errors of kernels, file systems and sandboxes for an unsupported call or flag.
    if (errno != ENOSYS && errno != EINVAL && errno != ENOTSUP && errno != EPERM) return errno;
    int error = link_uninterrupted(path, new_path);
    if (error != 0) return error;
    error = unlink_uninterrupted(path);
    if (error != 0) unlink_uninterrupted(new_path);
    return error;
  }
  return 0;
}

#if defined(__APPLE__)
// Used only by file systems without the stronger command (network shares, FAT). Any other error is the device's.
static bool command_is_unknown(int error) {
  return error == ENOTSUP || error == EINVAL || error == ENOTTY;
}

int csystem_synchronize(int descriptor, bool full) {
  if (!full) {
    if (fcntl(descriptor, F_BARRIERFSYNC) == 0) return 0;
    if (!command_is_unknown(errno)) return errno;
  }
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
  if (!command_is_unknown(errno)) return errno;
  return fsync(descriptor) == 0 ? 0 : errno;
}

int csystem_synchronize_directory(int descriptor) {
  return csystem_synchronize(descriptor, true);
}

void csystem_discard_cache(int descriptor) {
  fcntl(descriptor, F_NOCACHE, 1);
}
#else
int csystem_synchronize(int descriptor, bool full) {
  (void)full;  // fdatasync includes the cache of the drive
  return fdatasync(descriptor) == 0 ? 0 : errno;
}

int csystem_synchronize_directory(int descriptor) {
  return fsync(descriptor) == 0 ? 0 : errno;
}

void csystem_discard_cache(int descriptor) {
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}
#endif

unsigned int csystem_device_major(uint64_t device) {
  return (unsigned int)major((dev_t)device);
}

unsigned int csystem_device_minor(uint64_t device) {
  return (unsigned int)minor((dev_t)device);
}
