/// Generates the code that writes and reads the members of an object.
struct ObjectCode {
  /// A member: its name in JSON, its expression in Swift, and its coding.
  struct Member {
    var key: String
    var place: String
    var type: TypeName
    var isDirect: Bool
    var isConstant = false

    var isOptional: Bool { type.wrapped != nil && !isConstant }
    var name: String { JSONLiteral.string(key) + ":" }
  }

  let members: [Member]

  private var sorted: [Member] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private var isSorted: Bool { sorted.map(\.key) == members.map(\.key) }

  /// Returns the code that writes `before`, the object, and `after`.
  func write(_ before: String, _ after: String) -> [String] {
    if isSorted { return write(members, before, after) }
    return ["if writer.isCanonical {"] + write(sorted, before, after) + ["} else {"] + write(members, before, after) + [
      "}"
    ]
  }

  private func write(_ members: [Member], _ before: String, _ after: String) -> [String] {
    var lines: [String] = []
    var literal = before + "{"
    var isFirst = true
    var isCertain = false
    func flush() {
      if !literal.isEmpty { lines.append("writer.literal(\(JSONLiteral.source(literal)))") }
      literal = ""
    }
    for member in members {
      let needsSeparator = !isFirst && !isCertain
      if isCertain, !member.isOptional { literal += "," }
      if member.isOptional {
        flush()
        lines.append("if let value = \(member.place) {")
        if needsSeparator { lines.append("writer.separator()") }
        lines.append("writer.literal(\(JSONLiteral.source((isCertain ? "," : "") + member.name)))")
        lines.append("writer.\(member.isDirect ? "required" : "other")(value)")
        lines.append("}")
      } else {
        if needsSeparator {
          flush()
          lines.append("writer.separator()")
        }
        literal += member.name
        flush()
        lines.append("writer.\(member.isDirect ? "required" : "other")(\(member.place))")
        isCertain = true
      }
      isFirst = false
    }
    literal += "}" + after
    flush()
    return lines
  }

  /// Returns the code that reads an object.
  func read(_ reader: String, _ before: String, _ after: String) -> (begin: String, lines: [String]) {
    if isSorted {
      let (begin, lines) = read(members, reader, after)
      return (before + begin, lines)
    }
    func branch(_ members: [Member]) -> [String] {
      let (begin, lines) = read(members, reader, after)
      let rest = String(begin.dropFirst())
      return (rest.isEmpty ? [] : ["try \(reader).literal(\(JSONLiteral.source(rest)))"]) + lines
    }
    return (
      before + "{",
      ["if \(reader).isCanonical {"] + branch(sorted) + ["} else {"] + branch(members) + ["}"]
    )
  }

  private func read(_ members: [Member], _ reader: String, _ after: String) -> (begin: String, lines: [String]) {
    guard let first = members.first else { return ("{}" + after, []) }
    var lines: [String] = []
    var begin = "{"
    var isCertain = false
    if first.isOptional {
      lines.append("var isFirst = true")
    } else {
      begin += first.name
      lines.append(value(first, reader))
      isCertain = true
    }
    for member in first.isOptional ? members[...] : members.dropFirst() {
      let name = JSONLiteral.source(member.name)
      let separated = JSONLiteral.source("," + member.name)
      let call = member.isDirect ? "value" : "other"
      switch (member.isOptional, isCertain) {
      case (true, true):
        lines.append("\(member.place) = try \(reader).accept(\(separated)) ? .some(\(reader).\(call)()) : nil")
      case (true, false):
        lines.append(
          "\(member.place) = try \(reader).acceptMember(\(name), first: &isFirst) ? .some(\(reader).\(call)()) : nil")
      case (false, true):
        lines.append("try \(reader).literal(\(separated))")
        lines.append(value(member, reader))
      case (false, false):
        lines.append("try \(reader).member(\(name), first: &isFirst)")
        lines.append(value(member, reader))
        isCertain = true
      }
    }
    lines.append("try \(reader).literal(\(JSONLiteral.source("}" + after)))")
    return (begin, lines)
  }

  private func value(_ member: Member, _ reader: String) -> String {
    if member.isConstant { return "try \(reader).skip(like: \(member.place))" }
    return "\(member.place) = try \(reader).\(member.isDirect ? "value" : "other")()"
  }
}
