// The guide's sample data. "Bibbon" is the id as published; it is data, so it stays.

extension Animal {
  /// A dog.
  public static let dog = Animal(animalId: "Dog", name: "Dog", diet: .carnivorous, categoryId: "Mammal")
  /// A cat.
  public static let cat = Animal(animalId: "Cat", name: "Cat", diet: .carnivorous, categoryId: "Mammal")
  /// A red kangaroo.
  public static let kangaroo = Animal(
    animalId: "Kangaroo", name: "Red kangaroo", diet: .herbivorous, categoryId: "Mammal")
  /// A southern gibbon, whose id is `Bibbon`.
  public static let gibbon = Animal(
    animalId: "Bibbon", name: "Southern gibbon", diet: .herbivorous, categoryId: "Mammal")
  /// A house sparrow.
  public static let sparrow = Animal(
    animalId: "Sparrow", name: "House sparrow", diet: .omnivorous, categoryId: "Bird")
  /// A newt.
  public static let newt = Animal(animalId: "Newt", name: "Newt", diet: .carnivorous, categoryId: "Amphibian")

  /// All six, in the order in which a reload returns them.
  package static let samples = [dog, cat, kangaroo, gibbon, sparrow, newt]
}
