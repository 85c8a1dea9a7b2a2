import CSystem
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The thread that waits for keys and for signals, and posts both as events.
///
/// Signals arrive through a pipe that their handler writes into, so that one `poll` waits for everything. A byte of 0 in
/// that pipe ends the thread, one of 255 lets it look anew whether there is room for keys.
final class TerminalReader: Sendable {
  /// What the descriptor gives.
  enum Kind: Sendable {
    /// Each key as it is pressed.
    case keys
    /// Lines of keys: from a terminal that sends lines only, or from no terminal. An empty line is Enter.
    case lines
  }

  /// More than anybody types between two readings; a paste takes a few.
  private static let readLimitBytes = 4_096
  /// What is written into the pipe besides the numbers of signals.
  private static let (end, room): (UInt8, UInt8) = (0, 255)
  /// A line that is longer is taken in several pieces.
  private static let lineLimitBytes = 1 << 16

  private let descriptor: Int32
  private let kind: Kind
  private let events: TerminalEvents
  private let signalPipe: (reading: Int32, writing: Int32)

  init(descriptor: Int32, kind: Kind, events: TerminalEvents) throws(TerminalError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TerminalError(.system, "pipe", errorNumber: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A handler must never wait, however many signals come.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.descriptor = descriptor
    self.kind = kind
    self.events = events
    // Where there is no screen to give back, suspending is nobody's business.
    let signals = [SIGINT, SIGTERM, SIGHUP] + (kind == .keys ? [SIGTSTP, SIGCONT, SIGWINCH] : [])
    let result = csystem_signals_forward(signals, signals.count, ends[1])
    guard result == 0 else {
      for end in ends { _ = TerminalReader.close(end) }
      throw result == EBUSY
        ? TerminalError(.busy, "signals") : TerminalError(.system, "sigaction", errorNumber: result)
    }
    // Last of all: what is whole is ended by `deinit`, which closes them, too.
    signalPipe = (ends[0], ends[1])
  }

  /// - Throws: When the system gives no thread; the signals are given back then.
  func start() throws(TerminalError) {
    if SystemThread.start({ [self] in run() }) { return }
    stop()
    throw TerminalError(.system, "a thread for keys", errorNumber: EAGAIN)
  }

  /// Gives the signals back and ends the thread. Nobody waits for it: what it is reading at this moment is posted still.
  func stop() {
    csystem_signals_release()
    // The pipe is closed by whoever uses it last: the thread, which reads this byte, or nobody if it never started.
    wake(Self.end)
  }

  deinit {
    for end in [signalPipe.reading, signalPipe.writing] { _ = Self.close(end) }
  }

  private static func close(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    Darwin.close(descriptor)
    #elseif canImport(Glibc)
    Glibc.close(descriptor)
    #else
    Musl.close(descriptor)
    #endif
  }
}

// MARK: - Waiting

extension TerminalReader {
  private func run() {
    var decoder = KeyDecoder()
    var line: [UInt8] = []
    var isOpen = true
    var stopCount = 0
    while true {
      var entries = [
        pollfd(fd: signalPipe.reading, events: Int16(POLLIN), revents: 0),
        // A descriptor below zero is passed over: after the end of the keys only signals are waited for.
        pollfd(fd: isOpen && hasRoom ? descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&entries, nfds_t(entries.count), decoder.patience.map(milliseconds) ?? -1)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        return events.post(.failed(TerminalError(.system, "poll", errorNumber: errno)))
      }
      if entries[0].revents != 0 {
        guard takeSignals(&stopCount) else { return }
      }
      if entries[1].revents != 0 {
        isOpen = takeInput(&decoder, &line)
      } else if count == 0 {
        post(decoder.giveUp())
      }
    }
  }

  /// Whether keys may come now. While not, signals are waited for alone; the loop of the application ends that.
  private var hasRoom: Bool {
    events.hasRoom { [weak self] in self?.wake(Self.room) }
  }

  private func wake(_ byte: UInt8) {
    var byte = byte
    // A pipe that is full wakes the thread all the same.
    _ = write(signalPipe.writing, &byte, 1)
  }

  private func milliseconds(_ duration: Duration) -> Int32 {
    Int32(clamping: Int(duration / .milliseconds(1)))
  }

  private func post(_ keys: [Key]) {
    if !keys.isEmpty { events.post(.keys(keys)) }
  }

  /// - Returns: Whether more can come.
  private func takeInput(_ decoder: inout KeyDecoder, _ line: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: Self.readLimitBytes)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      switch kind {
      case .keys: post(decoder.decode(buffer.prefix(count)))
      case .lines: takeLines(buffer.prefix(count), &line)
      }
      return true
    }
    let errorNumber = count < 0 ? errno : 0
    if errorNumber == EINTR || errorNumber == EAGAIN { return true }
    post(decoder.giveUp())
    if !line.isEmpty { post(Self.keys(inLine: line)) }
    // The terminal went away (EIO): as much an end as any other.
    events.post(
      errorNumber == 0 || errorNumber == EIO
        ? .ended : .failed(TerminalError(.system, "read", errorNumber: errorNumber)))
    return false
  }

  private func takeLines(_ bytes: ArraySlice<UInt8>, _ line: inout [UInt8]) {
    for byte in bytes {
      if byte == 0x0A || line.count >= Self.lineLimitBytes {
        post(Self.keys(inLine: line))
        line = []
      }
      if byte != 0x0A { line.append(byte) }
    }
  }

  private static func keys(inLine line: [UInt8]) -> [Key] {
    if line.isEmpty { return [.enter] }
    var decoder = KeyDecoder()
    return decoder.decode(line) + decoder.giveUp()
  }

  /// - Returns: Whether the thread goes on.
  private func takeSignals(_ stopCount: inout Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(signalPipe.reading, &buffer, buffer.count)
    guard count > 0 else { return true }
    for number in buffer.prefix(count).map(Int32.init) {
      switch number {
      case Int32(Self.end): return false
      case Int32(Self.room): break
      case SIGWINCH: events.post(.resized)
      case SIGTSTP: events.post(.suspended)
      case SIGCONT: events.post(.continued)
      default:
        stopCount += 1
        // The application did not end when it was asked: whoever asks again means it.
        if stopCount > 1 {
          csystem_terminal_leave()
          TerminalEnding.signal(number).exitProcess()
        }
        events.post(.stopped(.signal(number)))
      }
    }
    return true
  }
}
