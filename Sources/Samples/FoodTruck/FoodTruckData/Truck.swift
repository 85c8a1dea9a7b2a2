/// The truck: its name and current city.
public struct Truck: Hashable, Codable, Sendable {
  /// The displayed name.
  public var name: String
  /// The id of the current city.
  public var cityID: City.ID

  /// Creates a truck.
  public init(name: String = "The Rolling Ring", cityID: City.ID = City.all[0].id) {
    self.name = name
    self.cityID = cityID
  }
}

/// A city that the food truck serves.
public struct City: Hashable, Codable, Sendable, Identifiable {
  /// The unique id of the city.
  public let id: String
  /// The displayed name.
  public let name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

extension City {
  /// All cities, in the order in which the truck visits them.
  public static let all = [
    City(id: "harbour", name: "Old Harbour"),
    City(id: "hills", name: "Seven Hills"),
    City(id: "market", name: "Market Cross"),
    City(id: "mill", name: "Millbrook"),
  ]
}
