import EventSourcing
import Foundation
import JSONCoding
import TextDisplay
import TimeTravel

/// One self-contained HTML file about a stretch of a history: it opens from a disk and asks nothing of any network.
///
/// The history lies in a script element that no browser executes, as lines of JSON in which nothing is left that could end
/// the element or mislead who reads the source. The page's policy allows the one script and the one style sheet that are in it,
/// named by their hashes, and nothing else.
struct HistoryPage: Sendable {
  /// The path of the log, as it was named.
  var log: String
  var model: String
  var schema: Int
  /// The log's identifier.
  var identifier: String
  /// The last revision of the log, which the page need not reach.
  var lastRevision: Int
  var excerpt: HistoryExcerpt
  /// The state that the page begins with.
  var state: PageState
  /// The named points; those outside the excerpt are left out.
  var marks: [Mark] = []
  /// What was asked of each state, and where it holds: the page itself has no model and decides no condition.
  var conditions: [PageCondition] = []
  /// The revision that is shown at first; `nil` is the last.
  var shown: Int?
  /// What the reader must know: that the page was cut, that the log is damaged.
  var notices: [String] = []
  /// The tool that made it.
  var maker: String

  /// The file.
  ///
  /// - Throws: `JSONError` when the values of a record are no JSON, which a reader of logs has ruled out.
  /// - Complexity: O(size of the excerpt).
  func html() throws(JSONError) -> String {
    Self.markup(
      title: "\(model): \(log)",
      about: "\(extent), log \(identifier), schema \(schema), made by \(maker)",
      notices: notices, data: try data())
  }

  private var extent: String {
    let isWhole = excerpt.first == 0 && excerpt.last == lastRevision
    return "revisions \(excerpt.first)…\(excerpt.last)" + (isWhole ? "" : " of 0…\(lastRevision)")
  }

  /// What a browser may do with the page: run what is in it.
  static let policy = """
    default-src 'none'; script-src '\(hash(PageScript.text))'; style-src '\(hash(PageStyle.text))'; base-uri 'none'; \
    form-action 'none'
    """

  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(text.utf8)).base64EncodedString()
  }

  /// Text as it stands in markup: what a browser would obey or be misled by is escaped.
  static func escaped(_ text: String) -> String {
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
