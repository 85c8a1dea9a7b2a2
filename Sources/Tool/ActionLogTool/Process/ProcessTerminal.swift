import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
