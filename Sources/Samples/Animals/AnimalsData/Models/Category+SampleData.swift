// The guide's sample data. The ids are equal to the names.

extension Category {
  /// Amphibians.
  public static let amphibian = Category(categoryId: "Amphibian", name: "Amphibian")
  /// Birds.
  public static let bird = Category(categoryId: "Bird", name: "Bird")
  /// Fish.
  public static let fish = Category(categoryId: "Fish", name: "Fish")
  /// Invertebrates.
  public static let invertebrate = Category(categoryId: "Invertebrate", name: "Invertebrate")
  /// Mammals.
  public static let mammal = Category(categoryId: "Mammal", name: "Mammal")
  /// Reptiles.
  public static let reptile = Category(categoryId: "Reptile", name: "Reptile")

  /// All six, in the order in which a reload returns them.
  package static let samples = [amphibian, bird, fish, invertebrate, mammal, reptile]
}
