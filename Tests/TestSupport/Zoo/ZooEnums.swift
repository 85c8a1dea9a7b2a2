/// An enum with raw values.
package enum ZooKind: String, Codable, CaseIterable, Hashable {
  case cat, dog
  case fox = "🦊"
  case none = ""
}

/// An enum with integer raw values.
package enum ZooLevel: Int, Codable, CaseIterable, Hashable {
  case low = -1
  case high = 1_000_000
}

/// A recursive enum.
package indirect enum ZooTree: Codable, Hashable {
  case empty
  case leaf(Int)
  case node(left: ZooTree, right: ZooTree?)
  case list([ZooTree])

  package init(depth: Int, using generator: inout SeededGenerator) {
    switch depth == 0 ? 0 : Int.random(in: 0...4, using: &generator) {
    case 0: self = .empty
    case 1: self = .leaf(generator.integer())
    case 2: self = .list(generator.array { ZooTree(depth: depth - 1, using: &$0) })
    default:
      self = .node(
        left: ZooTree(depth: depth - 1, using: &generator),
        right: generator.optional { ZooTree(depth: depth - 1, using: &$0) })
    }
  }
}

/// Nested enums, like the actions of an application: with labeled, unlabeled, no and several payloads.
package enum ZooAction: Codable, Equatable {
  case ui(UI)
  case data(DataSource)
  case reset
  case move(Int, by: Double)
  case wrap(ZooPoint)
  case maybe(UI?)
  case labelled(action: UI)
  case set([String: ZooPoint])
  case many(ZooKind, ZooLevel)
  case tree(ZooTree)

  package enum UI: Codable, Equatable {
    case list(List)
    case tap(id: String)

    package enum List: Codable, Equatable {
      case onAppear
      case onSelect(animal: String, index: Int?)
      case onMove(Int, Int)
    }
  }

  package enum DataSource: Codable, Equatable {
    case didLoad(id: String, result: Outcome)
    case failed(ZooKind)
  }

  package enum Outcome: Codable, Equatable {
    case success(animals: [ZooPoint])
    case failure(error: String)
  }

  package init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0...9, using: &generator) {
    case 0: self = .ui(UI(using: &generator))
    case 1: self = .data(.didLoad(id: generator.string(), result: Outcome(using: &generator)))
    case 2: self = .reset
    case 3: self = .move(generator.integer(), by: generator.double())
    case 4: self = .wrap(ZooPoint(using: &generator))
    case 5: self = .maybe(generator.optional { UI(using: &$0) })
    case 6: self = .labelled(action: UI(using: &generator))
    case 7:
      self = .set(
        generator.dictionary {
          $0.string()
        } value: {
          ZooPoint(using: &$0)
        })
    case 8: self = .many(generator.element(ZooKind.allCases), generator.element(ZooLevel.allCases))
    default: self = .tree(ZooTree(depth: 3, using: &generator))
    }
  }
}

extension ZooAction.UI {
  fileprivate init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0...3, using: &generator) {
    case 0: self = .list(.onAppear)
    case 1: self = .list(.onSelect(animal: generator.string(), index: generator.optional { $0.integer() }))
    case 2: self = .list(.onMove(generator.integer(), generator.integer()))
    default: self = .tap(id: generator.string())
    }
  }
}

extension ZooAction.Outcome {
  fileprivate init(using generator: inout SeededGenerator) {
    if Bool.random(using: &generator) {
      self = .success(animals: generator.array { ZooPoint(using: &$0) })
    } else {
      self = .failure(error: generator.string())
    }
  }
}

/// A base class.
package class ZooAnimal: Codable, Equatable {
  package let name: String
  package let age: Int

  fileprivate init(animalUsing generator: inout SeededGenerator) {
    name = generator.string()
    age = generator.integer()
  }

  package static func == (left: ZooAnimal, right: ZooAnimal) -> Bool {
    left.isEqual(right)
  }

  fileprivate func isEqual(_ other: ZooAnimal) -> Bool {
    name == other.name && age == other.age
  }
}

/// A class that encodes its inherited members through a super encoder, before its own last member.
package final class ZooDog: ZooAnimal {
  package let toys: Set<String>
  package let friend: ZooDog?

  private enum CodingKeys: CodingKey {
    case toys, friend
  }

  package convenience init(using generator: inout SeededGenerator) {
    self.init(depth: 2, using: &generator)
  }

  private init(depth: Int, using generator: inout SeededGenerator) {
    toys = Set(generator.array { $0.string() })
    friend = depth == 0 ? nil : generator.optional { ZooDog(depth: depth - 1, using: &$0) }
    super.init(animalUsing: &generator)
  }

  package required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    toys = try container.decode(Set<String>.self, forKey: .toys)
    friend = try container.decodeIfPresent(ZooDog.self, forKey: .friend)
    try super.init(from: container.superDecoder())
  }

  package override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(toys, forKey: .toys)
    try super.encode(to: container.superEncoder())
    try container.encodeIfPresent(friend, forKey: .friend)
  }

  fileprivate override func isEqual(_ other: ZooAnimal) -> Bool {
    guard let other = other as? ZooDog else { return false }
    return super.isEqual(other) && toys == other.toys && friend == other.friend
  }
}

/// A class that encodes its inherited members among its own.
package final class ZooCat: ZooAnimal {
  package let lives: Int

  private enum CodingKeys: CodingKey {
    case lives
  }

  package init(using generator: inout SeededGenerator) {
    lives = generator.integer()
    super.init(animalUsing: &generator)
  }

  package required init(from decoder: any Decoder) throws {
    lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
    try super.init(from: decoder)
  }

  package override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(lives, forKey: .lives)
  }

  fileprivate override func isEqual(_ other: ZooAnimal) -> Bool {
    super.isEqual(other) && lives == (other as? ZooCat)?.lives
  }
}
