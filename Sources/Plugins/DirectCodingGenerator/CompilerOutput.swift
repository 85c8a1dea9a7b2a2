import Foundation

/// The compiler's description of a module from `-emit-symbol-graph`: kinds, access levels, labels, and which
/// declarations are in the source.
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
    var availability: [Presence]?

    var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
    /// Whether the declaration is in the source; derived declarations have no location.
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

    var path: String {
      guard uri.hasPrefix("file://") else { return uri }
      let path = String(uri.dropFirst("file://".count))
      return path.removingPercentEncoding ?? path
    }
  }

  struct Position: Decodable {
    /// The line, counted from 0.
    var line: Int
  }

  struct Generics: Decodable {
    var parameters: [Presence]?
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var swiftConstraints: [Presence]?
  }
}

/// An entry of a list of which only the length matters.
struct Presence: Decodable {}

/// The compiler's description of a type from `-emit-const-values`: stored members with resolved types, raw values,
/// payloads.
struct ConstantValues: Decodable {
  var typeName: String
  var mangledTypeName: String
  var properties: [Property]
  var cases: [Case]?
  var associatedTypeAliases: [Alias]?

  /// The number of described members and cases.
  var size: Int { properties.count(where: \.isStored) + (cases?.count ?? 0) }

  struct Property: Decodable {
    var label: String
    var type: String
    var isStatic: String
    var isComputed: String
    var valueKind: String
    var value: Literal?
    var propertyWrappers: [Presence]?

    var isStored: Bool { isStatic == "false" && isComputed == "false" }
  }

  struct Case: Decodable {
    var name: String
    var rawValue: String?
    var parameters: [Parameter]?
  }

  /// A payload. Its label comes from the symbol graph: here, `case a(_ b: Int)` has the label `b`.
  struct Parameter: Decodable {
    var type: String
  }

  struct Alias: Decodable {
    var typeAliasName: String
    var substitutedTypeName: String
  }

  /// The text of a simple literal. Other values are structured and ignored.
  struct Literal: Decodable {
    var text: String?

    init(from decoder: any Decoder) throws {
      do {
        text = try decoder.singleValueContainer().decode(String.self)
      } catch {
        text = nil
      }
    }
  }
}
