import Foundation
import Platform
import TerminalUI
import TestSupport
import Testing

/// Back pressure: keys that arrive faster than the output accepts screens.
@Suite(.timeLimit(.minutes(60))) @MainActor struct BackPressureTests {
  /// A screen that counts keys.
  private final class Tally: TerminalScreen {
    private(set) var count = 0

    func render(on canvas: Canvas) {
      for row in 0..<canvas.height { canvas.write("row \(row): \(count)", row: row) }
    }

    func handle(_ key: Key) -> KeyResponse {
      count += 1
      return .handled
    }
  }

  private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }

    /// Writes until the pipe is full.
    func fill() {
      let flags = fcntl(writing, F_GETFL)
      _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
      for size in [4_096, 1] {
        let piece = [UInt8](repeating: 0x2E, count: size)
        while write(writing, piece, size) > 0 {}
      }
      _ = fcntl(writing, F_SETFL, flags)
    }
  }

  /// Far more than the event queue accepts.
  private static let offeredBytes = 8 << 20

  @Test func keysStayInTheInputWhileTheOutputBlocks() async throws {
    let (keys, screens) = (try Pipe(), try Pipe())
    // The output does not even accept the first screen; keys are written without blocking.
    screens.fill()
    _ = fcntl(keys.writing, F_SETFL, O_NONBLOCK)
    let tally = Tally()
    let application = TerminalApplication(
      tally, options: TerminalOptions(input: keys.reading, output: screens.writing, variables: ["TERM": "dumb"]))
    let ending = Task { try await application.run() }

    let line = Array(("+" + String(repeating: "x", count: 62) + "\n").utf8)
    var taken = 0
    // The pipe counts as full after a second without progress. On a slower machine the test is weaker but passes.
    var refusals = 0
    while taken < Self.offeredBytes, refusals < 100 {
      let count = write(keys.writing, line, line.count)
      if count > 0 {
        #expect(count == line.count, "writes shorter than a page are atomic")
        taken += count
        refusals = 0
      } else {
        refusals += 1
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    // The pipe's own 64 KiB, the event queue, and one read beyond that.
    #expect(taken < 512 << 10)

    // Nothing is lost once the screens are read.
    close(keys.writing)
    let reading = Task {
      await BlockingWork.run {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(screens.reading, &buffer, buffer.count) > 0 {}
      }
    }
    #expect(try await ending.value == .inputEnded)
    close(screens.writing)
    await reading.value
    for end in [keys.reading, screens.reading] { close(end) }
    #expect(tally.count == taken / line.count * (line.count - 1))
  }
}
