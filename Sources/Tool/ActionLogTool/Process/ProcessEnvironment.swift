import ActionLog
import Foundation
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ToolEnvironment {
  /// The environment of the process: its standard streams, variables, directories and clock.
  public static func process() -> ToolEnvironment {
    let stop = StopRequest()
    let start = ContinuousClock.now
    let descriptors = StandardDescriptors.take()
    let isTerminal = [descriptors.input, descriptors.output, descriptors.messages].map { descriptor in
      isatty(descriptor) == 1
    }
    return ToolEnvironment(
      standardInput: FileDescriptorInput(descriptor: descriptors.input, stop: stop),
      standardOutput: FileDescriptorOutput(descriptor: descriptors.output),
      standardError: FileDescriptorOutput(descriptor: descriptors.messages),
      inputIsTerminal: isTerminal[0],
      outputIsTerminal: isTerminal[1],
      errorIsTerminal: isTerminal[2],
      terminal: isTerminal[0] && isTerminal[1] ? ProcessTerminal() : nil,
      variables: ProcessInfo.processInfo.environment,
      temporaryDirectory: FileManager.default.temporaryDirectory.path,
      fileSystem: POSIXFileSystem(),
      stop: stop,
      uptime: { start.duration(to: .now) },
      pause: { duration in stop.wait(for: duration) },
      rerun: { arguments in try ProgramRerun.run(arguments) },
      startChild: { arguments in try ProcessChild(arguments) }
    )
  }
}

/// The terminal of standard input and output.
struct ProcessTerminal: ToolTerminal {
  private let saved = Locked<termios?>(nil)

  var size: (columns: Int, rows: Int) {
    var size = winsize()
    // The default size for a terminal that does not report one.
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  func beginKeyInput() throws(ToolStreamError) {
    var attributes = termios()
    guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { throw .failed(errorNumber: errno) }
    saved.withLock { saved in saved = saved ?? attributes }
    // Unbuffered and unechoed keys; signals (Ctrl-C) and output processing are unchanged.
    attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    while tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) != 0 {
      if errno != EINTR { throw .failed(errorNumber: errno) }
    }
  }

  func endKeyInput() {
    let attributes = saved.withLock { saved -> termios? in
      defer { saved = nil }
      return saved
    }
    guard var attributes else { return }
    // If the terminal is gone, there is nothing to restore.
    while tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) != 0, errno == EINTR {}
  }
}
