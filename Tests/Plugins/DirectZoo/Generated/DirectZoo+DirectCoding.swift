// Made by 'swift package generate-direct-coding', which is to be run again when a type changes. Not to be edited.
//
// swift-format-ignore-file
//
// These go through Codable:
// - Box: it is generic, or within a generic type
// - Conditional: there is an #if in or around it
// - Future: it is not available everywhere
// - Lazy: it has a lazy member
// - Money: its coding is written by hand
// - Odd: the member 'secret' is private
// - PartlyConditional: there is an #if in or around it
// - Reference: it is a class
// - Renamed: it has CodingKeys of its own
// - Ticket: the member 'used' can be set in its own file only
// - Wrapped: the member 'value' has a property wrapper

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import JSONCoding

// MARK: Clamped

extension Clamped: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"wrappedValue":"#)
    writer.required(self.wrappedValue)
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"wrappedValue":"#)
    self.wrappedValue = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["wrappedValue"],
    samples: [
      #"{"wrappedValue":0}"#,
      #"{"wrappedValue":1}"#,
      #"{"wrappedValue":-1}"#,
    ],
    parts: { [] }
  )
}

// MARK: Collections

extension Collections: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"inside":"#)
      writer.required(self.inside)
      writer.literal(#","levels":"#)
      writer.required(self.levels)
      if let value = self.maybe {
        writer.literal(#","maybe":"#)
        writer.required(value)
      }
      writer.literal(#","names":"#)
      writer.required(self.names)
      writer.literal(#","nested":"#)
      writer.required(self.nested)
      writer.literal(#","numbers":"#)
      writer.required(self.numbers)
      writer.literal(#","set":"#)
      writer.required(self.set)
      writer.literal(#","species":"#)
      writer.required(self.species)
      writer.literal("}")
    } else {
      writer.literal(#"{"names":"#)
      writer.required(self.names)
      writer.literal(#","numbers":"#)
      writer.required(self.numbers)
      writer.literal(#","species":"#)
      writer.required(self.species)
      writer.literal(#","set":"#)
      writer.required(self.set)
      writer.literal(#","levels":"#)
      writer.required(self.levels)
      writer.literal(#","nested":"#)
      writer.required(self.nested)
      if let value = self.maybe {
        writer.literal(#","maybe":"#)
        writer.required(value)
      }
      writer.literal(#","inside":"#)
      writer.required(self.inside)
      writer.literal("}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""inside":"#)
      self.inside = try reader.value()
      try reader.literal(#","levels":"#)
      self.levels = try reader.value()
      self.maybe = try reader.accept(#","maybe":"#) ? .some(reader.value()) : nil
      try reader.literal(#","names":"#)
      self.names = try reader.value()
      try reader.literal(#","nested":"#)
      self.nested = try reader.value()
      try reader.literal(#","numbers":"#)
      self.numbers = try reader.value()
      try reader.literal(#","set":"#)
      self.set = try reader.value()
      try reader.literal(#","species":"#)
      self.species = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""names":"#)
      self.names = try reader.value()
      try reader.literal(#","numbers":"#)
      self.numbers = try reader.value()
      try reader.literal(#","species":"#)
      self.species = try reader.value()
      try reader.literal(#","set":"#)
      self.set = try reader.value()
      try reader.literal(#","levels":"#)
      self.levels = try reader.value()
      try reader.literal(#","nested":"#)
      self.nested = try reader.value()
      self.maybe = try reader.accept(#","maybe":"#) ? .some(reader.value()) : nil
      try reader.literal(#","inside":"#)
      self.inside = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["names", "numbers", "species", "set", "levels", "nested", "maybe", "inside"],
    samples: [
      #"{"names":{},"numbers":{},"species":[],"set":[],"levels":[],"nested":[],"inside":{}}"#,
      #"{"names":{"Grüße":0},"numbers":{"1":null},"species":["lion",0],"set":[""],"levels":[-1],"nested":[[]],"maybe":1,"inside":{}}"#,
      #"{"names":{"a\"b":0},"numbers":{"-1":null},"species":["lion",0],"set":[""],"levels":[-1],"nested":[[]],"maybe":-1,"inside":{}}"#,
    ],
    parts: { parts2() }
  )
}

private func parts2() -> [any DirectCodable.Type] {
  [Collections.Inside.self, Level.self, Species.self]
}

// MARK: Collections.Inside

extension Collections.Inside: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal("{")
    if let value = self.values {
      writer.literal(#""values":"#)
      writer.required(value)
    }
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    var isFirst = true
    self.values = try reader.acceptMember(#""values":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["values"],
    samples: [
      "{}",
      #"{"values":{"Grüße":[]}}"#,
      #"{"values":{"a\"b":[]}}"#,
    ],
    parts: { [] }
  )
}

// MARK: Enclosure

extension Enclosure: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal("{")
      if let value = self.area {
        writer.literal(#""area":"#)
        writer.required(value)
      }
      writer.separator()
      writer.literal(#""capacity":"#)
      writer.required(self.capacity)
      writer.literal(#","isOpen":"#)
      writer.required(self.isOpen)
      writer.literal(#","name":"#)
      writer.required(self.name)
      if let value = self.nickname {
        writer.literal(#","nickname":"#)
        writer.required(value)
      }
      writer.literal(#","species":"#)
      writer.required(self.species)
      writer.literal(#","version":"#)
      writer.required(self.version)
      if let value = self.zone {
        writer.literal(#","zone":"#)
        writer.required(value)
      }
      writer.literal("}")
    } else {
      writer.literal("{")
      if let value = self.zone {
        writer.literal(#""zone":"#)
        writer.required(value)
      }
      if let value = self.area {
        writer.separator()
        writer.literal(#""area":"#)
        writer.required(value)
      }
      writer.separator()
      writer.literal(#""name":"#)
      writer.required(self.name)
      writer.literal(#","version":"#)
      writer.required(self.version)
      writer.literal(#","capacity":"#)
      writer.required(self.capacity)
      writer.literal(#","species":"#)
      writer.required(self.species)
      if let value = self.nickname {
        writer.literal(#","nickname":"#)
        writer.required(value)
      }
      writer.literal(#","isOpen":"#)
      writer.required(self.isOpen)
      writer.literal("}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      var isFirst = true
      self.area = try reader.acceptMember(#""area":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.member(#""capacity":"#, first: &isFirst)
      self.capacity = try reader.value()
      try reader.literal(#","isOpen":"#)
      self.isOpen = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      self.nickname = try reader.accept(#","nickname":"#) ? .some(reader.value()) : nil
      try reader.literal(#","species":"#)
      self.species = try reader.value()
      try reader.literal(#","version":"#)
      try reader.skip(like: self.version)
      self.zone = try reader.accept(#","zone":"#) ? .some(reader.value()) : nil
      try reader.literal("}")
    } else {
      var isFirst = true
      self.zone = try reader.acceptMember(#""zone":"#, first: &isFirst) ? .some(reader.value()) : nil
      self.area = try reader.acceptMember(#""area":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.member(#""name":"#, first: &isFirst)
      self.name = try reader.value()
      try reader.literal(#","version":"#)
      try reader.skip(like: self.version)
      try reader.literal(#","capacity":"#)
      self.capacity = try reader.value()
      try reader.literal(#","species":"#)
      self.species = try reader.value()
      self.nickname = try reader.accept(#","nickname":"#) ? .some(reader.value()) : nil
      try reader.literal(#","isOpen":"#)
      self.isOpen = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["zone", "area", "name", "version", "capacity", "species", "nickname", "isOpen"],
    samples: [
      #"{"name":"","version":7,"capacity":0,"species":"lion","isOpen":false}"#,
      #"{"zone":"Grüße","area":0.5,"name":"Grüße","version":7,"capacity":1,"species":"lion","nickname":"Grüße","isOpen":true}"#,
      #"{"zone":"a\"b","area":-1,"name":"a\"b","version":7,"capacity":-1,"species":"lion","nickname":"a\"b","isOpen":false}"#,
    ],
    parts: { parts4() }
  )
}

private func parts4() -> [any DirectCodable.Type] {
  [Species.self]
}

// MARK: Forest

extension Forest: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"children":"#)
      writer.required(self.children)
      writer.literal(#","trees":"#)
      writer.required(self.trees)
      writer.literal("}")
    } else {
      writer.literal(#"{"trees":"#)
      writer.required(self.trees)
      writer.literal(#","children":"#)
      writer.required(self.children)
      writer.literal("}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""children":"#)
      self.children = try reader.value()
      try reader.literal(#","trees":"#)
      self.trees = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""trees":"#)
      self.trees = try reader.value()
      try reader.literal(#","children":"#)
      self.children = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["trees", "children"],
    samples: [
      #"{"trees":[],"children":[]}"#,
      #"{"trees":[{"leaf":{"_0":0}}],"children":[{"trees":[],"children":[]}]}"#,
    ],
    parts: { parts5() }
  )
}

private func parts5() -> [any DirectCodable.Type] {
  [Tree.self]
}

// MARK: Identifier

extension Identifier: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    writer.required(self.rawValue)
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self.init(rawValue: try reader.value())
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #""""#,
      #""Grüße""#,
      #""a\"b""#,
    ],
    parts: { [] }
  )
}

// MARK: Invoice

extension Invoice: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"lines":"#)
      writer.required(self.lines)
      if let value = self.tip {
        writer.literal(#","tip":"#)
        writer.required(value)
      }
      writer.literal(#","total":"#)
      writer.required(self.total)
      writer.literal("}")
    } else {
      writer.literal(#"{"total":"#)
      writer.required(self.total)
      writer.literal(#","lines":"#)
      writer.required(self.lines)
      if let value = self.tip {
        writer.literal(#","tip":"#)
        writer.required(value)
      }
      writer.literal("}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""lines":"#)
      self.lines = try reader.value()
      self.tip = try reader.accept(#","tip":"#) ? .some(reader.value()) : nil
      try reader.literal(#","total":"#)
      self.total = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""total":"#)
      self.total = try reader.value()
      try reader.literal(#","lines":"#)
      self.lines = try reader.value()
      self.tip = try reader.accept(#","tip":"#) ? .some(reader.value()) : nil
      try reader.literal("}")
    }
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["total", "lines", "tip"],
    samples: samples7(),
    parts: { parts7() }
  )
}

private func samples7() -> [String] {
  [
    #"{"total":"# + Price.directShape.sample + #","lines":{}}"#,
    #"{"total":"# + Price.directShape.sample + #","lines":{"Grüße":[]},"tip":"# + Price.directShape.sample + "}",
    #"{"total":"# + Price.directShape.sample + #","lines":{"a\"b":[]},"tip":"# + Price.directShape.sample + "}",
  ]
}

private func parts7() -> [any DirectCodable.Type] {
  [Price.self]
}

// MARK: Keys

extension Keys: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal("{")
    if let value = self.second {
      writer.literal(#""2nd":"#)
      writer.required(value)
    }
    writer.separator()
    writer.literal(#""first":"#)
    writer.required(self.first)
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    var isFirst = true
    self.second = try reader.acceptMember(#""2nd":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.member(#""first":"#, first: &isFirst)
    self.first = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["first", "second", "third"],
    samples: [
      #"{"first":0}"#,
      #"{"2nd":"Grüße","first":1}"#,
      #"{"2nd":"a\"b","first":-1}"#,
    ],
    parts: { [] }
  )
}

// MARK: Labels

extension Labels: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"levels":"#)
    writer.required(self.levels)
    writer.literal(#","marks":"#)
    writer.required(self.marks)
    if let value = self.nested {
      writer.literal(#","nested":"#)
      writer.required(value)
    }
    writer.literal(#","tree":"#)
    writer.required(self.tree)
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"levels":"#)
    self.levels = try reader.value()
    try reader.literal(#","marks":"#)
    self.marks = try reader.value()
    self.nested = try reader.accept(#","nested":"#) ? .some(reader.value()) : nil
    try reader.literal(#","tree":"#)
    self.tree = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["levels", "marks", "nested", "tree"],
    samples: [
      #"{"levels":{},"marks":{},"tree":{}}"#,
      #"{"levels":{},"marks":{},"nested":{},"tree":{}}"#,
    ],
    parts: { parts9() }
  )
}

private func parts9() -> [any DirectCodable.Type] {
  [Labels.Label.self, Labels.Mark.self, Level.self, Species.self]
}

// MARK: Labels.Label

extension Labels.Label: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    switch self {
    case .plain: writer.literal(#""plain""#)
    case .quoted: writer.literal(#""a\"b""#)
    case .accent: writer.literal(#""é""#)
    case .control: writer.literal(#""\u0001\n""#)
    case .empty: writer.literal(#""""#)
    }
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    if reader.accept(#""\u0001\n""#) {
      self = .control
    } else if reader.accept(#""plain""#) {
      self = .plain
    } else if reader.accept(#""a\"b""#) {
      self = .quoted
    } else if reader.accept(#""é""#) {
      self = .accent
    } else if reader.accept(#""""#) {
      self = .empty
    } else {
      throw DirectMismatch()
    }
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #""plain""#,
      #""a\"b""#,
      #""é""#,
      #""\u0001\n""#,
      #""""#,
    ],
    parts: { [] }
  )
}

// MARK: Labels.Mark

extension Labels.Mark: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"text":"#)
    writer.required(self.text)
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"text":"#)
    self.text = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["text"],
    samples: [
      #"{"text":""}"#,
      #"{"text":"Grüße"}"#,
      #"{"text":"a\"b"}"#,
    ],
    parts: { [] }
  )
}

// MARK: Level

extension Level: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    switch self {
    case .low: writer.literal("-1")
    case .mid: writer.literal("0")
    case .high: writer.literal("10")
    }
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    if reader.accept("-1") {
      self = .low
    } else if reader.accept("10") {
      self = .high
    } else if reader.accept("0") {
      self = .mid
    } else {
      throw DirectMismatch()
    }
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      "-1",
      "0",
      "10",
    ],
    parts: { [] }
  )
}

// MARK: Outer.Kept

extension Outer.Kept: DirectCodable {
  func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"x":"#)
    writer.required(self.x)
    writer.literal("}")
    writer.leave()
  }

  init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"x":"#)
    self.x = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  static let directShape = DirectShape(
    of: Self.self, members: ["x"],
    samples: [
      #"{"x":0}"#,
      #"{"x":1}"#,
      #"{"x":-1}"#,
    ],
    parts: { [] }
  )
}

// MARK: Rule

extension Rule: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .always:
      writer.literal(#"{"always":{}}"#)
    case .not(let value0):
      writer.literal(#"{"not":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .all(let value0):
      writer.literal(#"{"all":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .costs(atLeast: let value0, species: let value1):
      writer.literal(#"{"costs":{"atLeast":"#)
      writer.required(value0)
      if let value = value1 {
        writer.literal(#","species":"#)
        writer.required(value)
      }
      writer.literal("}}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read14(&reader)
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: samples14(),
    parts: { parts14() }
  )
}

private func read14(_ reader: inout DirectReader) throws(DirectMismatch) -> Rule {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"always":{}}"#) {
    return .always
  }
  if reader.accept(#"{"not":{"_0":"#) {
    let value0: Rule
    value0 = try reader.value()
    try reader.literal("}}")
    return .not(value0)
  }
  if reader.accept(#"{"all":{"_0":"#) {
    let value0: Swift.Array<Rule>
    value0 = try reader.value()
    try reader.literal("}}")
    return .all(value0)
  }
  if reader.accept(#"{"costs":{"atLeast":"#) {
    let value0: Price
    let value1: Swift.Optional<Species>
    value0 = try reader.value()
    value1 = try reader.accept(#","species":"#) ? .some(reader.value()) : nil
    try reader.literal("}}")
    return .costs(atLeast: value0, species: value1)
  }
  throw DirectMismatch()
}

extension Rule: DirectAction {
  package func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .always: writer.literal("always")
    case .not: writer.literal("not")
    case .all: writer.literal("all")
    case .costs: writer.literal("costs")
    }
  }

  package func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .always:
      writer.literal("{}")
    case .not(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .all(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .costs(atLeast: let value0, species: let value1):
      writer.literal(#"{"atLeast":"#)
      writer.required(value0)
      if let value = value1 {
        writer.literal(#","species":"#)
        writer.required(value)
      }
      writer.literal("}")
    }
  }

  package init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action14(&type, &data)
  }
}

private func action14(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> Rule {
  if type.acceptLast("always") {
    try data.literal("{}")
    return .always
  }
  if type.acceptLast("not") {
    let value0: Rule
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .not(value0)
  }
  if type.acceptLast("all") {
    let value0: Swift.Array<Rule>
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .all(value0)
  }
  if type.acceptLast("costs") {
    let value0: Price
    let value1: Swift.Optional<Species>
    try data.literal(#"{"atLeast":"#)
    value0 = try data.value()
    value1 = try data.accept(#","species":"#) ? .some(data.value()) : nil
    try data.literal("}")
    return .costs(atLeast: value0, species: value1)
  }
  throw DirectMismatch()
}

private func samples14() -> [String] {
  [
    #"{"always":{}}"#,
    #"{"not":{"_0":{"always":{}}}}"#,
    #"{"all":{"_0":[]}}"#,
    #"{"all":{"_0":[{"always":{}}]}}"#,
    #"{"costs":{"atLeast":"# + Price.directShape.sample + "}}",
    #"{"costs":{"atLeast":"# + Price.directShape.sample + #","species":"lion"}}"#,
  ]
}

private func parts14() -> [any DirectCodable.Type] {
  [Price.self, Species.self]
}

// MARK: Scalars

extension Scalars: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"a":"#)
    writer.required(self.a)
    writer.literal(#","b":"#)
    writer.required(self.b)
    writer.literal(#","c":"#)
    writer.required(self.c)
    writer.literal(#","d":"#)
    writer.required(self.d)
    writer.literal(#","e":"#)
    writer.required(self.e)
    writer.literal(#","f":"#)
    writer.required(self.f)
    writer.literal(#","g":"#)
    writer.required(self.g)
    writer.literal(#","h":"#)
    writer.required(self.h)
    writer.literal(#","i":"#)
    writer.required(self.i)
    writer.literal(#","j":"#)
    writer.required(self.j)
    writer.literal(#","k":"#)
    writer.required(self.k)
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"a":"#)
    self.a = try reader.value()
    try reader.literal(#","b":"#)
    self.b = try reader.value()
    try reader.literal(#","c":"#)
    self.c = try reader.value()
    try reader.literal(#","d":"#)
    self.d = try reader.value()
    try reader.literal(#","e":"#)
    self.e = try reader.value()
    try reader.literal(#","f":"#)
    self.f = try reader.value()
    try reader.literal(#","g":"#)
    self.g = try reader.value()
    try reader.literal(#","h":"#)
    self.h = try reader.value()
    try reader.literal(#","i":"#)
    self.i = try reader.value()
    try reader.literal(#","j":"#)
    self.j = try reader.value()
    try reader.literal(#","k":"#)
    self.k = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"],
    samples: [
      #"{"a":0,"b":0,"c":0,"d":0,"e":"2001-01-01T00:00:00Z","f":"","g":"a","h":"00000000-0000-0000-0000-000000000000","i":"0","j":false,"k":-1}"#,
      #"{"a":1,"b":1,"c":0.5,"d":0.5,"e":"2026-11-21T09:00:05.5Z","f":"AQ==","g":"https://example.com/a?b#c","h":"3F0C9A52-7D1E-4C55-9D0A-0B9F6F0F5A11","i":"1.5","j":true,"k":-1}"#,
      #"{"a":-1,"b":100,"c":-1,"d":-1,"e":-1000000000000,"f":"AAEC","g":"/","h":"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF","i":"-1","j":false,"k":-1}"#,
    ],
    parts: { parts15() }
  )
}

private func parts15() -> [any DirectCodable.Type] {
  [Level.self]
}

// MARK: Species

extension Species: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    switch self {
    case .lion: writer.literal(#""lion""#)
    case .tiger: writer.literal(#""Panthera tigris \"T\"""#)
    case .owl: writer.literal(#""Euleé""#)
    }
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    if reader.accept(#""Panthera tigris \"T\"""#) {
      self = .tiger
    } else if reader.accept(#""Euleé""#) {
      self = .owl
    } else if reader.accept(#""lion""#) {
      self = .lion
    } else {
      throw DirectMismatch()
    }
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #""lion""#,
      #""Panthera tigris \"T\"""#,
      #""Euleé""#,
    ],
    parts: { [] }
  )
}

// MARK: Tree

extension Tree: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .leaf(let value0):
      writer.literal(#"{"leaf":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .node(left: let value0, right: let value1):
      writer.literal(#"{"node":{"left":"#)
      writer.required(value0)
      writer.literal(#","right":"#)
      writer.required(value1)
      writer.literal("}}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read17(&reader)
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"leaf":{"_0":0}}"#,
      #"{"leaf":{"_0":1}}"#,
      #"{"leaf":{"_0":-1}}"#,
      #"{"node":{"left":{"leaf":{"_0":0}},"right":{"leaf":{"_0":0}}}}"#,
    ],
    parts: { [] }
  )
}

private func read17(_ reader: inout DirectReader) throws(DirectMismatch) -> Tree {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"leaf":{"_0":"#) {
    let value0: Swift.Int
    value0 = try reader.value()
    try reader.literal("}}")
    return .leaf(value0)
  }
  if reader.accept(#"{"node":{"left":"#) {
    let value0: Tree
    let value1: Tree
    value0 = try reader.value()
    try reader.literal(#","right":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .node(left: value0, right: value1)
  }
  throw DirectMismatch()
}

extension Tree: DirectAction {
  package func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .leaf: writer.literal("leaf")
    case .node: writer.literal("node")
    }
  }

  package func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .leaf(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .node(left: let value0, right: let value1):
      writer.literal(#"{"left":"#)
      writer.required(value0)
      writer.literal(#","right":"#)
      writer.required(value1)
      writer.literal("}")
    }
  }

  package init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action17(&type, &data)
  }
}

private func action17(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> Tree {
  if type.acceptLast("leaf") {
    let value0: Swift.Int
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .leaf(value0)
  }
  if type.acceptLast("node") {
    let value0: Tree
    let value1: Tree
    try data.literal(#"{"left":"#)
    value0 = try data.value()
    try data.literal(#","right":"#)
    value1 = try data.value()
    try data.literal("}")
    return .node(left: value0, right: value1)
  }
  throw DirectMismatch()
}

// MARK: ZooAction

extension ZooAction: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .plain:
      writer.literal(#"{"plain":{}}"#)
    case .nested(let value0):
      writer.literal(#"{"nested":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .labels(zebra: let value0, apple: let value1, mango: let value2):
      if writer.isCanonical {
        writer.literal(#"{"labels":{"#)
        if let value = value1 {
          writer.literal(#""apple":"#)
          writer.required(value)
        }
        writer.separator()
        writer.literal(#""mango":"#)
        writer.required(value2)
        writer.literal(#","zebra":"#)
        writer.required(value0)
        writer.literal("}}")
      } else {
        writer.literal(#"{"labels":{"zebra":"#)
        writer.required(value0)
        if let value = value1 {
          writer.literal(#","apple":"#)
          writer.required(value)
        }
        writer.literal(#","mango":"#)
        writer.required(value2)
        writer.literal("}}")
      }
    case .unlabelled(let value0, let value1):
      writer.literal(#"{"unlabelled":{"_0":"#)
      writer.required(value0)
      writer.literal(#","_1":"#)
      writer.required(value1)
      writer.literal("}}")
    case .single(let value0):
      writer.literal(#"{"single":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .optionalSingle(let value0):
      writer.literal(#"{"optionalSingle":{"#)
      if let value = value0 {
        writer.literal(#""_0":"#)
        writer.required(value)
      }
      writer.literal("}}")
    case .optionalEnum(let value0):
      writer.literal(#"{"optionalEnum":{"#)
      if let value = value0 {
        writer.literal(#""_0":"#)
        writer.required(value)
      }
      writer.literal("}}")
    case .structure(let value0):
      writer.literal(#"{"structure":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .raw(let value0):
      writer.literal(#"{"raw":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .wild(let value0, name: let value1):
      writer.literal(#"{"wild":{"_0":"#)
      writer.required(value0)
      writer.literal(#","name":"#)
      writer.required(value1)
      writer.literal("}}")
    case .tree(let value0):
      writer.literal(#"{"tree":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .scalars(let value0):
      writer.literal(#"{"scalars":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .collections(let value0):
      writer.literal(#"{"collections":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .odd(let value0):
      writer.literal(#"{"odd":{"_0":"#)
      writer.other(value0)
      writer.literal("}}")
    case .oddLabel(value: let value0, count: let value1):
      if writer.isCanonical {
        writer.literal(#"{"oddLabel":{"count":"#)
        writer.required(value1)
        writer.literal(#","value":"#)
        writer.other(value0)
        writer.literal("}}")
      } else {
        writer.literal(#"{"oddLabel":{"value":"#)
        writer.other(value0)
        writer.literal(#","count":"#)
        writer.required(value1)
        writer.literal("}}")
      }
    case .box(let value0):
      writer.literal(#"{"box":{"_0":"#)
      writer.other(value0)
      writer.literal("}}")
    case .money(amount: let value0):
      writer.literal(#"{"money":{"amount":"#)
      writer.other(value0)
      writer.literal("}}")
    case .keys(let value0):
      writer.literal(#"{"keys":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .ticket(let value0):
      writer.literal(#"{"ticket":{"_0":"#)
      writer.other(value0)
      writer.literal("}}")
    case .tickets(items: let value0, by: let value1):
      if writer.isCanonical {
        writer.literal(#"{"tickets":{"by":"#)
        writer.required(value1)
        writer.literal(#","items":"#)
        writer.other(value0)
        writer.literal("}}")
      } else {
        writer.literal(#"{"tickets":{"items":"#)
        writer.other(value0)
        writer.literal(#","by":"#)
        writer.required(value1)
        writer.literal("}}")
      }
    case .rule(let value0):
      writer.literal(#"{"rule":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .ruleChange(from: let value0, to: let value1):
      writer.literal(#"{"ruleChange":{"#)
      if let value = value0 {
        writer.literal(#""from":"#)
        writer.required(value)
      }
      writer.separator()
      writer.literal(#""to":"#)
      writer.required(value1)
      writer.literal("}}")
    case .maybeRule(let value0):
      writer.literal(#"{"maybeRule":{"#)
      if let value = value0 {
        writer.literal(#""_0":"#)
        writer.required(value)
      }
      writer.literal("}}")
    case .paid(let value0):
      writer.literal(#"{"paid":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .invoice(let value0):
      writer.literal(#"{"invoice":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read18(&reader)
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: samples18(),
    parts: { parts18() }
  )
}

private func read18(_ reader: inout DirectReader) throws(DirectMismatch) -> ZooAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"plain":{}}"#) {
    return .plain
  }
  if reader.accept(#"{"nested":{"_0":"#) {
    let value0: ZooAction.Nested
    value0 = try reader.value()
    try reader.literal("}}")
    return .nested(value0)
  }
  if reader.accept(#"{"labels":{"#) {
    let value0: Swift.Int
    let value1: Swift.Optional<Swift.String>
    let value2: Swift.Array<Swift.Double>
    if reader.isCanonical {
      var isFirst = true
      value1 = try reader.acceptMember(#""apple":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.member(#""mango":"#, first: &isFirst)
      value2 = try reader.value()
      try reader.literal(#","zebra":"#)
      value0 = try reader.value()
      try reader.literal("}}")
    } else {
      try reader.literal(#""zebra":"#)
      value0 = try reader.value()
      value1 = try reader.accept(#","apple":"#) ? .some(reader.value()) : nil
      try reader.literal(#","mango":"#)
      value2 = try reader.value()
      try reader.literal("}}")
    }
    return .labels(zebra: value0, apple: value1, mango: value2)
  }
  if reader.accept(#"{"unlabelled":{"_0":"#) {
    let value0: Swift.Int
    let value1: Swift.String
    value0 = try reader.value()
    try reader.literal(#","_1":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .unlabelled(value0, value1)
  }
  if reader.accept(#"{"single":{"_0":"#) {
    let value0: Swift.Int
    value0 = try reader.value()
    try reader.literal("}}")
    return .single(value0)
  }
  if reader.accept(#"{"optionalSingle":{"#) {
    let value0: Swift.Optional<Swift.String>
    var isFirst = true
    value0 = try reader.acceptMember(#""_0":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.literal("}}")
    return .optionalSingle(value0)
  }
  if reader.accept(#"{"optionalEnum":{"#) {
    let value0: Swift.Optional<ZooAction.Nested>
    var isFirst = true
    value0 = try reader.acceptMember(#""_0":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.literal("}}")
    return .optionalEnum(value0)
  }
  if reader.accept(#"{"structure":{"_0":"#) {
    let value0: Enclosure
    value0 = try reader.value()
    try reader.literal("}}")
    return .structure(value0)
  }
  if reader.accept(#"{"raw":{"_0":"#) {
    let value0: Species
    value0 = try reader.value()
    try reader.literal("}}")
    return .raw(value0)
  }
  if reader.accept(#"{"wild":{"_0":"#) {
    let value0: Species
    let value1: Swift.String
    value0 = try reader.value()
    try reader.literal(#","name":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .wild(value0, name: value1)
  }
  if reader.accept(#"{"tree":{"_0":"#) {
    let value0: Tree
    value0 = try reader.value()
    try reader.literal("}}")
    return .tree(value0)
  }
  if reader.accept(#"{"scalars":{"_0":"#) {
    let value0: Scalars
    value0 = try reader.value()
    try reader.literal("}}")
    return .scalars(value0)
  }
  if reader.accept(#"{"collections":{"_0":"#) {
    let value0: Collections
    value0 = try reader.value()
    try reader.literal("}}")
    return .collections(value0)
  }
  if reader.accept(#"{"odd":{"_0":"#) {
    let value0: Odd
    value0 = try reader.other()
    try reader.literal("}}")
    return .odd(value0)
  }
  if reader.accept(#"{"oddLabel":{"#) {
    let value0: Odd
    let value1: Swift.Int
    if reader.isCanonical {
      try reader.literal(#""count":"#)
      value1 = try reader.value()
      try reader.literal(#","value":"#)
      value0 = try reader.other()
      try reader.literal("}}")
    } else {
      try reader.literal(#""value":"#)
      value0 = try reader.other()
      try reader.literal(#","count":"#)
      value1 = try reader.value()
      try reader.literal("}}")
    }
    return .oddLabel(value: value0, count: value1)
  }
  if reader.accept(#"{"box":{"_0":"#) {
    let value0: Box<Swift.Int>
    value0 = try reader.other()
    try reader.literal("}}")
    return .box(value0)
  }
  if reader.accept(#"{"money":{"amount":"#) {
    let value0: Money
    value0 = try reader.other()
    try reader.literal("}}")
    return .money(amount: value0)
  }
  if reader.accept(#"{"keys":{"_0":"#) {
    let value0: Keys
    value0 = try reader.value()
    try reader.literal("}}")
    return .keys(value0)
  }
  if reader.accept(#"{"ticket":{"_0":"#) {
    let value0: Ticket
    value0 = try reader.other()
    try reader.literal("}}")
    return .ticket(value0)
  }
  if reader.accept(#"{"tickets":{"#) {
    let value0: Swift.Array<Ticket>
    let value1: Swift.Dictionary<Swift.String, Swift.Array<Swift.Optional<Species>>>
    if reader.isCanonical {
      try reader.literal(#""by":"#)
      value1 = try reader.value()
      try reader.literal(#","items":"#)
      value0 = try reader.other()
      try reader.literal("}}")
    } else {
      try reader.literal(#""items":"#)
      value0 = try reader.other()
      try reader.literal(#","by":"#)
      value1 = try reader.value()
      try reader.literal("}}")
    }
    return .tickets(items: value0, by: value1)
  }
  if reader.accept(#"{"rule":{"_0":"#) {
    let value0: Rule
    value0 = try reader.value()
    try reader.literal("}}")
    return .rule(value0)
  }
  if reader.accept(#"{"ruleChange":{"#) {
    let value0: Swift.Optional<Rule>
    let value1: Rule
    var isFirst = true
    value0 = try reader.acceptMember(#""from":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.member(#""to":"#, first: &isFirst)
    value1 = try reader.value()
    try reader.literal("}}")
    return .ruleChange(from: value0, to: value1)
  }
  if reader.accept(#"{"maybeRule":{"#) {
    let value0: Swift.Optional<Rule>
    var isFirst = true
    value0 = try reader.acceptMember(#""_0":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.literal("}}")
    return .maybeRule(value0)
  }
  if reader.accept(#"{"paid":{"_0":"#) {
    let value0: Price
    value0 = try reader.value()
    try reader.literal("}}")
    return .paid(value0)
  }
  if reader.accept(#"{"invoice":{"_0":"#) {
    let value0: Invoice
    value0 = try reader.value()
    try reader.literal("}}")
    return .invoice(value0)
  }
  throw DirectMismatch()
}

extension ZooAction: DirectAction {
  package func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .plain: writer.literal("plain")
    case .nested(let value0): writer.literal("nested."); value0.writeType(directly: &writer)
    case .labels: writer.literal("labels")
    case .unlabelled: writer.literal("unlabelled")
    case .single: writer.literal("single")
    case .optionalSingle: writer.literal("optionalSingle")
    case .optionalEnum: writer.decline()
    case .structure: writer.literal("structure")
    case .raw: writer.literal("raw")
    case .wild: writer.literal("wild")
    case .tree(let value0): writer.literal("tree."); value0.writeType(directly: &writer)
    case .scalars: writer.literal("scalars")
    case .collections: writer.literal("collections")
    case .odd: writer.decline()
    case .oddLabel: writer.literal("oddLabel")
    case .box: writer.decline()
    case .money: writer.literal("money")
    case .keys: writer.literal("keys")
    case .ticket: writer.decline()
    case .tickets: writer.literal("tickets")
    case .rule: writer.literal("rule")
    case .ruleChange: writer.literal("ruleChange")
    case .maybeRule: writer.literal("maybeRule")
    case .paid: writer.literal("paid")
    case .invoice: writer.literal("invoice")
    }
  }

  package func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .plain:
      writer.literal("{}")
    case .nested(let value0): value0.writeData(directly: &writer)
    case .labels(zebra: let value0, apple: let value1, mango: let value2):
      if writer.isCanonical {
        writer.literal("{")
        if let value = value1 {
          writer.literal(#""apple":"#)
          writer.required(value)
        }
        writer.separator()
        writer.literal(#""mango":"#)
        writer.required(value2)
        writer.literal(#","zebra":"#)
        writer.required(value0)
        writer.literal("}")
      } else {
        writer.literal(#"{"zebra":"#)
        writer.required(value0)
        if let value = value1 {
          writer.literal(#","apple":"#)
          writer.required(value)
        }
        writer.literal(#","mango":"#)
        writer.required(value2)
        writer.literal("}")
      }
    case .unlabelled(let value0, let value1):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal(#","_1":"#)
      writer.required(value1)
      writer.literal("}")
    case .single(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .optionalSingle(let value0):
      writer.literal("{")
      if let value = value0 {
        writer.literal(#""_0":"#)
        writer.required(value)
      }
      writer.literal("}")
    case .optionalEnum: writer.decline()
    case .structure(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .raw(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .wild(let value0, name: let value1):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal(#","name":"#)
      writer.required(value1)
      writer.literal("}")
    case .tree(let value0): value0.writeData(directly: &writer)
    case .scalars(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .collections(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .odd: writer.decline()
    case .oddLabel(value: let value0, count: let value1):
      if writer.isCanonical {
        writer.literal(#"{"count":"#)
        writer.required(value1)
        writer.literal(#","value":"#)
        writer.other(value0)
        writer.literal("}")
      } else {
        writer.literal(#"{"value":"#)
        writer.other(value0)
        writer.literal(#","count":"#)
        writer.required(value1)
        writer.literal("}")
      }
    case .box: writer.decline()
    case .money(amount: let value0):
      writer.literal(#"{"amount":"#)
      writer.other(value0)
      writer.literal("}")
    case .keys(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .ticket: writer.decline()
    case .tickets(items: let value0, by: let value1):
      if writer.isCanonical {
        writer.literal(#"{"by":"#)
        writer.required(value1)
        writer.literal(#","items":"#)
        writer.other(value0)
        writer.literal("}")
      } else {
        writer.literal(#"{"items":"#)
        writer.other(value0)
        writer.literal(#","by":"#)
        writer.required(value1)
        writer.literal("}")
      }
    case .rule(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .ruleChange(from: let value0, to: let value1):
      writer.literal("{")
      if let value = value0 {
        writer.literal(#""from":"#)
        writer.required(value)
      }
      writer.separator()
      writer.literal(#""to":"#)
      writer.required(value1)
      writer.literal("}")
    case .maybeRule(let value0):
      writer.literal("{")
      if let value = value0 {
        writer.literal(#""_0":"#)
        writer.required(value)
      }
      writer.literal("}")
    case .paid(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .invoice(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  package init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action18(&type, &data)
  }
}

private func action18(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> ZooAction {
  if type.acceptLast("plain") {
    try data.literal("{}")
    return .plain
  }
  if type.accept("nested.") {
    return try .nested(.init(type: &type, data: &data))
  }
  if type.acceptLast("labels") {
    let value0: Swift.Int
    let value1: Swift.Optional<Swift.String>
    let value2: Swift.Array<Swift.Double>
    try data.literal("{")
    if data.isCanonical {
      var isFirst = true
      value1 = try data.acceptMember(#""apple":"#, first: &isFirst) ? .some(data.value()) : nil
      try data.member(#""mango":"#, first: &isFirst)
      value2 = try data.value()
      try data.literal(#","zebra":"#)
      value0 = try data.value()
      try data.literal("}")
    } else {
      try data.literal(#""zebra":"#)
      value0 = try data.value()
      value1 = try data.accept(#","apple":"#) ? .some(data.value()) : nil
      try data.literal(#","mango":"#)
      value2 = try data.value()
      try data.literal("}")
    }
    return .labels(zebra: value0, apple: value1, mango: value2)
  }
  if type.acceptLast("unlabelled") {
    let value0: Swift.Int
    let value1: Swift.String
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal(#","_1":"#)
    value1 = try data.value()
    try data.literal("}")
    return .unlabelled(value0, value1)
  }
  if type.acceptLast("single") {
    let value0: Swift.Int
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .single(value0)
  }
  if type.acceptLast("optionalSingle") {
    let value0: Swift.Optional<Swift.String>
    try data.literal("{")
    var isFirst = true
    value0 = try data.acceptMember(#""_0":"#, first: &isFirst) ? .some(data.value()) : nil
    try data.literal("}")
    return .optionalSingle(value0)
  }
  if type.acceptLast("structure") {
    let value0: Enclosure
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .structure(value0)
  }
  if type.acceptLast("raw") {
    let value0: Species
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .raw(value0)
  }
  if type.acceptLast("wild") {
    let value0: Species
    let value1: Swift.String
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal(#","name":"#)
    value1 = try data.value()
    try data.literal("}")
    return .wild(value0, name: value1)
  }
  if type.accept("tree.") {
    return try .tree(.init(type: &type, data: &data))
  }
  if type.acceptLast("scalars") {
    let value0: Scalars
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .scalars(value0)
  }
  if type.acceptLast("collections") {
    let value0: Collections
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .collections(value0)
  }
  if type.acceptLast("oddLabel") {
    let value0: Odd
    let value1: Swift.Int
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""count":"#)
      value1 = try data.value()
      try data.literal(#","value":"#)
      value0 = try data.other()
      try data.literal("}")
    } else {
      try data.literal(#""value":"#)
      value0 = try data.other()
      try data.literal(#","count":"#)
      value1 = try data.value()
      try data.literal("}")
    }
    return .oddLabel(value: value0, count: value1)
  }
  if type.acceptLast("money") {
    let value0: Money
    try data.literal(#"{"amount":"#)
    value0 = try data.other()
    try data.literal("}")
    return .money(amount: value0)
  }
  if type.acceptLast("keys") {
    let value0: Keys
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .keys(value0)
  }
  if type.acceptLast("tickets") {
    let value0: Swift.Array<Ticket>
    let value1: Swift.Dictionary<Swift.String, Swift.Array<Swift.Optional<Species>>>
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""by":"#)
      value1 = try data.value()
      try data.literal(#","items":"#)
      value0 = try data.other()
      try data.literal("}")
    } else {
      try data.literal(#""items":"#)
      value0 = try data.other()
      try data.literal(#","by":"#)
      value1 = try data.value()
      try data.literal("}")
    }
    return .tickets(items: value0, by: value1)
  }
  if type.acceptLast("rule") {
    let value0: Rule
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .rule(value0)
  }
  if type.acceptLast("ruleChange") {
    let value0: Swift.Optional<Rule>
    let value1: Rule
    try data.literal("{")
    var isFirst = true
    value0 = try data.acceptMember(#""from":"#, first: &isFirst) ? .some(data.value()) : nil
    try data.member(#""to":"#, first: &isFirst)
    value1 = try data.value()
    try data.literal("}")
    return .ruleChange(from: value0, to: value1)
  }
  if type.acceptLast("maybeRule") {
    let value0: Swift.Optional<Rule>
    try data.literal("{")
    var isFirst = true
    value0 = try data.acceptMember(#""_0":"#, first: &isFirst) ? .some(data.value()) : nil
    try data.literal("}")
    return .maybeRule(value0)
  }
  if type.acceptLast("paid") {
    let value0: Price
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .paid(value0)
  }
  if type.acceptLast("invoice") {
    let value0: Invoice
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .invoice(value0)
  }
  throw DirectMismatch()
}

private func samples18() -> [String] {
  [
    #"{"plain":{}}"#,
    #"{"nested":{"_0":{"opened":{}}}}"#,
    #"{"labels":{"zebra":0,"mango":[]}}"#,
    #"{"labels":{"zebra":1,"apple":"Grüße","mango":[0]}}"#,
    #"{"labels":{"zebra":-1,"apple":"a\"b","mango":[0]}}"#,
    #"{"unlabelled":{"_0":0,"_1":""}}"#,
    #"{"unlabelled":{"_0":1,"_1":"Grüße"}}"#,
    #"{"unlabelled":{"_0":-1,"_1":"a\"b"}}"#,
    #"{"single":{"_0":0}}"#,
    #"{"single":{"_0":1}}"#,
    #"{"single":{"_0":-1}}"#,
    #"{"optionalSingle":{}}"#,
    #"{"optionalSingle":{"_0":"Grüße"}}"#,
    #"{"optionalSingle":{"_0":"a\"b"}}"#,
    #"{"optionalEnum":{}}"#,
    #"{"optionalEnum":{"_0":{"opened":{}}}}"#,
    #"{"structure":{"_0":{"name":"","version":7,"capacity":0,"species":"lion","isOpen":false}}}"#,
    #"{"raw":{"_0":"lion"}}"#,
    #"{"wild":{"_0":"lion","name":""}}"#,
    #"{"wild":{"_0":"lion","name":"Grüße"}}"#,
    #"{"wild":{"_0":"lion","name":"a\"b"}}"#,
    #"{"tree":{"_0":{"leaf":{"_0":0}}}}"#,
    #"{"scalars":{"_0":{"a":0,"b":0,"c":0,"d":0,"e":"2001-01-01T00:00:00Z","f":"","g":"a","h":"00000000-0000-0000-0000-000000000000","i":"0","j":false,"k":-1}}}"#,
    #"{"collections":{"_0":{"names":{},"numbers":{},"species":[],"set":[],"levels":[],"nested":[],"inside":{}}}}"#,
    #"{"keys":{"_0":{"first":0}}}"#,
    #"{"rule":{"_0":{"always":{}}}}"#,
    #"{"ruleChange":{"to":{"always":{}}}}"#,
    #"{"ruleChange":{"from":{"always":{}},"to":{"always":{}}}}"#,
    #"{"maybeRule":{}}"#,
    #"{"maybeRule":{"_0":{"always":{}}}}"#,
    #"{"paid":{"_0":"# + Price.directShape.sample + "}}",
    #"{"invoice":{"_0":{"total":"# + Price.directShape.sample + #","lines":{}}}}"#,
  ]
}

private func parts18() -> [any DirectCodable.Type] {
  [Collections.self, Enclosure.self, Invoice.self, Keys.self, Price.self, Rule.self, Scalars.self, Species.self, Tree.self, ZooAction.Nested.self] + DirectShape.part(Box<Swift.Int>.self) + DirectShape.part(Money.self) + DirectShape.part(Odd.self) + DirectShape.part(Swift.Array<Ticket>.self) + DirectShape.part(Ticket.self)
}

// MARK: ZooAction.Deeper

extension ZooAction.Deeper: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .end(value: let value0):
      writer.literal(#"{"end":{"value":"#)
      writer.required(value0)
      writer.literal("}}")
    case .last(_0: let value0):
      writer.literal(#"{"last":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .void(let value0):
      writer.literal(#"{"void":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read19(&reader)
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"end":{"value":false}}"#,
      #"{"end":{"value":true}}"#,
      #"{"last":{"_0":0}}"#,
      #"{"last":{"_0":1}}"#,
      #"{"last":{"_0":-1}}"#,
      #"{"void":{"_0":0}}"#,
      #"{"void":{"_0":1}}"#,
      #"{"void":{"_0":-1}}"#,
    ],
    parts: { [] }
  )
}

private func read19(_ reader: inout DirectReader) throws(DirectMismatch) -> ZooAction.Deeper {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"end":{"value":"#) {
    let value0: Swift.Bool
    value0 = try reader.value()
    try reader.literal("}}")
    return .end(value: value0)
  }
  if reader.accept(#"{"last":{"_0":"#) {
    let value0: Swift.Int
    value0 = try reader.value()
    try reader.literal("}}")
    return .last(_0: value0)
  }
  if reader.accept(#"{"void":{"_0":"#) {
    let value0: Swift.Int
    value0 = try reader.value()
    try reader.literal("}}")
    return .void(value0)
  }
  throw DirectMismatch()
}

extension ZooAction.Deeper: DirectAction {
  package func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .end: writer.literal("end")
    case .last: writer.literal("last")
    case .void: writer.literal("void")
    }
  }

  package func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .end(value: let value0):
      writer.literal(#"{"value":"#)
      writer.required(value0)
      writer.literal("}")
    case .last(_0: let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .void(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  package init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action19(&type, &data)
  }
}

private func action19(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> ZooAction.Deeper {
  if type.acceptLast("end") {
    let value0: Swift.Bool
    try data.literal(#"{"value":"#)
    value0 = try data.value()
    try data.literal("}")
    return .end(value: value0)
  }
  if type.acceptLast("last") {
    let value0: Swift.Int
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .last(_0: value0)
  }
  if type.acceptLast("void") {
    let value0: Swift.Int
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .void(value0)
  }
  throw DirectMismatch()
}

// MARK: ZooAction.Nested

extension ZooAction.Nested: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .opened:
      writer.literal(#"{"opened":{}}"#)
    case .closed(at: let value0, reason: let value1):
      writer.literal(#"{"closed":{"at":"#)
      writer.required(value0)
      if let value = value1 {
        writer.literal(#","reason":"#)
        writer.required(value)
      }
      writer.literal("}}")
    case .deeper(let value0):
      writer.literal(#"{"deeper":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read20(&reader)
  }

  package static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"opened":{}}"#,
      #"{"closed":{"at":"2001-01-01T00:00:00Z"}}"#,
      #"{"closed":{"at":"2026-11-21T09:00:05.5Z","reason":"Grüße"}}"#,
      #"{"closed":{"at":-1000000000000,"reason":"a\"b"}}"#,
      #"{"deeper":{"_0":{"end":{"value":false}}}}"#,
    ],
    parts: { parts20() }
  )
}

private func read20(_ reader: inout DirectReader) throws(DirectMismatch) -> ZooAction.Nested {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"opened":{}}"#) {
    return .opened
  }
  if reader.accept(#"{"closed":{"at":"#) {
    let value0: Date
    let value1: Swift.Optional<Swift.String>
    value0 = try reader.value()
    value1 = try reader.accept(#","reason":"#) ? .some(reader.value()) : nil
    try reader.literal("}}")
    return .closed(at: value0, reason: value1)
  }
  if reader.accept(#"{"deeper":{"_0":"#) {
    let value0: ZooAction.Deeper
    value0 = try reader.value()
    try reader.literal("}}")
    return .deeper(value0)
  }
  throw DirectMismatch()
}

extension ZooAction.Nested: DirectAction {
  package func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .opened: writer.literal("opened")
    case .closed: writer.literal("closed")
    case .deeper(let value0): writer.literal("deeper."); value0.writeType(directly: &writer)
    }
  }

  package func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .opened:
      writer.literal("{}")
    case .closed(at: let value0, reason: let value1):
      writer.literal(#"{"at":"#)
      writer.required(value0)
      if let value = value1 {
        writer.literal(#","reason":"#)
        writer.required(value)
      }
      writer.literal("}")
    case .deeper(let value0): value0.writeData(directly: &writer)
    }
  }

  package init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action20(&type, &data)
  }
}

private func action20(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> ZooAction.Nested {
  if type.acceptLast("opened") {
    try data.literal("{}")
    return .opened
  }
  if type.acceptLast("closed") {
    let value0: Date
    let value1: Swift.Optional<Swift.String>
    try data.literal(#"{"at":"#)
    value0 = try data.value()
    value1 = try data.accept(#","reason":"#) ? .some(data.value()) : nil
    try data.literal("}")
    return .closed(at: value0, reason: value1)
  }
  if type.accept("deeper.") {
    return try .deeper(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts20() -> [any DirectCodable.Type] {
  [ZooAction.Deeper.self]
}
