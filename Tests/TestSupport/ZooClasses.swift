/// A class that others inherit from.
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

/// A class that encodes what it inherits through a super encoder, before its own last member.
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

/// A class that encodes what it inherits among its own members.
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
