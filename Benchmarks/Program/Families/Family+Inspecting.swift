import BenchmarkKit
import Foundation
import JSONCoding

extension Family {
  /// The page of `inspect` over the long log, in a real browser: from a cold start to its end.
  @MainActor static func inspecting(_ data: DataSet) -> Family {
    Family(
      "inspecting",
      [
        Contender(Name.inspect, unit: "session", count: 1) {
          let log = try data.log(data.sizes.logActions)
          let browser = try Browser(directory: try data.scratch("browser"))
          do {
            let session = try InspectorSession(log: log, last: data.sizes.logActions, browser)
            return { try session.run(steps: data.sizes.seeks) }
          } catch {
            browser.close()
            throw error
          }
        }
      ])
  }
}

/// A server of its own, and a page.
@MainActor private final class InspectorSession {
  private let browser: Browser
  private let last: Int
  private let server = Process()
  private let address: String

  /// Notes when the first action is in the list.
  private static let script = """
    { const times = globalThis.benchmarkTimes = { list: 0 };
      const frame = () => {
        if (document.querySelector("#actions .row .time")) times.list = performance.now();
        else requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame); }
    """

  /// Starts the server at the first action, so that the end is far.
  init(log: String, last: Int, _ browser: Browser) throws {
    (self.browser, self.last) = (browser, last)
    let tool = try ChildProcess.tool()
    let pipe = Pipe()
    server.executableURL = URL(fileURLWithPath: tool)
    server.arguments = ["inspect", log, "--at", "1", "--json"]
    server.standardOutput = pipe
    try server.run()
    var line = Data()
    while !line.contains(0x0A), case let more = pipe.fileHandleForReading.availableData, !more.isEmpty { line += more }
    guard case .string(let address) = try JSONValue(parsing: Array(line)).member("url") else {
      server.terminate()
      throw HarnessError("inspect printed no address: \(String(decoding: line, as: UTF8.self))")
    }
    self.address = address
  }

  func run(steps: Int) throws -> RoundResult {
    defer {
      // Not an interrupt: a shell starts its jobs in the background with that signal ignored, and they pass it on.
      server.terminate()
      server.waitUntilExit()
      browser.close()
    }
    let clock = ContinuousClock()
    let start = clock.now
    try browser.open(address, script: Self.script)
    // The index is read from the first request for the log on, that of the page or this one.
    while try indexed() < last { usleep(5_000) }
    let indexTime = clock.now - start
    try browser.wait(for: "globalThis.actionLog?.isSettled() && benchmarkTimes.list > 0")
    let first = try browser.numbers(
      """
      [performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.getEntriesByType("paint")[0].startTime,
       benchmarkTimes.list]
      """)
    let jump = try browser.numbers(Self.jump(to: last))
    let before = try processorTime()
    let times = try browser.numbers(Self.walk(from: last, steps: steps))
    let stepTime = (try processorTime() - before) / Double(steps)
    guard first.count == 2, jump.count == 2, times.count == steps else { throw HarnessError("the page lost figures") }
    let metrics = [
      "firstPaintNanoseconds": first[0] * 1e6, "listNanoseconds": first[1] * 1e6,
      "indexNanoseconds": indexTime.nanoseconds, "jumpNanoseconds": jump[0] * 1e6, "progressNanoseconds": jump[1] * 1e6,
      "stepNanoseconds": times.median * 1e6, "stepProcessorNanoseconds": stepTime,
      "serverMebibytes": ProcessMemory.mebibytes("VmHWM:", of: server.processIdentifier),
      "pageMebibytes": try browser.pageMebibytes(),
    ]
    guard case .number(let revision) = try browser.value("actionLog.revision()"), let hash = UInt64(revision.text)
    else {
      throw HarnessError("the page has no revision")
    }
    return RoundResult(hash: hash, nanoseconds: (clock.now - start).nanoseconds, metrics: metrics)
  }

  /// The milliseconds until the state of a revision is shown, and until the page shows progress: at most as many.
  private static func jump(to revision: Int) -> String {
    """
    (async () => {
      const start = performance.now();
      let progress = 0;
      actionLog.go(\(revision));
      const live = document.getElementById("live");
      while (!live.textContent.startsWith("revision \(revision) of ")) {
        if (!progress && live.textContent.startsWith("folding")) progress = performance.now() - start;
        await new Promise((done) => setTimeout(done, 5));
      }
      const end = performance.now() - start;
      return [end, progress || end];
    })()
    """
  }

  /// The milliseconds until the state is shown, of each of some steps back. The causes of an action follow later.
  private static func walk(from revision: Int, steps: Int) -> String {
    """
    (async () => {
      const times = [], live = document.getElementById("live");
      for (let revision = \(revision) - 1; revision >= \(revision) - \(steps); revision--) {
        const start = performance.now();
        await actionLog.go(revision);
        while (!live.textContent.startsWith("revision " + revision + " of ")) await new Promise((done) => setTimeout(done, 1));
        times.push(performance.now() - start);
      }
      return times;
    })()
    """
  }

  /// The revision up to which the server has counted.
  private func indexed() throws -> Int {
    let script = "globalThis.actionLog?.send('GET', 'log').then((text) => [JSON.parse(text).indexed]) ?? [0]"
    return try browser.numbers(script).first.map { number in Int(number) } ?? 0
  }

  /// The processor time of the server, in nanoseconds. The system counts it in hundredths of a second.
  private func processorTime() throws -> Double {
    let path = "/proc/\(server.processIdentifier)/stat"
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Missing("there is no \(path), which has the processor time of a process")
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let end = text.lastIndex(of: ")") else { throw HarnessError("\(path) has no processor time") }
    // utime and stime are the 14th and the 15th field, and the name is the 2nd.
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      throw HarnessError("\(path) has no processor time")
    }
    return (user + system) * 1e9 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
