public import ActionLog
import EventSourcing
import Foundation
import JSONCoding

/// A page that fills the real Redux DevTools with the states that Swift computed: opened in a browser that has the
/// extension, it hands over the lifted state that lies in it.
///
/// The lifted state stands in a script element that is not executed, with every character escaped that means something
/// to HTML. The page's policy allows its one script and its one style sheet, by their hashes, and nothing else: no
/// request leaves it.
///
/// - SeeAlso: reduxjs/redux-devtools, extension/docs/API/Methods.md: `connect`, `init`, `send` with a null action.
public struct DevToolsPage: Sendable {
  private let title: String

  /// Begins a page.
  ///
  /// - Parameter header: What the log says of itself.
  public init(_ header: LogHeader) {
    title = "\(header.model), log \(header.log)"
  }

  /// Writes what stands before the lifted state.
  public func begin(into output: inout [UInt8]) {
    let policy =
      "default-src 'none'; script-src '\(Self.hash(DevToolsScript.text))'; style-src '\(Self.hash(DevToolsScript.style))'; "
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
      <style>\(DevToolsScript.style)</style>
      </head>
      <body>
      <h1>\(Self.escaped(title))</h1>
      <p id="status" role="status">Loading…</p>
      <pre id="state" tabindex="0" aria-label="the state that was jumped to"></pre>
      <script type="application/json" id="lifted">
      """.utf8
  }

  /// Writes a part of the lifted state.
  ///
  /// - Parameters:
  ///   - json: Bytes as the export wrote them, cut anywhere between two characters.
  ///   - output: Takes the bytes.
  /// - Complexity: O(length).
  public func append(_ json: [UInt8], into output: inout [UInt8]) {
    for byte in json {
      switch byte {
      // They stand within the strings of a JSON text only, where this is the same.
      case UInt8(ascii: "<"): output += "\\u003c".utf8
      case UInt8(ascii: ">"): output += "\\u003e".utf8
      case UInt8(ascii: "&"): output += "\\u0026".utf8
      default: output.append(byte)
      }
    }
  }

  /// Writes what stands behind the lifted state.
  public func end(into output: inout [UInt8]) {
    output += "</script>\n<script>\(DevToolsScript.text)</script>\n</body>\n</html>\n".utf8
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
