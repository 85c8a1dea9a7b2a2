import CSystem
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread that waits for keys and signals, and posts both as events.
///
/// The signal handler writes into a pipe, so that one `poll` waits for everything. A byte 0 in that pipe ends the thread; a
/// byte 255 makes it check again whether there is room for keys.
final class TerminalReader: Sendable {
  enum Kind: Sendable {
    /// Single keys, from a terminal in raw mode.
    case keys
    /// Lines of keys, from any other descriptor. An empty line is Enter.
    case lines
  }

  /// The size of a read: more than a user types between two reads. A paste takes a few.
  private static let readLimitBytes = 4_096
  /// The bytes in the pipe that are not signal numbers.
  private static let (end, room): (UInt8, UInt8) = (0, 255)
  /// The longest line. A longer one is handled in several parts.
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
      // The signal handler must never block.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.descriptor = descriptor
    self.kind = kind
    self.events = events
    // Without a screen there is nothing to restore when the process is suspended.
    let signals = [SIGINT, SIGTERM, SIGHUP] + (kind == .keys ? [SIGTSTP, SIGCONT, SIGWINCH] : [])
    let result = csystem_signals_forward(signals, signals.count, ends[1])
    guard result == 0 else {
      for end in ends { _ = close(end) }
      throw result == EBUSY
        ? TerminalError(.busy, "signals") : TerminalError(.system, "sigaction", errorNumber: result)
    }
    // Assigned last: once the object is initialized, `deinit` closes the pipe.
    signalPipe = (ends[0], ends[1])
  }

  /// - Throws: If no thread can be created. The signal handlers are then restored.
  func start() throws(TerminalError) {
    if SystemThread.start({ [self] in run() }) { return }
    stop()
    throw TerminalError(.system, "creating a thread", errorNumber: EAGAIN)
  }

  /// Restores the signal handlers and ends the thread, without waiting for it. Keys from a pending read are still posted.
  func stop() {
    csystem_signals_release()
    // The pipe is closed with the last reference: that of the thread, or of the caller if no thread was started.
    wake(Self.end)
  }

  deinit {
    for end in [signalPipe.reading, signalPipe.writing] { _ = close(end) }
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
        // `poll` ignores negative descriptors. After the end of the input, the thread waits for signals only.
        pollfd(fd: isOpen && hasRoom ? descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&entries, nfds_t(entries.count), decoder.timeout.map(milliseconds) ?? -1)
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
        post(decoder.flush())
      }
    }
  }

  /// Whether there is room for keys. Otherwise the thread waits for signals only, until the event loop wakes it.
  private var hasRoom: Bool {
    events.hasRoom { [weak self] in self?.wake(Self.room) }
  }

  private func wake(_ byte: UInt8) {
    var byte = byte
    // If the pipe is full, the thread wakes up anyway.
    _ = write(signalPipe.writing, &byte, 1)
  }

  private func milliseconds(_ duration: Duration) -> Int32 {
    Int32(clamping: Int(duration / .milliseconds(1)))
  }

  private func post(_ keys: [Key]) {
    if !keys.isEmpty { events.post(.keys(keys)) }
  }

  /// - Returns: Whether the input is still open.
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
    post(decoder.flush())
    if !line.isEmpty { post(Self.keys(inLine: line)) }
    // EIO: the terminal was disconnected.
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
    return decoder.decode(line) + decoder.flush()
  }

  /// - Returns: Whether the thread continues.
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
        // The application ignored the first signal: a second one ends the process.
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

enum TerminalEvent: Sendable {
  case keys([Key])
  case changed
  case resized
  /// The user suspends the process.
  case suspended
  case continued
  case stopped(TerminalEnding)
  case ended
  case failed(TerminalError)
}

/// A queue of events from any thread, with one consumer.
///
/// Keys can arrive faster than the screen handles them and the terminal draws. The reader therefore checks first whether there
/// is room; while there is none, keys stay in the input.
final class TerminalEvents: Sendable {
  private struct Contents: Sendable {
    var waiting: [TerminalEvent] = []
    var waitingKeyCount = 0
    var consumer: CheckedContinuation<[TerminalEvent], Never>?
    var onRoom: (@Sendable () -> Void)?
  }

  /// The most queued keys: a few reads of a paste, and more than a user types ahead.
  private static let keyLimit = 1 << 14

  private let contents = Locked(Contents())

  /// Whether there is room for keys. If not, `onRoom` is called once, on any thread, when there is; it must not block.
  func hasRoom(orNotify onRoom: @escaping @Sendable () -> Void) -> Bool {
    contents.withLock { contents in
      guard contents.waitingKeyCount >= Self.keyLimit else { return true }
      contents.onRoom = onRoom
      return false
    }
  }

  func post(_ event: TerminalEvent) {
    let consumer = contents.withLock { contents -> CheckedContinuation<[TerminalEvent], Never>? in
      guard let consumer = contents.consumer else {
        contents.waiting.append(event)
        if case .keys(let keys) = event { contents.waitingKeyCount += keys.count }
        return nil
      }
      contents.consumer = nil
      return consumer
    }
    consumer?.resume(returning: [event])
  }

  /// Waits for events, and returns all queued ones in order.
  func next() async -> [TerminalEvent] {
    await withCheckedContinuation { continuation in
      let (events, onRoom) = contents.withLock { contents -> ([TerminalEvent], (@Sendable () -> Void)?) in
        let (events, onRoom) = (contents.waiting, contents.onRoom)
        contents = Contents(consumer: events.isEmpty ? continuation : nil)
        return (events, onRoom)
      }
      onRoom?()
      if !events.isEmpty { continuation.resume(returning: events) }
    }
  }
}
