import Foundation

/// A donut that the truck sells. The user can edit it.
public struct Donut: Hashable, Codable, Sendable, Identifiable {
  /// The unique id of the donut.
  public let id: Int
  /// The displayed name.
  public var name: String
  /// The dough.
  public var dough: String
  /// The glaze; `nil` if it has none.
  public var glaze: String?
  /// The topping; `nil` if it has none.
  public var topping: String?

  /// Creates a donut.
  public init(id: Int, name: String, dough: String, glaze: String? = nil, topping: String? = nil) {
    self.id = id
    self.name = name
    self.dough = dough
    self.glaze = glaze
    self.topping = topping
  }
}

extension Donut {
  /// Whether the name contains a text, ignoring case.
  public func matches(searchText: String) -> Bool {
    name.contains(ignoringCase: searchText)
  }
}

extension String {
  /// Whether the string contains a text, ignoring case, independent of the locale.
  func contains(ignoringCase text: String) -> Bool {
    text.isEmpty || range(of: text, options: .caseInsensitive) != nil
  }
}

extension Donut {
  /// The initial donuts.
  public static let all = [
    Donut(id: 1, name: "Plain Ring", dough: "yeast"),
    Donut(id: 2, name: "Honey Dip", dough: "yeast", glaze: "honey"),
    Donut(id: 3, name: "Midnight Cocoa", dough: "cocoa", glaze: "dark chocolate", topping: "cocoa nibs"),
    Donut(id: 4, name: "Lemon Cloud", dough: "yeast", glaze: "lemon", topping: "meringue"),
    Donut(id: 5, name: "Maple Walk", dough: "rye", glaze: "maple", topping: "pecans"),
    Donut(id: 6, name: "Berry Patch", dough: "yeast", glaze: "raspberry", topping: "dried berries"),
    Donut(id: 7, name: "Salted Caramel", dough: "butter", glaze: "caramel", topping: "sea salt"),
    Donut(id: 8, name: "Green Tea", dough: "rice", glaze: "matcha", topping: "sesame"),
    Donut(id: 9, name: "Coconut Beach", dough: "rice", glaze: "coconut", topping: "coconut flakes"),
    Donut(id: 10, name: "Birthday", dough: "butter", glaze: "vanilla", topping: "sprinkles"),
    Donut(id: 11, name: "Café", dough: "yeast", glaze: "espresso", topping: "cinnamon"),
    Donut(id: 12, name: "Apple Fritter", dough: "cider", glaze: "sugar"),
  ]

  /// The doughs that the editor offers.
  public static let doughs = Set(all.map(\.dough)).sorted()
  /// The glazes that the editor offers.
  public static let glazes = Set(all.compactMap(\.glaze)).sorted()
  /// The toppings that the editor offers.
  public static let toppings = Set(all.compactMap(\.topping) + ["candied pecans"]).sorted()
}
