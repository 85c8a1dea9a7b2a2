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

  /// The page before and after the lifted state, with the names of its values in double braces.
  private static let template: (beforeState: String, afterState: String) = {
    let parts = String(decoding: PackageResources.devtools_html, as: UTF8.self).components(separatedBy: "{{lifted}}")
    return (parts[0], parts[1])
  }()

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
    output += filled(Self.template.beforeState).utf8
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
    output += filled(Self.template.afterState).utf8
  }

  /// Returns a part of the page with its values. Braces in a value are not replaced.
  private func filled(_ template: String) -> String {
    let policy =
      "default-src 'none'; script-src '\(Self.hash(Self.script))'; style-src '\(Self.hash(Self.style))'; "
      + "base-uri 'none'; form-action 'none'"
    let values = [
      "policy": policy, "title": Self.escaped(title), "style": Self.style, "script": Self.script,
    ]
    let parts = template.components(separatedBy: "{{")
    return parts.dropFirst().reduce(into: parts[0]) { text, part in
      let rest = part.components(separatedBy: "}}")
      text += (values[rest[0]] ?? "") + rest.dropFirst().joined(separator: "}}")
    }
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
