/// A city that the food truck serves.
public struct City: Hashable, Codable, Sendable, Identifiable {
  /// What identifies the city.
  public let id: String
  /// What people call it.
  public let name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

extension City {
  /// The cities that the truck knows, in the order in which it visits them.
  public static let all = [
    City(id: "harbour", name: "Old Harbour"),
    City(id: "hills", name: "Seven Hills"),
    City(id: "market", name: "Market Cross"),
    City(id: "mill", name: "Millbrook"),
  ]
}
