/// What the compiler writes about a type with `-emit-const-values`: stored members with resolved types, raw values, payloads.
struct ConstantValues: Decodable {
  var typeName: String
  var mangledTypeName: String
  var kind: String
  var conformances: [String]?
  var properties: [Property]
  var cases: [Case]?
  var associatedTypeAliases: [Alias]?

  /// How much is told of the type.
  var size: Int { properties.count(where: \.isStored) + (cases?.count ?? 0) }

  struct Property: Decodable {
    var label: String
    var type: String
    var isStatic: String
    var isComputed: String
    var valueKind: String
    var value: Literal?
    var propertyWrappers: [Wrapper]?

    var isStored: Bool { isStatic == "false" && isComputed == "false" }
  }

  struct Wrapper: Decodable {
    var type: String
  }

  struct Case: Decodable {
    var name: String
    var rawValue: String?
    var parameters: [Parameter]?
  }

  /// A payload. Its label is taken from the symbol graph, since `case a(_ b: Int)` has the label `b` here.
  struct Parameter: Decodable {
    var type: String
  }

  struct Alias: Decodable {
    var typeAliasName: String
    var substitutedTypeName: String
  }

  /// The text of a simple literal; other values are structured and not of interest.
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
