internal import Foundation
package import TestSupport

/// Random values of every shape, with a preference for edge cases of coders.
extension ZooAction {
  package init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<25, using: &generator) {
    case 0: self = .plain
    case 1: self = .nested(Nested(using: &generator))
    case 2:
      self = .labels(
        zebra: generator.integer(), apple: generator.optional { $0.string() }, mango: generator.array { $0.double() })
    case 3: self = .unlabelled(generator.integer(), generator.string())
    case 4: self = .single(generator.integer())
    case 5: self = .optionalSingle(generator.optional { $0.string() })
    case 6: self = .optionalEnum(generator.optional { Nested(using: &$0) })
    case 7: self = .structure(Enclosure(using: &generator))
    case 8: self = .raw(generator.element(Species.allCases))
    case 9: self = .wild(generator.element(Species.allCases), name: generator.string())
    case 10: self = .tree(Tree(depth: Int.random(in: 0...6, using: &generator), using: &generator))
    case 11: self = .scalars(Scalars(using: &generator))
    case 12: self = .collections(Collections(using: &generator))
    case 13: self = .odd(Odd(twice: generator.element([nil, 1, .some(nil)])))
    case 14: self = .oddLabel(value: Odd(twice: 2), count: generator.integer())
    case 15: self = .box(Box(value: generator.integer()))
    case 16: self = .money(amount: Money(cents: generator.integer()))
    case 17:
      self = .keys(Keys(first: generator.integer(), second: generator.optional { $0.string() }))
    case 18: self = .ticket(Ticket(using: &generator))
    case 19: self = .rule(Rule(depth: 4, using: &generator))
    case 20:
      self = .ruleChange(
        from: generator.optional { Rule(depth: 2, using: &$0) }, to: Rule(depth: 3, using: &generator))
    case 21: self = .maybeRule(generator.optional { Rule(depth: 3, using: &$0) })
    case 22: self = .paid(Price(cents: generator.integer()))
    case 23:
      self = .invoice(
        Invoice(
          total: Price(cents: generator.integer()),
          lines: generator.dictionary({ $0.string() }) { $0.array { Price(cents: $0.integer()) } },
          tip: generator.optional { Price(cents: $0.integer()) }))
    default:
      self = .tickets(
        items: generator.array { Ticket(using: &$0) },
        by: generator.dictionary({ $0.string() }) { $0.array { $0.optional { $0.element(Species.allCases) } } })
    }
  }
}

extension ZooAction.Nested {
  init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: self = .opened
    case 1: self = .closed(at: generator.date(), reason: generator.optional { $0.string() })
    default: self = .deeper(generator.element([.end(value: true), .last(_0: generator.integer()), .void(3)]))
    }
  }
}

extension Enclosure {
  package init(using generator: inout SeededGenerator) {
    self.init(
      zone: generator.optional { $0.string() }, area: generator.optional { $0.double() }, name: generator.string(),
      capacity: generator.integer(), species: generator.element(Species.allCases),
      nickname: generator.optional { $0.string() }, isOpen: Bool.random(using: &generator))
  }
}

extension Tree {
  package init(depth: Int, using generator: inout SeededGenerator) {
    if depth == 0 {
      self = .leaf(generator.integer())
    } else {
      self = .node(left: Tree(depth: depth - 1, using: &generator), right: .leaf(depth))
    }
  }
}

extension Rule {
  package init(depth: Int, using generator: inout SeededGenerator) {
    switch depth == 0 ? 0 : Int.random(in: 0..<4, using: &generator) {
    case 0: self = .always
    case 1: self = .not(Rule(depth: depth - 1, using: &generator))
    case 2: self = .all(generator.array { Rule(depth: depth - 1, using: &$0) })
    default:
      self = .costs(
        atLeast: Price(cents: generator.integer()), species: generator.optional { $0.element(Species.allCases) })
    }
  }
}

extension Forest {
  package init(depth: Int, using generator: inout SeededGenerator) {
    self.init(
      trees: generator.array { Tree(depth: 2, using: &$0) },
      children: depth == 0 ? [] : generator.array { Forest(depth: depth - 1, using: &$0) })
  }
}

extension Scalars {
  package init(using generator: inout SeededGenerator) {
    self.init(
      a: generator.integer(), b: generator.integer(), c: generator.float(), d: generator.double(), e: generator.date(),
      f: Data(generator.string().utf8), g: generator.url(), h: generator.uuid(), i: generator.decimal(),
      j: Bool.random(using: &generator), k: generator.element([.low, .mid, .high]))
  }
}

extension Collections {
  package init(using generator: inout SeededGenerator) {
    self.init(
      names: generator.dictionary({ $0.string() }) { $0.integer() },
      numbers: generator.dictionary({ $0.integer() }) { $0.optional { $0.string() } },
      species: generator.dictionary({ $0.element(Species.allCases) }) { $0.integer() },
      set: Set(generator.array { $0.string() }), levels: Set(generator.array { $0.element([.low, .mid, .high]) }),
      nested: generator.array { $0.array { $0.optional { $0.integer() } } }, maybe: generator.optional { $0.integer() },
      inside: Inside(
        values: generator.optional { $0.dictionary({ $0.string() }) { Set($0.array { $0.integer() }) } }))
  }
}

extension Labels {
  package init(using generator: inout SeededGenerator) {
    self.init(
      levels: generator.dictionary({ $0.element(Label.allCases) }) { $0.integer() },
      marks: generator.dictionary({ Mark(text: $0.string().lowercased()) }) {
        $0.optional { $0.element(Label.allCases) }
      },
      nested: generator.optional {
        $0.dictionary({ $0.element(Label.allCases) }) {
          $0.dictionary({ Mark(text: $0.string().lowercased()) }) { $0.element([.low, .mid, .high]) }
        }
      }, tree: generator.dictionary({ $0.element(Label.allCases) }) { $0.element(Species.allCases) })
  }

  /// Two keys that have one name.
  package static var repeated: Labels {
    Labels(levels: [:], marks: [Mark(text: "A"): .plain, Mark(text: "a"): nil, Mark(text: "b"): nil], tree: [:])
  }
}

extension Ticket {
  init(using generator: inout SeededGenerator) {
    self.init(
      number: generator.integer(), used: generator.integer(), holder: Identifier(rawValue: generator.string()),
      observed: generator.integer())
  }
}
