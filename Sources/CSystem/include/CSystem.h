#ifndef CSYSTEM_H
#define CSYSTEM_H

// What Swift cannot reach on every platform. Each function says what it stands in for.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// flock(descriptor, LOCK_EX | LOCK_NB). In Swift the name means the structure, not the function.
// Returns 0 or the error number; EWOULDBLOCK when another open directory holds the lock.
int csystem_lock(int descriptor);

// flock(descriptor, LOCK_UN).
void csystem_unlock(int descriptor);

// Waits until what was written is on the device: fdatasync, on Apple platforms F_BARRIERFSYNC, or F_FULLFSYNC when the
// drive's own cache counts too. Never repeated after an error, not even EINTR: an error is reported once, and the
// repetition could succeed without the data. Returns 0 or the error number.
int csystem_synchronize(int descriptor, bool full);

// fsync of a directory; on Apple platforms F_FULLFSYNC. Returns 0 or the error number.
int csystem_synchronize_directory(int descriptor);

// posix_fadvise(POSIX_FADV_DONTNEED) over the whole file. Apple platforms can only be told to keep nothing more of it
// (F_NOCACHE). A hint: failures are of no consequence.
void csystem_discard_cache(int descriptor);

// The two halves of a device number, which are macros in C.
unsigned int csystem_device_major(uint64_t device);
unsigned int csystem_device_minor(uint64_t device);

// Whether the processor has instructions for CRC-32C: SSE 4.2 on x86, the CRC extension on ARM.
bool csystem_crc32c_is_available(void);

// Goes on with a CRC-32C over `count` bytes. `state` is the register, without the inversions at both ends.
// Only where csystem_crc32c_is_available.
uint32_t csystem_crc32c_update(uint32_t state, const void *bytes, size_t count);

// Whether the processor has instructions for SHA-256: the SHA extensions of x86, or those of ARMv8.
bool csystem_sha256_is_available(void);

// Folds `blockCount` blocks of 64 bytes into the eight words of a SHA-256's state. Only where
// csystem_sha256_is_available.
void csystem_sha256_update(uint32_t state[8], const void *bytes, size_t blockCount);

#ifdef __cplusplus
}
#endif

#endif
