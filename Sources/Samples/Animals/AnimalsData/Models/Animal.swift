/// An animal: a row that people can add, edit and delete.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public struct Animal: Hashable, Codable, Sendable {
  /// What identifies the animal.
  public let animalId: String
  /// What people call it.
  public let name: String
  /// What it eats.
  public let diet: Diet
  /// The ``Category/categoryId`` of its category, which need not exist.
  public let categoryId: String

  package init(animalId: String, name: String, diet: Diet, categoryId: String) {
    self.animalId = animalId
    self.name = name
    self.diet = diet
    self.categoryId = categoryId
  }
}

extension Animal {
  /// What an animal eats. The raw value is what people read and what is stored.
  public enum Diet: String, CaseIterable, Hashable, Codable, Sendable {
    /// Plants.
    case herbivorous = "Herbivore"
    /// Animals.
    case carnivorous = "Carnivore"
    /// Both.
    case omnivorous = "Omnivore"
  }
}

extension Animal: Identifiable {
  /// The same as ``animalId``.
  public var id: String { animalId }
}
