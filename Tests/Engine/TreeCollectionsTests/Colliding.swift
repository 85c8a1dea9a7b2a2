/// A key whose hash is what a test wants it to be.
///
/// `Hashable` lets a type give its own `hashValue`, which is deprecated for all other purposes: it is not mixed by `Hasher`, so
/// that hashes can be equal, or share any digits.
struct Colliding: Hashable, Sendable, Comparable, CustomStringConvertible {
  let name: Int
  let digits: Int

  init(_ name: Int, digits: Int = 0) {
    self.name = name
    self.digits = digits
  }

  var hashValue: Int { digits }

  func hash(into hasher: inout Hasher) { hasher.combine(digits) }

  var description: String { "\(name)#\(digits)" }

  static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
