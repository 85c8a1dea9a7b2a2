import Foundation
import JSONCoding
import Platform
import TestSupport

/// A real headless browser, driven by the DevTools protocol over a pair of pipes.
///
/// No timed waits: each command waits for its answer, and later effects of a page are polled.
actor HeadlessBrowser {
  /// The browser, if the machine has it.
  static let program = ["chromium", "chromium-browser", "google-chrome"].lazy.compactMap(Executable.find).first
  static let need = "needs Chromium (Debian: apt-get install chromium)"

  /// Far beyond what anything here takes, also on a busy machine: it only ends what hangs.
  private static let guardMilliseconds: Int32 = 120_000

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let directory: TemporaryDirectory
  private let process: ChildProcess
  private let commands: Int32
  private let answers: Int32
  private var unread: [UInt8] = []
  private var number = 0
  private var session: String?
  /// The requests of the page, in order.
  private(set) var requests: [String] = []
  /// The number of documents that were loaded completely.
  private var loads = 0
  /// The errors of the page or the browser.
  private(set) var complaints: [String] = []

  init() throws {
    guard let program = Self.program else { throw Failure(description: Self.need) }
    directory = try TemporaryDirectory()
    let pipes = ["commands", "answers"].map(directory.path)
    for pipe in pipes where mkfifo(pipe, 0o600) != 0 { throw SystemFailure("mkfifo") }
    // Both ends, so that opening does not block.
    commands = Foundation.open(pipes[0], O_RDWR | O_CLOEXEC)
    answers = Foundation.open(pipes[1], O_RDWR | O_CLOEXEC)
    let nothing = Foundation.open("/dev/null", O_RDWR | O_CLOEXEC)
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
    session = nil
    try send("Browser.close")
    _ = try await process.wait()
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - place: The fragment of the address.
  ///   - size: How large the window is.
  ///   - isDark: Whether the person likes it dark.
  func open(_ path: String, place: String = "", size: (width: Int, height: Int) = (1_200, 800), isDark: Bool = false)
    async throws
  {
    try await open(address: "file://\(path)\(place)", size: size, isDark: isDark)
  }

  /// Opens an address.
  func open(address: String, size: (width: Int, height: Int) = (1_200, 800), isDark: Bool = false) async throws {
    if session == nil {
      let target = try await call("Target.createTarget", ["url": "about:blank"])
      let attached = try await call(
        "Target.attachToTarget", ["targetId": target["targetId"] ?? .null, "flatten": true])
      session = attached["sessionId"]?.text
      for domain in ["Page", "Network", "Runtime", "Log", "Accessibility"] { _ = try await call("\(domain).enable") }
    }
    _ = try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(size.width), "height": .integer(size.height), "deviceScaleFactor": 1, "mobile": false,
      ])
    _ = try await call(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]]])
    _ = try await call("Page.navigate", ["url": .string(address)])
    let scheme = address.prefix { character in character != ":" }
    try await wait(for: "document.readyState === 'complete' && location.protocol === '\(scheme):'")
  }

  /// Reloads the page, and waits until the new document is complete: what is asked next cannot be answered by the old one.
  func reload() async throws {
    let before = loads
    _ = try await call("Page.reload")
    while loads == before { note(try await receive()) }
  }
}

// MARK: - Hands and eyes

