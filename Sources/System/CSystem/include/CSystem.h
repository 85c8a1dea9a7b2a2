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

// Runs `run` with `context` on a new thread of its own that nobody joins. Foundation's Thread does not tell when there is none to
// be had, and never runs then. Returns 0 or the error number, EAGAIN where the limit is reached; nothing runs then.
int csystem_thread_start(void (*run)(void *), void *context);

// A bell that one thread waits for. Dispatch's semaphores wait by the date of the machine on Linux, which somebody may set.
struct csystem_bell;

// Makes a bell that nobody has rung. Ends the process where there is no memory for it.
struct csystem_bell *csystem_bell_make(void);

// Takes it apart; nobody may be waiting for it.
void csystem_bell_free(struct csystem_bell *bell);

// Wakes the thread that waits, or else the next one that does.
void csystem_bell_ring(struct csystem_bell *bell);

// Waits until it is rung, or so many nanoseconds, whatever becomes of the date; now and then less.
void csystem_bell_wait(struct csystem_bell *bell, uint64_t nanoseconds);

// Renames a file unless something lies at the new path, in one act: renameat2 with RENAME_NOREPLACE, on Apple platforms renamex_np
// with RENAME_EXCL. Where the system or the file system does not know that, link and unlink: then the file has both names for a
// moment. Returns 0 or the error number, EEXIST when something lies there.
int csystem_rename_without_replacing(const char *path, const char *new_path);

// posix_fadvise(POSIX_FADV_DONTNEED) over the whole file. Apple platforms can only be told to keep nothing more of it
// (F_NOCACHE). A hint: failures are of no consequence.
void csystem_discard_cache(int descriptor);

// The two halves of a device number, which are macros in C.
unsigned int csystem_device_major(uint64_t device);
unsigned int csystem_device_minor(uint64_t device);

// Whether the processor has instructions for CRC-32C: SSE 4.2 on x86, the CRC extension on ARM. It is found out before main
// begins and never changes, so that it can be asked for at each line.
extern bool csystem_crc32c_availability;
static inline bool csystem_crc32c_is_available(void) { return csystem_crc32c_availability; }

// Goes on with a CRC-32C over `count` bytes. `state` is the register, without the inversions at both ends.
// Only where csystem_crc32c_is_available.
uint32_t csystem_crc32c_update(uint32_t state, const void *bytes, size_t count);

// Whether the processor has instructions for SHA-256: the SHA extensions of x86, or those of ARMv8.
bool csystem_sha256_is_available(void);

// Folds `blockCount` blocks of 64 bytes into the eight words of a SHA-256's state. Only where
// csystem_sha256_is_available.
void csystem_sha256_update(uint32_t state[8], const void *bytes, size_t blockCount);

// Takes the terminal for a full screen: keys one by one, nothing echoed. Until csystem_terminal_leave it is given back by
// `exit` and by every signal that means a crash, too: `farewell` is then written to `output` (at most 256 bytes), and the
// attributes of `input` are what they were. Returns 0 or the error number; EBUSY when it is taken already.
int csystem_terminal_enter(int input, int output, const void *farewell, size_t count);

// Sets the attributes of the terminal again, which others may have changed while the process was stopped. Returns 0 or the
// error number; EINVAL when it is not taken.
int csystem_terminal_renew(void);

// Gives the terminal back. Allowed in signal handlers; the second call does nothing.
void csystem_terminal_leave(void);

// ioctl(TIOCGWINSZ).
bool csystem_terminal_size(int descriptor, int *columns, int *rows);

// Writes each of these signals as a byte into a pipe, which must not block, instead of what it would do. Those that the
// process ignores stay ignored, and those of csystem_signals_end stay with it. Returns 0 or the error number; EBUSY when signals are forwarded already.
int csystem_signals_forward(const int *numbers, size_t count, int descriptor);

// Lets the signals do again what they did.
void csystem_signals_release(void);

// Writes each of these signals, which ask the process to end, as a byte into a pipe, which must not block, until the process
// ends. Those that it ignores stay ignored. Returns 0 or the error number; EBUSY the second time.
int csystem_signals_end(const int *numbers, size_t count, int descriptor);

// Does what SIGTSTP does by itself: stops the process until SIGCONT.
void csystem_signals_stop(void);

#ifdef __cplusplus
}
#endif

#endif
