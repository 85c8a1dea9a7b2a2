import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The browsers of all tests. A test takes one for its page and returns it: starting one takes as long as most tests.
actor BrowserPool {
  static let shared = BrowserPool(limit: 2)

  /// The largest number of browsers. Each takes 200 MiB, and one keeps a processor busy.
  private let limit: Int
  /// The suites that are running. After the last one, the browsers end.
  private var suiteCount = 0
  private var idle: [BrowserProcess] = []
  /// The number of browsers that tests have.
  private var takenCount = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(limit: Int) { self.limit = limit }

  /// Waits for a browser, and starts one if none is idle.
  func take() async throws -> BrowserProcess {
    if takenCount < limit {
      takenCount += 1
    } else {
      // The test that returns a browser leaves its turn to this one.
      await withCheckedContinuation { continuation in waiting.append(continuation) }
    }
    if let browser = idle.popLast() { return browser }
    do {
      return try BrowserProcess()
    } catch {
      putBack(nil)
      throw error
    }
  }

  /// Makes a browser available to the next test.
  ///
  /// - Parameter browser: The browser; `nil` if it has ended.
  func putBack(_ browser: BrowserProcess?) {
    if let browser { idle.append(browser) }
    if waiting.isEmpty { takenCount -= 1 } else { waiting.removeFirst().resume() }
  }

  fileprivate func begin() { suiteCount += 1 }

  fileprivate func end() async throws {
    suiteCount -= 1
    guard suiteCount == 0 else { return }
    let ending = idle
    idle = []
    for browser in ending { try await browser.quit() }
  }
}

/// Keeps browsers between the tests of a suite.
struct SharedBrowsers: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await BrowserPool.shared.begin()
    let result: Result<Void, any Error>
    do { result = .success(try await function()) } catch { result = .failure(error) }
    try await BrowserPool.shared.end()
    try result.get()
  }
}

extension Trait where Self == SharedBrowsers {
  /// Keeps browsers between the tests of the suite.
  static var sharedBrowsers: Self { Self() }
}

/// A browser, which reads commands from a pipe and writes its answers to another.
final class BrowserProcess: Sendable {
  private let directory: TemporaryDirectory
  private let process: ChildProcess
  private let commands: Int32
  private let answers: Int32
  private let unread = Locked<[UInt8]>([])

  init() throws {
    guard let program = HeadlessBrowser.program else {
      throw HeadlessBrowser.Failure(description: HeadlessBrowser.need)
    }
    directory = try TemporaryDirectory()
    let pipes = ["commands", "answers"].map(directory.path)
    for pipe in pipes where mkfifo(pipe, 0o600) != 0 { throw SystemFailure("mkfifo") }
    // Both ends, so that opening does not block.
    commands = open(pipes[0], O_RDWR | O_CLOEXEC)
    answers = open(pipes[1], O_RDWR | O_CLOEXEC)
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    var words = ["sh", "-c", #"in="$1"; out="$2"; shift 2; exec "$@" 3<"$in" 4>"$out""#, "sh"] + pipes
    words += [
      program, "--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
      "--user-data-dir=\(directory.path("profile"))",
    ]
    // The browser's own sandbox refuses to work for root.
    if getuid() == 0 { words.append("--no-sandbox") }
    process = ChildProcess(
      try Spawn.start(
        words + ["about:blank"], streams: Spawn.Streams(input: nothing, output: nothing, messages: nothing)))
  }

  deinit {
    close(commands)
    close(answers)
  }

  /// Ends the browser, and waits until it has ended.
  func quit() async throws {
    try send(["id": 0, "method": "Browser.close"])
    _ = try await process.wait()
  }

  /// Sends a command.
  func send(_ command: JSONValue) throws {
    var bytes = command.bytes()[...]
    bytes.append(0)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { bytes in write(commands, bytes.baseAddress, bytes.count) }
      guard count > 0 else { throw SystemFailure("write") }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Waits for the next answer or event.
  func receive() async throws -> JSONValue {
    while true {
      let message = unread.withLock { unread -> [UInt8]? in
        guard let end = unread.firstIndex(of: 0) else { return nil }
        defer { unread.removeSubrange(...end) }
        return Array(unread[..<end])
      }
      if let message { return try JSONValue(parsing: message) }
      let more = try await BlockingWork.run { [answers] in
        var waiting = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, HeadlessBrowser.guardMilliseconds) > 0 else {
          throw HeadlessBrowser.Failure(description: "the browser says nothing")
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(answers, &buffer, buffer.count)
        guard count > 0 else { throw SystemFailure("read") }
        return Array(buffer.prefix(count))
      }
      unread.withLock { unread in unread += more }
    }
  }
}
