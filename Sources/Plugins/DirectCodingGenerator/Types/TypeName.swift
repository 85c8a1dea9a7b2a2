/// A type's name as the compiler resolves it, with its module: `Swift.Dictionary<Swift.String, Zoo.Animal>`.
struct TypeName: Hashable {
  var base: String
  var arguments: [TypeName] = []

  /// Reads a name; what is no plain name (a tuple, a function, an existential) becomes a base that nothing knows.
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
        arguments.append(TypeName(TypeName.trimmed(part)))
        part = ""
      } else {
        part.append(character)
      }
    }
    arguments.append(TypeName(TypeName.trimmed(part)))
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " })
  }

  /// The module that the name begins with.
  var module: String { String(base.prefix { $0 != "." }) }

  /// What an optional wraps.
  var wrapped: TypeName? { base == "Swift.Optional" ? arguments.first : nil }

  /// All modules that the name speaks of.
  var modules: Set<String> { arguments.reduce(into: [module]) { $0.formUnion($1.modules) } }

  /// The name as source in a file of a module: its own types from the root, others with their module.
  ///
  /// A module may hold a type of its own name, which would hide it; that a type of a file's own module is found without it is
  /// why names are used at file scope only.
  func source(in ownModule: String) -> String {
    let hidden = [ownModule, "Foundation", "FoundationEssentials"]
    let name = hidden.contains(module) ? String(base.dropFirst(module.count + 1)) : base
    guard !arguments.isEmpty else { return name }
    return name + "<" + arguments.map { $0.source(in: ownModule) }.joined(separator: ", ") + ">"
  }
}
