import Foundation
import Platform

/// The two ends of a pseudo-terminal. The program's end is kept open, so that its attributes can be checked after the
/// program has ended.
final class PseudoTerminalDevice: Sendable {
  private struct Ends: Sendable {
    var program: Int32
    /// A pipe that wakes the reader to stop it.
    var wake: Int32
  }

  let path: String
  private let ends: Locked<Ends?>
  private let window: Int32
  private let wakeReading: Int32

  init(columns: Int, rows: Int) throws {
    let window = try Self.openWindow()
    path = try Self.path(of: window)
    let program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard program >= 0 else { throw SystemFailure("open \(path)") }
    var pipe: [Int32] = [-1, -1]
    try Spawn.lock.withLock { _ in
      guard Foundation.pipe(&pipe) == 0 else { throw SystemFailure("pipe") }
      for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    self.window = window
    wakeReading = pipe[0]
    ends = Locked(Ends(program: program, wake: pipe[1]))
    try setSize(columns: columns, rows: rows)
  }

  deinit { close() }

  /// Waits for output of a program. Blocks; for one reader.
  ///
  /// - Returns: `nil` if the terminal is closed.
  func read() -> [UInt8]? {
    while true {
      var entries = [
        pollfd(fd: wakeReading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: window, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&entries, 2, -1) < 0, errno != EINTR { return nil }
      if entries[0].revents != 0 { return nil }
      guard entries[1].revents != 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = Foundation.read(window, &buffer, buffer.count)
      if count > 0 { return Array(buffer.prefix(count)) }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  func write(_ bytes: [UInt8]) throws {
    guard ends.withLock({ ends in ends != nil }) else { throw SystemFailure("write", EBADF) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer in Foundation.write(window, buffer.baseAddress, buffer.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw SystemFailure("write")
      }
    }
  }

  func setSize(columns: Int, rows: Int) throws {
    var size = winsize()
    size.ws_col = UInt16(columns)
    size.ws_row = UInt16(rows)
    guard ioctl(window, UInt(TIOCSWINSZ), &size) == 0 else { throw SystemFailure("ioctl TIOCSWINSZ") }
  }

  /// Whether input is echoed and arrives in lines, and output is processed, as expected by a shell.
  func isCooked() throws -> Bool {
    var attributes = termios()
    let result = ends.withLock { ends in ends.map { ends in tcgetattr(ends.program, &attributes) } }
    guard result == 0 else { throw SystemFailure("tcgetattr") }
    return attributes.c_lflag & tcflag_t(ECHO) != 0 && attributes.c_lflag & tcflag_t(ICANON) != 0
      && attributes.c_oflag & tcflag_t(OPOST) != 0 && attributes.c_iflag & tcflag_t(ICRNL) != 0
  }

  /// Closes the terminal's end. Called by the reader after it has read everything.
  func hangUp() {
    _ = Foundation.close(wakeReading)
    _ = Foundation.close(window)
  }

  /// Ends the reader, which closes the terminal.
  func close() {
    let open = ends.withLock { ends -> Ends? in
      defer { ends = nil }
      return ends
    }
    guard let open else { return }
    var byte: UInt8 = 0
    _ = Foundation.write(open.wake, &byte, 1)
    _ = Foundation.close(open.wake)
    _ = Foundation.close(open.program)
  }

  private static func openWindow() throws -> Int32 {
    #if canImport(Darwin)
    let window = posix_openpt(O_RDWR | O_NOCTTY)
    guard window >= 0, grantpt(window) == 0, unlockpt(window) == 0 else { throw SystemFailure("posix_openpt") }
    _ = fcntl(window, F_SETFD, FD_CLOEXEC)
    #else
    let window = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard window >= 0 else { throw SystemFailure("open /dev/ptmx") }
    // TIOCSPTLCK, which Swift does not import: unlocks the program's end.
    var locked: Int32 = 0
    guard ioctl(window, 0x4004_5431, &locked) == 0 else { throw SystemFailure("ioctl TIOCSPTLCK") }
    #endif
    return window
  }

  private static func path(of window: Int32) throws -> String {
    #if canImport(Darwin)
    guard let name = ptsname(window) else { throw SystemFailure("ptsname") }
    return String(cString: name)
    #else
    // TIOCGPTN: the number of the program's end.
    var number: Int32 = 0
    guard ioctl(window, 0x8004_5430, &number) == 0 else { throw SystemFailure("ioctl TIOCGPTN") }
    return "/dev/pts/\(number)"
    #endif
  }
}
