#ifndef CSYSTEM_H
#define CSYSTEM_H

// System functions that Swift cannot call on every platform.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// flock(descriptor, LOCK_EX | LOCK_NB). In Swift the name means the structure, not the function.
// Returns 0 or the error number; EWOULDBLOCK if another open directory holds the lock.
int csystem_lock(int descriptor);

// flock(descriptor, LOCK_UN).
void csystem_unlock(int descriptor);

// Syncs the data of a file: fdatasync; on Apple platforms F_BARRIERFSYNC, or F_FULLFSYNC to include the cache of the
// drive. It is not repeated after an error, not even EINTR: the system reports an error once, and another call could
// succeed without the data. Returns 0 or the error number.
int csystem_synchronize(int descriptor, bool full);

// Begins to write the data of a file to the device without waiting: sync_file_range(SYNC_FILE_RANGE_WRITE) on Linux. This
// is a hint: failures are ignored, and the next csystem_synchronize reports them. Nothing on other platforms.
void csystem_start_writeback(int descriptor);

// fsync of a directory; on Apple platforms F_FULLFSYNC. Returns 0 or the error number.
int csystem_synchronize_directory(int descriptor);

// Runs `run` with `context` on a new detached thread. Foundation's Thread does not report failure to start. Returns 0 or
// the error number, EAGAIN if the limit of threads is reached; nothing runs then.
int csystem_thread_start(void (*run)(void *), void *context);

// Makes the heap of each thread writable at once, 64 MiB, and takes blocks of up to 32 MiB from it. Otherwise glibc calls mprotect
// for every few kilobytes that a thread other than the first allocates, and each call waits for the page faults of all threads.
// Only a program may choose this: memory that is freed stays with the process until it is used again. Nothing if the process has
// a limit on its address space or its data, and on other platforms.
void csystem_reserve_heaps(void);

// Releases the free memory of the heaps to the system: malloc_trim. Nothing without glibc.
void csystem_release_free_memory(void);

// The number of processors on which the calling thread may run; 0 if the system does not tell.
int csystem_processor_count(void);

// Makes a pipe whose ends programs that are started do not inherit: the end to read from, and the end to write to. Returns
// 0 or the error number.
int csystem_pipe(int ends[2]);

// Starts a program, with `input` as its standard input, `output` as its standard output, and `messages` as its standard error;
// a negative number stands for that of this process. It has no other open files, blocks no signal, and does not ignore SIGPIPE
// and SIGXFSZ. If this process ignores SIGCHLD, it no longer does. The arrays end with NULL. Returns 0 or the error number.
int csystem_spawn(const char *program, char *const arguments[], char *const variables[], int input, int output,
                  int messages, int *process);

// Tells how a child process ended: its exit status, or the signal. If `reaps`, its identifier can then belong to another
// process. Returns 0 or the error number; EAGAIN if it is running, and not `waits`.
int csystem_await_end(int process, bool reaps, bool waits, int *status, bool *by_signal);

// A bell for one waiting thread. On Linux, timeouts of Dispatch semaphores depend on the date, which can be changed.
struct csystem_bell;

// Creates a bell. Terminates the process if there is no memory for it.
struct csystem_bell *csystem_bell_make(void);

// Frees a bell. No thread may be waiting for it.
void csystem_bell_free(struct csystem_bell *bell);

// Wakes the waiting thread, or the next one that waits.
void csystem_bell_ring(struct csystem_bell *bell);

// Waits until the bell is rung, but at most for a time that is independent of the date. It may return early.
void csystem_bell_wait(struct csystem_bell *bell, uint64_t nanoseconds);

// Renames a file atomically unless the new path exists: renameat2 with RENAME_NOREPLACE; on Apple platforms renamex_np
// with RENAME_EXCL. If the system or the file system does not support this, link and unlink are used, and the file has
// both names for a moment. Returns 0 or the error number, EEXIST if the new path exists.
int csystem_rename_without_replacing(const char *path, const char *new_path);

// posix_fadvise(POSIX_FADV_DONTNEED) for the complete file. Apple platforms only support disabling the cache for further
// accesses (F_NOCACHE). This is a hint, and failures are ignored.
void csystem_discard_cache(int descriptor);

// The two halves of a device number, which are macros in C.
unsigned int csystem_device_major(uint64_t device);
unsigned int csystem_device_minor(uint64_t device);

// Whether the processor has instructions for CRC-32C: SSE 4.2 on x86, the CRC extension on ARM. It is determined before
// main and never changes, so that it can be checked for each line.
extern bool csystem_crc32c_availability;
static inline bool csystem_crc32c_is_available(void) { return csystem_crc32c_availability; }

// Adds `count` bytes to a CRC-32C. `state` is the register, without the inversions at both ends.
// Requires csystem_crc32c_is_available.
uint32_t csystem_crc32c_update(uint32_t state, const void *bytes, size_t count);

// Whether the processor has instructions for SHA-256: the SHA extensions of x86, or those of ARMv8.
bool csystem_sha256_is_available(void);

// Adds `blockCount` blocks of 64 bytes to the eight words of a SHA-256 state. Requires csystem_sha256_is_available.
void csystem_sha256_update(uint32_t state[8], const void *bytes, size_t blockCount);

// Fills memory with random bytes of the system: getrandom on Linux, else arc4random_buf. Returns 0 or the error number, ENOSYS
// if the system lacks the call; the bytes are then undefined.
int csystem_fill_random(void *bytes, size_t count);

// Switches the terminal to full-screen mode: unbuffered keys without echo. Until csystem_terminal_leave, `exit` and every
// signal of a crash also restore it: they write `farewell` to `output` (at most 256 bytes) and restore the attributes of
// `input`. Returns 0 or the error number; EBUSY if the terminal is already in this mode.
int csystem_terminal_enter(int input, int output, const void *farewell, size_t count);

// Sets the attributes of the terminal again, after other processes may have changed them while this one was stopped.
// Returns 0 or the error number; EINVAL if the terminal is not in full-screen mode.
int csystem_terminal_renew(void);

// Restores the terminal. Async-signal-safe; a second call does nothing.
void csystem_terminal_leave(void);

// ioctl(TIOCGWINSZ).
bool csystem_terminal_size(int descriptor, int *columns, int *rows);

// Writes each of these signals as a byte to a nonblocking pipe, instead of its default action. Signals that the process
// ignores stay ignored, and signals of csystem_signals_end are not changed. Returns 0 or the error number; EBUSY if
// signals are already forwarded.
int csystem_signals_forward(const int *numbers, size_t count, int descriptor);

// Restores the previous actions of the signals.
void csystem_signals_release(void);

// Writes each of these termination signals as a byte to a nonblocking pipe until the process ends. Signals that the
// process ignores stay ignored. Returns 0 or the error number; EBUSY the second time.
int csystem_signals_end(const int *numbers, size_t count, int descriptor);

// Performs the default action of SIGTSTP: stops the process until SIGCONT.
void csystem_signals_stop(void);

#ifdef __cplusplus
}
#endif

#endif
