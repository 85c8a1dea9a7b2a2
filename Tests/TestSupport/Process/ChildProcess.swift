import ActionLog
package import Foundation
import Platform

/// A program that a test has started, to be ended and waited for.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  package let processID: pid_t
  /// How it ended, once it was waited for: its number may then belong to another process.
  private let ending = Locked<Ending?>(nil)

  /// - Parameter processID: A process that nobody has waited for.
  package init(_ processID: pid_t) {
    self.processID = processID
  }

  deinit {
    kill(SIGKILL)
    _ = reap()
  }

  /// Sends a signal, if the process was not waited for yet.
  package func kill(_ number: Int32) {
    ending.withLock { ending in
      if ending == nil { _ = Foundation.kill(processID, number) }
    }
  }

  /// Stops the process, and waits until each of its threads stands still.
  ///
  /// `SIGSTOP` is delivered to one thread; on a busy machine the others go on until that thread has run.
  package func stop() async throws {
    kill(SIGSTOP)
    try await OffPool.run { [self] in
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, WSTOPPED | WEXITED | WNOWAIT) != 0 {
        guard errno == EINTR else { throw SystemFailure("waitid") }
      }
    }
  }

  /// Waits until the process has ended.
  package func wait() async throws -> Ending {
    await OffPool.run { [self] in
      // Waits without taking the process away, so that its number cannot be given to another one before the lock is held.
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0 {
        guard errno == EINTR else { break }
      }
      return reap()
    }
  }

  private func reap() -> Ending {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      // WIFEXITED and its like are macros that Swift does not see.
      let signal = status & 0x7F
      let result = signal == 0 ? Ending.status((status >> 8) & 0xFF) : .signal(signal)
      ending = result
      return result
    }
  }
}
