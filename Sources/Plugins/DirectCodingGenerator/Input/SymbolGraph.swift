import Foundation

/// What the compiler writes about a module with `-emit-symbol-graph`: kinds, access, labels, what is written by hand.
struct SymbolGraph: Decodable {
  var symbols: [Symbol]
  var relationships: [Relationship]

  struct Symbol: Decodable {
    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var accessLevel: String
    var declarationFragments: [Fragment]?
    var location: Location?
    var swiftGenerics: Generics?
    var availability: [Availability]?

    /// The declaration as text.
    var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
    /// Whether a declaration stands in the source; derived ones have no place.
    var isWritten: Bool { location != nil }
    var name: String { pathComponents.last ?? "" }
    var usr: String { identifier.precise }
  }

  struct Kind: Decodable {
    var identifier: String
  }

  struct Identifier: Decodable {
    var precise: String
  }

  struct Fragment: Decodable {
    var spelling: String
  }

  struct Location: Decodable {
    var uri: String
    var position: Position

    /// The file's path.
    var path: String {
      guard uri.hasPrefix("file://") else { return uri }
      let path = String(uri.dropFirst("file://".count))
      return path.removingPercentEncoding ?? path
    }
  }

  struct Position: Decodable {
    /// Counted from 0.
    var line: Int
    var character: Int
  }

  struct Generics: Decodable {
    var parameters: [Parameter]?

    struct Parameter: Decodable {
      var name: String
    }
  }

  struct Availability: Decodable {
    var domain: String?
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var swiftConstraints: [Constraint]?
  }

  struct Constraint: Decodable {
    var kind: String
  }
}