extension HeadlessBrowser {
  /// The value of an expression in the page.
  @discardableResult
  func value(_ expression: String) async throws -> JSONValue {
    let answer = try await call(
      "Runtime.evaluate", ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
    if let exception = answer["exceptionDetails"] { throw Failure(description: "\(expression): \(exception)") }
    return answer["result"]?["value"] ?? .null
  }

  /// The visible text of an element.
  func text(_ selector: String) async throws -> String {
    try await value("document.querySelector('\(selector)').innerText").text ?? ""
  }

  /// Waits until an expression is true.
  func wait(for expression: String) async throws {
    let start = ContinuousClock.now
    while try await value(expression) != .bool(true) {
      guard ContinuousClock.now - start < .milliseconds(Int(Self.guardMilliseconds)) else {
        throw Failure(description: "it never came: \(expression)")
      }
      // Gives the page a frame.
      try await value("new Promise(done => setTimeout(done, 5))")
    }
  }

  /// Presses keys: characters, or names like `ArrowLeft`.
  func press(_ keys: String...) async throws {
    for key in keys {
      var parameters: JSONObject = ["type": "keyDown", "key": .string(key)]
      if key.count == 1 { parameters["text"] = .string(key) }
      if key == "Enter" { parameters["text"] = "\r" }
      if let code = ["Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39][key]
      {
        parameters["windowsVirtualKeyCode"] = .integer(code)
      }
      _ = try await call("Input.dispatchKeyEvent", parameters)
      _ = try await call("Input.dispatchKeyEvent", ["type": "keyUp", "key": .string(key)])
    }
  }

  /// Clicks on the middle of an element. Scrolls to it first, as a user does.
  ///
  /// - Throws: A failure if the click would hit something else.
  func click(_ selector: String) async throws {
    var hit = JSONValue.null
    // The page may change its layout between finding the place and the click, which then hits something else.
    let isClicked = try await eventually(attempts: 100) {
      hit = try await value(
        """
        (() => { const target = document.querySelector('\(selector)');
        target.scrollIntoViewIfNeeded();
        const box = target.getBoundingClientRect(), x = box.x + Math.min(box.width / 2, 60), y = box.y + box.height / 2;
        globalThis.isClicked = false;
        target.addEventListener('click', () => { globalThis.isClicked = true; }, { once: true, capture: true });
        const hit = document.elementFromPoint(x, y);
        return target.contains(hit) ? [x, y] : hit?.outerHTML ?? 'nothing'; })()
        """)
      guard case .array(let numbers) = hit, numbers.count == 2 else { return false }
      for kind in ["mousePressed", "mouseReleased"] {
        _ = try await call(
          "Input.dispatchMouseEvent",
          ["type": .string(kind), "x": numbers[0], "y": numbers[1], "button": "left", "clickCount": 1])
      }
      return try await value("globalThis.isClicked") == true
    }
    guard !isClicked else { return }
    throw Failure(description: "a click on \(selector) hits \(hit)")
  }

  /// The accessibility tree: role, name and other properties of each node.
  func accessibilityTree() async throws -> [JSONValue] {
    guard case .array(let nodes)? = try await call("Accessibility.getFullAXTree")["nodes"] else { return [] }
    return nodes
  }
}

// MARK: - The protocol

extension HeadlessBrowser {
  /// Sends a command and waits for its answer; events that arrive first are stored.
  private func call(_ method: String, _ parameters: JSONObject = [:]) async throws -> JSONValue {
    let number = try send(method, parameters)
    while true {
      let message = try await receive()
      note(message)
      guard message["id"]?.integer == number else { continue }
      if let error = message["error"] { throw Failure(description: "\(method): \(error)") }
      return message["result"] ?? .null
    }
  }

  @discardableResult
  private func send(_ method: String, _ parameters: JSONObject = [:]) throws -> Int {
    number += 1
    var command: JSONObject = [
      "id": .integer(number), "method": .string(method), "params": .object(parameters),
    ]
    command["sessionId"] = session.map(JSONValue.string)
    var bytes = JSONValue.object(command).bytes()[...]
    bytes.append(0)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { bytes in write(commands, bytes.baseAddress, bytes.count) }
      guard count > 0 else { throw SystemFailure("write") }
      bytes = bytes.dropFirst(count)
    }
    return number
  }

  private func receive() async throws -> JSONValue {
    while true {
      if let end = unread.firstIndex(of: 0) {
        defer { unread.removeSubrange(...end) }
        return try JSONValue(parsing: unread[..<end])
      }
      unread += try await BlockingWork.run { [answers] in
        var waiting = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Self.guardMilliseconds) > 0 else {
          throw Failure(description: "the browser says nothing")
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(answers, &buffer, buffer.count)
        guard count > 0 else { throw SystemFailure("read") }
        return Array(buffer.prefix(count))
      }
    }
  }

  private func note(_ message: JSONValue) {
    switch message["method"]?.text {
    case "Network.requestWillBeSent": requests.append(message["params"]?["request"]?["url"]?.text ?? "?")
    case "Page.loadEventFired": loads += 1
    case "Runtime.exceptionThrown", "Log.entryAdded": complaints.append("\(message["params"] ?? .null)")
    default: break
    }
  }
}
