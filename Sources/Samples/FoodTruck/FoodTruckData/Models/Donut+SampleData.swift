extension Donut {
  /// The donuts that the truck begins with.
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
