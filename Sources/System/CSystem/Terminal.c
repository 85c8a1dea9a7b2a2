#include "CSystem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// Restoring the terminal must work from a signal handler, while the heap or the Swift runtime may be in any state. Its
// data is therefore static, is written before the flag is set, and is used only by async-signal-safe calls.

enum { FAREWELL_LIMIT = 256, SIGNAL_LIMIT = 16 };

static struct termios original;
static char farewell[FAREWELL_LIMIT];
static size_t farewellCount;
static int terminalInput = -1;
static int terminalOutput = -1;
static atomic_bool isHeld;

// The signals of a crash. Other handlers for them, such as a backtracer, run afterward.
static const int fatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { FATAL_COUNT = sizeof fatalSignals / sizeof *fatalSignals };
static struct sigaction fatalActions[FATAL_COUNT];
static atomic_bool isGuarded;

static void restoreTerminal(void) {
  if (!atomic_exchange(&isHeld, false)) return;
  int number = errno;
  const char *rest = farewell;
  size_t count = farewellCount;
  while (count > 0) {
    ssize_t written = write(terminalOutput, rest, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      break;
    }
    rest += written;
    count -= (size_t)written;
  }
  // In the background, this call would stop the process, which is about to end or to leave the terminal.
  sigset_t blocked, previous;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, &previous);
  while (tcsetattr(terminalInput, TCSANOW, &original) != 0 && errno == EINTR) {}
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  errno = number;
}

static void dieOf(int number) {
  restoreTerminal();
  for (size_t index = 0; index < FATAL_COUNT; index++) {
    if (fatalSignals[index] == number) sigaction(number, &fatalActions[index], NULL);
  }
  // A fault is raised again when the handler returns; a signal sent by a process is not.
  raise(number);
}

static void guard(void) {
  if (atomic_exchange(&isGuarded, true)) return;
  atexit(restoreTerminal);
  for (size_t index = 0; index < FATAL_COUNT; index++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = dieOf;
    // The stack may be exhausted.
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(fatalSignals[index], &action, &fatalActions[index]);
  }
}

// In the background, this call stops the process until it is in the foreground, as intended.
static int makeRaw(void) {
  struct termios raw = original;
  // Keys arrive one by one, without echo or translation. The keys for signals (Ctrl-C, Ctrl-Z) still work, even if the
  // program does not respond. Ctrl-S is disabled: it would freeze the screen.
  raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN);
  raw.c_oflag &= ~(tcflag_t)(OPOST);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  // Keep the input typed so far.
  while (tcsetattr(terminalInput, TCSADRAIN, &raw) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int csystem_terminal_enter(int input, int output, const void *bytes, size_t count) {
  if (atomic_load(&isHeld)) return EBUSY;
  if (count > FAREWELL_LIMIT) return EINVAL;
  if (tcgetattr(input, &original) != 0) return errno;
  memcpy(farewell, bytes, count);
  farewellCount = count;
  terminalInput = input;
  terminalOutput = output;
  guard();
  atomic_store(&isHeld, true);
  int number = makeRaw();
  if (number != 0) atomic_store(&isHeld, false);
  return number;
}

int csystem_terminal_renew(void) {
  return atomic_load(&isHeld) ? makeRaw() : EINVAL;
}

void csystem_terminal_leave(void) {
  restoreTerminal();
}

bool csystem_terminal_size(int descriptor, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return false;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return true;
}

// MARK: Signals as bytes in a pipe

static atomic_int signalDescriptor = -1;
static int forwarded[SIGNAL_LIMIT];
static struct sigaction forwardedActions[SIGNAL_LIMIT];
static size_t forwardedCount;
static atomic_int endingDescriptor = -1;

static void tell(atomic_int *pipe, int number) {
  int saved = errno;
  int descriptor = atomic_load(pipe);
  unsigned char byte = (unsigned char)number;
  // A full pipe already contains enough signals.
  if (descriptor >= 0 && write(descriptor, &byte, 1) < 0) {}
  errno = saved;
}

static void forwardSignal(int number) { tell(&signalDescriptor, number); }

static void tellOfEnding(int number) { tell(&endingDescriptor, number); }

static void install(int number, void (*handler)(int), struct sigaction *previous) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, previous);
}

int csystem_signals_forward(const int *numbers, size_t count, int descriptor) {
  if (count > SIGNAL_LIMIT) return EINVAL;
  int none = -1;
  if (!atomic_compare_exchange_strong(&signalDescriptor, &none, descriptor)) return EBUSY;
  forwardedCount = 0;
  for (size_t index = 0; index < count; index++) {
    struct sigaction previous;
    if (sigaction(numbers[index], NULL, &previous) != 0) {
      int number = errno;
      csystem_signals_release();
      return number;
    }
    // The parent process ignores the signal for the process, as nohup does, or the program itself handles it.
    if (previous.sa_handler == SIG_IGN || previous.sa_handler == tellOfEnding) continue;
    forwarded[forwardedCount] = numbers[index];
    install(numbers[index], forwardSignal, &forwardedActions[forwardedCount]);
    forwardedCount++;
  }
  return 0;
}

void csystem_signals_release(void) {
  for (size_t index = 0; index < forwardedCount; index++) {
    sigaction(forwarded[index], &forwardedActions[index], NULL);
  }
  forwardedCount = 0;
  atomic_store(&signalDescriptor, -1);
}

int csystem_signals_end(const int *numbers, size_t count, int descriptor) {
  int none = -1;
  if (!atomic_compare_exchange_strong(&endingDescriptor, &none, descriptor)) return EBUSY;
  for (size_t index = 0; index < count; index++) {
    struct sigaction previous;
    if (sigaction(numbers[index], NULL, &previous) != 0) return errno;
    if (previous.sa_handler != SIG_IGN) install(numbers[index], tellOfEnding, &previous);
  }
  return 0;
}

void csystem_signals_stop(void) {
  struct sigaction usual, previous;
  memset(&usual, 0, sizeof usual);
  usual.sa_handler = SIG_DFL;
  sigemptyset(&usual.sa_mask);
  sigaction(SIGTSTP, &usual, &previous);
  sigset_t open, mask;
  sigemptyset(&open);
  sigaddset(&open, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &open, &mask);
  // Stops until SIGCONT. The system does not stop a process that no shell could resume.
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigaction(SIGTSTP, &previous, NULL);
}
