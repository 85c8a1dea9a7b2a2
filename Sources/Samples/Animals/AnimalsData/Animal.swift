/// An animal: a row that the user can add, edit and delete.
public struct Animal: Hashable, Codable, Sendable {
  /// The unique id of the animal.
  public let animalId: String
  /// The displayed name.
  public let name: String
  /// The kind of food it eats.
  public let diet: Diet
  /// The ``Category/categoryId`` of its category. The category may be missing.
  public let categoryId: String

  package init(animalId: String, name: String, diet: Diet, categoryId: String) {
    self.animalId = animalId
    self.name = name
    self.diet = diet
    self.categoryId = categoryId
  }
}

extension Animal {
  /// A kind of food. The raw value is the displayed name and the stored value.
  public enum Diet: String, CaseIterable, Hashable, Codable, Sendable {
    case herbivorous = "Herbivore"
    case carnivorous = "Carnivore"
    case omnivorous = "Omnivore"
  }
}

extension Animal: Identifiable {
  /// The same as ``animalId``.
  public var id: String { animalId }
}

/// A group of animals.
///
/// On Apple platforms, the Objective-C runtime declares a `Category` as well: write `AnimalsData.Category` there.
public struct Category: Hashable, Codable, Sendable {
  /// The unique id of the category.
  public let categoryId: String
  /// The displayed name.
  public let name: String

  package init(categoryId: String, name: String) {
    self.categoryId = categoryId
    self.name = name
  }
}

extension Category: Identifiable {
  /// The same as ``categoryId``.
  public var id: String { categoryId }
}

// The guide's sample data, unchanged: "Bibbon" is the published id.

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
