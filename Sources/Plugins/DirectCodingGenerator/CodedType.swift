/// A `Codable` type of the module, combined from both inputs of the generator.
struct CodedType {
  /// The name from the root of the module: `AnimalsAction.UI`.
  var name: String
  /// The lowest access level of the type and its enclosing types.
  var access: Access
  var shape: Shape
  /// The reason why the type uses `Codable`; `nil` if code can be generated.
  var reason: String?
  /// Whether its values are written as names if they are keys of a dictionary.
  var isCodingKeyRepresentable = false
  /// Whether the path of an action's cases ends before its values.
  var isActionPayload = false

  var cases: [Case] {
    if case .enumeration(let cases) = shape { cases } else { [] }
  }

  /// The types of the members of a struct, or of the values of an enum's cases.
  var values: [TypeName] {
    if case .structure(let structure) = shape { return structure.members.map(\.type) }
    return cases.flatMap { item in item.payload.map(\.type) }
  }

  var isGenerated: Bool {
    if case .handWritten = shape { return false }
    return reason == nil
  }

  enum Access: Int, Comparable {
    case hidden, `internal`, package, `public`

    init(_ text: String) {
      switch text {
      case "public", "open": self = .public
      case "package": self = .package
      case "internal": self = .internal
      default: self = .hidden
      }
    }

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    /// The modifier of a member with the same access as its type.
    var modifier: String {
      switch self {
      case .public: "public "
      case .package: "package "
      case .internal, .hidden: ""
      }
    }
  }

  enum Shape {
    case structure(Structure)
    case enumeration([Case])
    /// An enum with raw values: the name and the encoded text of each case.
    case rawEnumeration([RawCase])
    /// A struct that is encoded as its raw value.
    case rawStructure(TypeName)
    /// A type with handwritten direct coding.
    case handWritten(isEnum: Bool)
    case unknown
  }

  struct Structure {
    /// The names of all stored members, coded or not.
    var stored: [String]
    /// The coded members, in the order of encoding.
    var members: [Member]
  }

  struct Member {
    var name: String
    var key: String
    var type: TypeName
    /// The value of a `let` with an initial value, which is encoded but not decoded, as JSON text.
    var constant: String?
  }

  struct Case {
    var name: String
    var payload: [Payload]
  }

  struct Payload {
    var label: String?
    var key: String
    var type: TypeName
  }

  struct RawCase {
    var name: String
    /// The raw value as JSON text.
    var text: String
  }
}

/// The name of a type as resolved by the compiler, with its module: `Swift.Dictionary<Swift.String, Zoo.Animal>`.
struct TypeName: Hashable {
  var base: String
  var arguments: [TypeName] = []

  /// Parses a name. Anything else (a tuple, a function, an existential) becomes an unknown base.
  init(_ text: String) {
    guard let open = text.firstIndex(of: "<"), text.last == ">" else {
      base = text
      return
    }
    base = String(text[..<open])
    var depth = 0
    var part = ""
    for character in text[text.index(after: open)...].dropLast() {
      switch character {
      case "<", "(", "[": depth += 1
      case ">", ")", "]": depth -= 1
      default: break
      }
      if character == ",", depth == 0 {
        arguments.append(TypeName(String(part.drop { $0 == " " })))
        part = ""
      } else {
        part.append(character)
      }
    }
    arguments.append(TypeName(String(part.drop { $0 == " " })))
  }

  var module: String { String(base.prefix { $0 != "." }) }

  var wrapped: TypeName? { base == "Swift.Optional" ? arguments.first : nil }

  var modules: Set<String> { arguments.reduce(into: [module]) { $0.formUnion($1.modules) } }

  /// Returns the name as source in a file of a module: without the module for its own types, with it for others.
  ///
  /// A module can contain a type with the module's name, which would hide the module. The module's own types are
  /// therefore named without it, at file scope only.
  func source(in ownModule: String) -> String {
    let hidden = [ownModule, "Foundation", "FoundationEssentials"]
    let name = hidden.contains(module) ? String(base.dropFirst(module.count + 1)) : base
    guard !arguments.isEmpty else { return name }
    return name + "<" + arguments.map { $0.source(in: ownModule) }.joined(separator: ", ") + ">"
  }
}
