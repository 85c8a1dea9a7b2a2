import Foundation
import Platform
import TerminalUI

/// The page of `inspect` and of `report`: the files in `Page`, which the package embeds into the program.
///
/// The pages differ in the source of their answers: the service, or the data in the file.
struct PageDocument: Sendable {
  /// The script: files that share one scope. It inserts texts from a log as text nodes only, never as markup.
  let script: String

  /// - Parameter source: The script that answers the requests of the page.
  init(source: [UInt8]) {
    script =
      "\"use strict\";\n(() => {\n"
      + [
        PackageResources.values_js, PackageResources.rows_js, PackageResources.chunks_js, source,
        PackageResources.parts_js, PackageResources.model_js, PackageResources.tree_js, PackageResources.moves_js,
        PackageResources.details_js, PackageResources.questions_js, PackageResources.whatif_js,
        PackageResources.controls_js, PackageResources.timeline_js, PackageResources.begin_js,
      ].map(Self.text).joined() + "})();"
  }

  /// The sources of a content security policy that allows the page's own script and style sheet, by their hashes, and nothing else.
  var policy: String {
    """
    default-src 'none'; script-src '\(Self.hash(script))'; style-src '\(Self.hash(Self.style))'; base-uri 'none'; \
    form-action 'none'
    """
  }

  /// - Parameters:
  ///   - head: Elements of the head, as markup.
  ///   - data: The element with the data, as markup.
  func html(title: String, head: String = "", data: String = "") -> String {
    Self.fill(
      Self.text(PackageResources.page_html),
      ["title": Self.escaped(title), "head": head, "style": Self.style, "data": data, "script": script])
  }

  /// Without its final line feed.
  private static let style = String(text(PackageResources.page_css).dropLast())

  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(text.utf8)).base64EncodedString()
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Replaces each `{{name}}` of a template by its value. Values are inserted unchanged, whatever they contain.
  private static func fill(_ template: String, _ values: [String: String]) -> String {
    var result = ""
    var rest = template[...]
    while let start = rest.range(of: "{{"), let end = rest.range(of: "}}", range: start.upperBound..<rest.endIndex) {
      guard let value = values[String(rest[start.upperBound..<end.lowerBound])] else {
        preconditionFailure("the template of the page has an unknown name")
      }
      result += rest[..<start.lowerBound] + value
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// Also control characters and bidirectional controls.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in TerminalText.escaping(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
