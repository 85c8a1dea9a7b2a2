import BenchmarkKit
import Foundation
import JSONCoding

/// A headless Chromium with one page, driven by the DevTools protocol over a pair of pipes. Calls block.
@MainActor final class Browser {
  /// Far beyond what anything here takes: it only ends what hangs.
  private static let patienceMilliseconds: Int32 = 120_000

  private let process = Process()
  private let commands: Int32
  private let answers: Int32
  private var unread: [UInt8] = []
  private var number = 0
  private var session: JSONValue?

  /// Starts the browser.
  ///
  /// - Parameter directory: An empty directory for its files.
  /// - Throws: ``Missing`` if the machine has none.
  init(directory: String) throws {
    guard let program = Self.program else { throw Missing("there is no Chromium (Debian: apt-get install chromium)") }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let pipes = ["commands", "answers"].map { name in "\(directory)/\(name)" }
    for pipe in pipes where mkfifo(pipe, 0o600) != 0 { throw HarnessError("mkfifo failed for \(pipe)") }
    // Both ends, so that opening does not block.
    commands = Foundation.open(pipes[0], O_RDWR | O_CLOEXEC)
    answers = Foundation.open(pipes[1], O_RDWR | O_CLOEXEC)
    guard commands >= 0, answers >= 0 else { throw HarnessError("the pipes of the browser cannot be opened") }
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", #"in="$1"; out="$2"; shift 2; exec "$@" 3<"$in" 4>"$out""#, "sh"] + pipes + [
        program, "--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
        "--user-data-dir=\(directory)/profile",
      ] + (getuid() == 0 ? ["--no-sandbox"] : []) + ["about:blank"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let target = try call("Target.createTarget", ["url": "about:blank"])
    let attached = try call("Target.attachToTarget", ["targetId": target.member("targetId"), "flatten": true])
    session = attached.member("sessionId")
    for domain in ["Page", "Runtime"] { _ = try call("\(domain).enable") }
    _ = try call(
      "Emulation.setDeviceMetricsOverride", ["width": 1_200, "height": 800, "deviceScaleFactor": 1, "mobile": false])
  }

  private static var program: String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return ["chromium", "chromium-browser", "google-chrome"].lazy
      .flatMap { name in folders.map { folder in "\(folder)/\(name)" } }
      .first { path in FileManager.default.isExecutableFile(atPath: path) }
  }

  /// Opens an address.
  ///
  /// - Parameter script: Runs before those of the page.
  func open(_ address: String, script: String) throws {
    _ = try call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
    _ = try call("Page.navigate", ["url": .string(address)])
  }

  /// The value of an expression in the page.
  func value(_ expression: String) throws -> JSONValue {
    let answer = try call(
      "Runtime.evaluate", ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
    guard answer.member("exceptionDetails") == .null else {
      throw HarnessError("\(expression): \(answer.member("exceptionDetails"))")
    }
    return answer.member("result").member("value")
  }

  /// The numbers that an expression in the page gives.
  func numbers(_ expression: String) throws -> [Double] {
    guard case .array(let elements) = try value(expression) else { throw HarnessError("no numbers: \(expression)") }
    return elements.compactMap { element in
      if case .number(let number) = element { Double(number.text) } else { nil }
    }
  }

  /// Waits until an expression in the page is true.
  func wait(for expression: String) throws {
    let result = try value(
      """
      (async () => { for (let tries = 0; tries < 6000; tries++) { if (\(expression)) return true;
      await new Promise((done) => setTimeout(done, 10)); } return false; })()
      """)
    guard result == true else { throw HarnessError("it never came: \(expression)") }
  }

  /// The private resident memory of the page's process, in mebibytes.
  func pageMebibytes() throws -> Double {
    guard case .array(let processes) = try call("SystemInfo.getProcessInfo", isOfPage: false).member("processInfo")
    else { return 0 }
    // The largest renderer, an upper bound: the others have empty pages.
    return processes.filter { process in process.member("type") == "renderer" }.map { process -> Double in
      guard case .number(let id) = process.member("id"), let number = Int32(id.text) else { return 0 }
      return ProcessMemory.mebibytes("RssAnon:", of: number)
    }.max() ?? 0
  }

  /// Ends the browser.
  func close() {
    // A browser that has ended needs no command.
    do { try send("Browser.close", [:], isOfPage: false) } catch {}
    process.waitUntilExit()
    _ = Foundation.close(commands)
    _ = Foundation.close(answers)
  }
}

// MARK: - The protocol

extension Browser {
  private func call(_ method: String, _ parameters: JSONObject = [:], isOfPage: Bool = true) throws -> JSONValue {
    let number = try send(method, parameters, isOfPage: isOfPage)
    while true {
      let message = try receive()
      guard message.member("id") == .number(JSONNumber(number)) else { continue }
      guard message.member("error") == .null else { throw HarnessError("\(method): \(message.member("error"))") }
      return message.member("result")
    }
  }

  @discardableResult
  private func send(_ method: String, _ parameters: JSONObject, isOfPage: Bool) throws -> Int {
    number += 1
    var command: JSONObject = [
      "id": .number(JSONNumber(number)), "method": .string(method), "params": .object(parameters),
    ]
    if isOfPage { command["sessionId"] = session }
    var bytes = JSONValue.object(command).bytes()[...]
    bytes.append(0)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { bytes in write(commands, bytes.baseAddress, bytes.count) }
      guard count > 0 else { throw HarnessError("the browser takes no commands") }
      bytes = bytes.dropFirst(count)
    }
    return number
  }

  private func receive() throws -> JSONValue {
    while true {
      if let end = unread.firstIndex(of: 0) {
        defer { unread.removeSubrange(...end) }
        return try JSONValue(parsing: Array(unread[..<end]))
      }
      var waiting = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Self.patienceMilliseconds) > 0 else { throw HarnessError("the browser does not answer") }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(answers, &buffer, buffer.count)
      guard count > 0 else { throw HarnessError("the browser has ended") }
      unread += buffer.prefix(count)
    }
  }
}

extension JSONValue {
  /// The member of an object; `null` if there is none.
  func member(_ name: String) -> JSONValue {
    guard case .object(let object) = self else { return .null }
    return object[name] ?? .null
  }
}
