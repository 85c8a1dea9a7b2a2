import ActionLog
import Foundation
import TerminalUI
import TestSupport
import Testing

/// Keys that come faster than what they draw can be taken.
@Suite(.timeLimit(.minutes(60))) @MainActor struct BackPressureTests {
  /// Counts what is typed; each count is a line that another process has to read.
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

    /// Writes until nothing more goes in.
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

  /// Far more than what may wait.
  private static let offeredBytes = 8 << 20

  @Test func whatNobodyTakesStaysWhereItComesFrom() async throws {
    let (keys, screens) = (try Pipe(), try Pipe())
    // Not even the first screen is taken; keys are offered without waiting.
    screens.fill()
    _ = fcntl(keys.writing, F_SETFL, O_NONBLOCK)
    let tally = Tally()
    let application = TerminalApplication(
      tally, options: TerminalOptions(input: keys.reading, output: screens.writing, variables: ["TERM": "dumb"]))
    let ending = Task { try await application.run() }

    let line = Array(("+" + String(repeating: "x", count: 62) + "\n").utf8)
    var taken = 0
    // Full for a second is full; a machine that is slower than that lets the test pass, and nothing else.
    var refusals = 0
    while taken < Self.offeredBytes, refusals < 100 {
      let count = write(keys.writing, line, line.count)
      if count > 0 {
        #expect(count == line.count, "what is shorter than a page is written as a whole")
        taken += count
        refusals = 0
      } else {
        refusals += 1
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    // The pipe's own 64 KiB, what waits, and what was read at once beyond that.
    #expect(taken < 512 << 10)

    // Nothing of it is lost when somebody reads the screens.
    close(keys.writing)
    let reading = Task {
      await OffPool.run {
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
