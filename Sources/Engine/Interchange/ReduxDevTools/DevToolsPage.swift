public import ActionLog
import EventSourcing
import Foundation
import JSONCoding
import Platform

/// An HTML page that loads a log into the Redux DevTools browser extension, with the states computed in Swift.
///
/// The page contains the lifted state in a script element that is not executed, with all characters that are special in HTML escaped. The
/// page's content security policy allows its script and its style sheet by their hashes, and nothing else. The page makes no
/// requests.
///
/// - SeeAlso: reduxjs/redux-devtools, extension/docs/API/Methods.md: `connect`, `init`, `send` with a null action.
public struct DevToolsPage: Sendable {
  /// Waits for the extension, which may be loaded after the page, and passes the lifted state to it. A jump shows the state; a file
  /// imported in DevTools replaces this one.
  private static let script = text(PackageResources.devtools_js)
  private static let style = text(PackageResources.devtools_css)

  /// The text of an embedded file, without its final line feed.
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.dropLast(), as: UTF8.self) }

  private let title: String

  /// Creates a page.
  ///
  /// - Parameter header: The header of the log.
  public init(_ header: LogHeader) {
    title = "\(header.model), log \(header.log)"
  }

  /// Writes the page up to the lifted state.
  public func begin(into output: inout [UInt8]) {
    let policy =
      "default-src 'none'; script-src '\(Self.hash(Self.script))'; style-src '\(Self.hash(Self.style))'; "
      + "base-uri 'none'; form-action 'none'"
    output +=
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width">
      <title>\(Self.escaped(title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1>\(Self.escaped(title))</h1>
      <p id="status" role="status">Loading…</p>
      <pre id="state" tabindex="0" aria-label="the state that was jumped to"></pre>
      <script type="application/json" id="lifted">
      """.utf8
  }

  /// Writes a chunk of the lifted state.
  ///
  /// - Parameters:
  ///   - json: Output of the export. Chunks may be split between any two characters.
  ///   - output: The buffer to append to.
  /// - Complexity: O(*n*) in the length of the chunk.
  public func append(_ json: [UInt8], into output: inout [UInt8]) {
    for byte in json {
      switch byte {
      // These characters occur only in JSON strings, where the escape is equivalent.
      case UInt8(ascii: "<"): output += "\\u003c".utf8
      case UInt8(ascii: ">"): output += "\\u003e".utf8
      case UInt8(ascii: "&"): output += "\\u0026".utf8
      default: output.append(byte)
      }
    }
  }

  /// Writes the page after the lifted state.
  public func end(into output: inout [UInt8]) {
    output += "</script>\n<script>\(Self.script)</script>\n</body>\n</html>\n".utf8
  }

  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(text.utf8)).base64EncodedString()
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
