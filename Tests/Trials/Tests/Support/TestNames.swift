import Foundation

/// The tests and suites that Swift sources declare, by reading them: the names of types and functions behind `@Test` and `@Suite`.
struct TestNames {
  /// A test, and the type that it stands in.
  struct Test: Hashable {
    var suite: String
    var name: String
  }

  private(set) var tests: Set<Test> = []
  private(set) var suites: Set<String> = []

  /// Reads every Swift file below a directory.
  init(under directory: URL) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) where path.hasSuffix(".swift") {
      add(try String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8))
    }
  }

  /// Reads one source.
  init(of source: String) { add(source) }

  /// How many tests and suites a name can mean: `test`, `Suite/test` or `Suite`.
  func count(of name: String) -> Int {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1: return tests.count { test in test.name == name } + (suites.contains(name) ? 1 : 0)
    case 2: return tests.contains(Test(suite: parts[0], name: parts[1])) ? 1 : 0
    default: return 0
    }
  }

  // MARK: - Reading

  private static let types: Set = ["struct", "class", "enum", "actor", "extension"]

  /// Goes through the words and brackets: an attribute belongs to the next function or type.
  private mutating func add(_ source: String) {
    var words = SourceWords.words(of: source)[...]
    // The types, or `nil` for other braces, that are open here.
    var open: [String?] = []
    var attributes: Set<String> = []
    var type: String?
    while let word = words.popFirst() {
      switch word {
      case "@":
        attributes.insert(words.popFirst() ?? "")
        if words.first == "(" { Self.skipParentheses(&words) }
      case "func":
        let name = words.popFirst() ?? ""
        if attributes.contains("Test") {
          tests.insert(Test(suite: open.compactMap { name in name }.last ?? "", name: name))
        }
        attributes = []
      case _ where Self.types.contains(word) && words.first?.first?.isLetter == true && words.first != "func":
        type = words.popFirst()
        while words.first == "." {
          words.removeFirst()
          type = words.popFirst()
        }
        if let type, attributes.contains("Suite") { suites.insert(type) }
        attributes = []
      case "{":
        open.append(type)
        type = nil
      case "}": _ = open.popLast()
      case "var", "let", "init", "case": attributes = []
      default: break
      }
    }
  }

  private static func skipParentheses(_ words: inout ArraySlice<String>) {
    var depth = 0
    repeat {
      let word = words.popFirst()
      if word == "(" { depth += 1 } else if word == ")" { depth -= 1 }
    } while depth > 0 && !words.isEmpty
  }
}
