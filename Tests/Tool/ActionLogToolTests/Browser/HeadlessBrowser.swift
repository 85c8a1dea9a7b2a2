import Foundation
import JSONCoding
import TestSupport

/// A page in a real headless browser, driven by the DevTools protocol.
///
/// The page has a storage and a cache of its own; the browser is one of ``BrowserPool``. No timed waits: each command waits
/// for its answer, and later effects of a page are polled.
actor HeadlessBrowser {
  /// The browser, if the machine has it.
  static let program = ["chromium", "chromium-browser", "google-chrome"].lazy.compactMap(Executable.find).first
  static let need = "needs Chromium (Debian: apt-get install chromium)"

  /// Far beyond what anything here takes, also on a busy machine: it only ends what hangs.
  static let guardMilliseconds: Int32 = 120_000

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let pool: BrowserPool
  /// The browser, from the first page on.
  private var process: BrowserProcess?
  private var number = 0
  /// The storage of the page, which no other page uses.
  private var context: JSONValue = .null
  private var session: String?
  /// The requests of the page, in order.
  private(set) var requests: [String] = []
  /// The number of documents that were loaded completely.
  private var loads = 0
  /// The errors of the page or the browser.
  private(set) var complaints: [String] = []

  init(pool: BrowserPool = .shared) { self.pool = pool }

  deinit {
    // A failed test left the browser in an unknown state: it ends, and the next test starts another one.
    if process != nil { Task { [pool] in await pool.putBack(nil) } }
  }

  /// Closes the page, and leaves the browser to the next test.
  func quit() async throws {
    guard let process else { return }
    session = nil
    _ = try await call("Target.disposeBrowserContext", ["browserContextId": context])
    self.process = nil
    await pool.putBack(process)
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
    if process == nil {
      process = try await pool.take()
      context = try await call("Target.createBrowserContext")["browserContextId"] ?? .null
      let target = try await call("Target.createTarget", ["url": "about:blank", "browserContextId": context])
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
    // The page itself polls for a quarter of a second, which takes less than a command each time. The expression must be true twice: a
    // page can be settled for a moment before it begins what a key or a click has caused.
    let polling = """
      (async () => {
        for (let count = 0, holds = false; count < 25; count++) {
          const held = holds;
          holds = (\(expression)) === true;
          if (held && holds) return true;
          await new Promise(done => setTimeout(done, 10));
        }
        return false;
      })()
      """
    while true {
      do {
        if try await value(polling) == true { return }
      } catch let failure as Failure where failure.description.contains("Inspected target navigated") {
        // The next document is asked.
      }
      guard ContinuousClock.now - start < .milliseconds(Int(Self.guardMilliseconds)) else {
        throw Failure(description: "it never came: \(expression)")
      }
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
    // The page may change its layout between finding the place and the click, which then hits something else, or replace the
    // element by another one that the selector finds.
    let isClicked = try await eventually(attempts: 100) {
      hit = try await value(
        """
        (() => { const target = document.querySelector('\(selector)');
        target.scrollIntoViewIfNeeded();
        const box = target.getBoundingClientRect(), x = box.x + Math.min(box.width / 2, 60), y = box.y + box.height / 2;
        globalThis.isClicked = false;
        document.addEventListener('click', event => {
          globalThis.isClicked = event.target.closest('\(selector)') !== null;
        }, { once: true, capture: true });
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

  private func send(_ method: String, _ parameters: JSONObject) throws -> Int {
    number += 1
    var command: JSONObject = [
      "id": .integer(number), "method": .string(method), "params": .object(parameters),
    ]
    command["sessionId"] = session.map(JSONValue.string)
    try process?.send(.object(command))
    return number
  }

  private func receive() async throws -> JSONValue {
    guard let process else { throw Failure(description: "no page is open") }
    return try await process.receive()
  }

  /// Stores an event of the page. Events of the page before it in the same browser are ignored.
  private func note(_ message: JSONValue) {
    guard let session, message["sessionId"]?.text == session else { return }
    switch message["method"]?.text {
    case "Network.requestWillBeSent": requests.append(message["params"]?["request"]?["url"]?.text ?? "?")
    case "Page.loadEventFired": loads += 1
    case "Runtime.exceptionThrown", "Log.entryAdded": complaints.append("\(message["params"] ?? .null)")
    default: break
    }
  }
}
