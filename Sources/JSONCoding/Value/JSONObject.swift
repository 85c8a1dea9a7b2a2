/// The members of a JSON object, in order, each name once.
///
/// Two objects are equal if they have equal members, in whatever order. Names are compared by their bytes.
public struct JSONObject: Sendable {
  /// A member.
  public typealias Element = (name: String, value: JSONValue)

  private var members: [Element] = []
  /// The places of the names; empty while the object is small enough to be searched.
  private var places: [ExactName: Int] = [:]

  /// Up to so many members, comparing names costs less than hashing them.
  private static let searchLimit = 8

  /// Makes an object without members.
  public init() {}

  /// Makes an object from members; a later member of the same name replaces the value of the earlier one.
  ///
  /// - Complexity: O(members).
  public init(_ members: some Sequence<(name: String, value: JSONValue)>) {
    for member in members { self[member.name] = member.value }
  }

  /// Makes an object from members of a checked text, whose names differ.
  init(unique members: [Element]) {
    self.members = members
    if members.count > JSONObject.searchLimit { index() }
  }

  /// The value of the member with a name.
  ///
  /// Setting a value keeps the member's place or appends it; setting `nil` removes the member.
  ///
  /// - Complexity: O(1); removing O(members).
  public subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): remove(at: place)
      case (nil, let value?): append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// The names of the members, in order.
  public var names: [String] { members.map(\.name) }

  private func place(of name: String) -> Int? {
    if !places.isEmpty { return places[ExactName(name)] }
    return members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
  }

  private mutating func append(_ member: Element) {
    members.append(member)
    if !places.isEmpty {
      places[ExactName(member.name)] = members.count - 1
    } else if members.count > JSONObject.searchLimit {
      index()
    }
  }

  private mutating func remove(at place: Int) {
    members.remove(at: place)
    places = [:]
    if members.count > JSONObject.searchLimit { index() }
  }

  private mutating func index() {
    places.reserveCapacity(members.count)
    for (place, member) in members.enumerated() { places[ExactName(member.name)] = place }
  }
}

extension JSONObject: RandomAccessCollection {
  /// The place of the first member.
  public var startIndex: Int { 0 }

  /// The place after the last member.
  public var endIndex: Int { members.count }

  /// The member at a place.
  public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: Hashable {
  /// Compares members without regard to their order.
  ///
  /// - Complexity: O(size).
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.name] == $0.value }
  }

  /// Hashes the members without regard to their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var part = Hasher()
      ExactName(member.name).hash(into: &part)
      member.value.hash(into: &part)
      sum &+= part.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Makes an object from a literal; a later member of the same name replaces the value of the earlier one.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}
