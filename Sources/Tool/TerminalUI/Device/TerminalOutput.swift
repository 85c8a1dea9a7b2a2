import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writing to a descriptor that may be slow, and may go away.
enum TerminalOutput {
  private static let thread = SerialThread()

  /// Writes all the bytes, on a thread that may block.
  ///
  /// - Returns: Whether there is still somebody who reads.
  static func write(_ bytes: [UInt8], to descriptor: Int32) async throws(TerminalError) -> Bool {
    let errorNumber = await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
      thread.async { continuation.resume(returning: writeAll(bytes, to: descriptor)) }
    }
    return try isPresent(errorNumber)
  }

  /// Writes all the bytes. Blocks.
  ///
  /// - Returns: 0, or the error number.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer in systemWrite(descriptor, buffer.baseAddress, buffer.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Somebody handed over a descriptor that does not block; wait as if it did.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      case let number: return number
      }
    }
    return 0
  }

  /// Whether there is still somebody who reads.
  ///
  /// - Throws: What else went wrong.
  static func isPresent(_ errorNumber: Int32) throws(TerminalError) -> Bool {
    switch errorNumber {
    case 0: true
    // The window was closed, or the line was cut: as much an end as any other.
    case EIO, EPIPE, ENXIO: false
    default: throw TerminalError(.system, "write", errorNumber: errorNumber)
    }
  }
}

/// The system's `write`, which ``TerminalOutput/writeAll(_:to:)`` hides inside the type.
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}
