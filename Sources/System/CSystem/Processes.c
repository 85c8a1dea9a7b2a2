// Glibc hides pipe2 and posix_spawn_file_actions_addclosefrom_np without it.
#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int csystem_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
  if (pipe(ends) != 0) return errno;
  for (int index = 0; index < 2; index++) fcntl(ends[index], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

static int set_files(posix_spawn_file_actions_t *actions, int input, int output, int messages) {
  int error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
  if (error != 0) return error;
#if defined(__APPLE__)
  // POSIX_SPAWN_CLOEXEC_DEFAULT closes what is not mentioned.
  if (messages < 0) error = posix_spawn_file_actions_addinherit_np(actions, STDERR_FILENO);
  if (error != 0) return error;
  if (output < 0) return posix_spawn_file_actions_addinherit_np(actions, STDOUT_FILENO);
#endif
  if (output >= 0) {
    error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (error != 0) return error;
  }
  if (messages >= 0) {
    error = posix_spawn_file_actions_adddup2(actions, messages, STDERR_FILENO);
    if (error != 0) return error;
  }
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
  return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
#endif
  return 0;
}

static int set_signals(posix_spawnattr_t *attributes) {
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#if defined(__APPLE__)
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  sigset_t signals;
  sigemptyset(&signals);
  int error = posix_spawnattr_setsigmask(attributes, &signals);
  if (error != 0) return error;
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  error = posix_spawnattr_setsigdefault(attributes, &signals);
  return error != 0 ? error : posix_spawnattr_setflags(attributes, flags);
}

// The system does not tell the ends of child processes where the signal is ignored, as a program may have been started.
static void heed_child_signals(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

int csystem_spawn(
  const char *program, char *const arguments[], char *const variables[], int input, int output, int messages,
  int *process
) {
  heed_child_signals();
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  posix_spawnattr_t attributes;
  error = posix_spawnattr_init(&attributes);
  if (error == 0) {
    pid_t identifier = 0;
    error = set_files(&actions, input, output, messages);
    if (error == 0) error = set_signals(&attributes);
    if (error == 0) error = posix_spawn(&identifier, program, &actions, &attributes, arguments, variables);
    *process = (int)identifier;
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int csystem_await_end(int process, bool reaps, bool waits, int *status, bool *by_signal) {
  siginfo_t information = {0};
  const int options = WEXITED | (reaps ? 0 : WNOWAIT) | (waits ? 0 : WNOHANG);
  while (waitid(P_PID, (id_t)process, &information, options) != 0) {
    if (errno != EINTR) return errno;
  }
  if (information.si_pid == 0) return EAGAIN;
  *by_signal = information.si_code != CLD_EXITED;
  *status = information.si_status;
  return 0;
}
