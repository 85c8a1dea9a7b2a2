/// The truck: what it is called, and where it stands.
public struct Truck: Hashable, Codable, Sendable {
  /// What is painted on its side.
  public var name: String
  /// The city in which it sells.
  public var cityID: City.ID

  /// Makes a truck.
  public init(name: String = "The Rolling Ring", cityID: City.ID = City.all[0].id) {
    self.name = name
    self.cityID = cityID
  }
}
