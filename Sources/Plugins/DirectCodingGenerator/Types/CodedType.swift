/// A type of the module that is `Codable`, as both inputs of the generator have it.
struct CodedType {
  /// From the root of the module: `AnimalsAction.UI`.
  var name: String
  /// The least access of the type and of the types around it.
  var access: Access
  var shape: Shape
  /// Why the type goes through `Codable`; `nil` if code can be generated for it.
  var reason: String?
  /// Whether its values are written as names when they are keys of a dictionary.
  var isCodingKeyRepresentable = false
  /// Whether the path of an action's cases ends before its values.
  var isActionPayload = false

  /// The cases of an enum without raw values.
  var cases: [Case] {
    if case .enumeration(let cases) = shape { cases } else { [] }
  }

  /// Whether code is generated for the type.
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

    /// The modifier of a member that is as visible as its type.
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
    /// An enum with raw values: the name of each case and the text it is written as.
    case rawEnumeration([RawCase])
    /// A struct that is written as its raw value.
    case rawStructure(TypeName)
    /// A type whose direct coding is written by hand.
    case handWritten(isEnum: Bool)
    case unknown
  }

  struct Structure {
    /// The names of all stored members, coded or not.
    var stored: [String]
    /// What is coded, in the order in which it is written.
    var members: [Member]
  }

  struct Member {
    /// The name in Swift.
    var name: String
    /// The name in JSON.
    var key: String
    var type: TypeName
    /// The value of a `let` with an initial value, which is encoded and not decoded, as JSON text.
    var constant: String?
  }

  struct Case {
    var name: String
    var payload: [Payload]
  }

  struct Payload {
    /// The label in Swift.
    var label: String?
    /// The name in JSON.
    var key: String
    var type: TypeName
  }

  struct RawCase {
    var name: String
    /// The raw value as JSON text.
    var text: String
  }
}
