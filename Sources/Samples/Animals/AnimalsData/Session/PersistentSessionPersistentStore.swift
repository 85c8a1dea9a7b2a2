/// The store behind a session: on this device, or behind a server.
///
/// Every mutation is stored when it returns.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public protocol PersistentSessionPersistentStore: Sendable {
  /// All categories that are stored.
  func fetchCategoriesQuery() async throws -> [Category]

  /// All animals that are stored.
  func fetchAnimalsQuery() async throws -> [Animal]

  /// Adds an animal.
  ///
  /// - Returns: The animal, under an id that the store made.
  func addAnimalMutation(name: String, diet: Animal.Diet, categoryId: Category.ID) async throws -> Animal

  /// Changes an animal.
  ///
  /// - Returns: The animal as it is now.
  /// - Throws: When there is no animal with the id.
  func updateAnimalMutation(
    animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID
  ) async throws -> Animal

  /// Deletes an animal.
  ///
  /// - Returns: The animal as it was.
  /// - Throws: When there is no animal with the id.
  func deleteAnimalMutation(animalId: Animal.ID) async throws -> Animal

  /// Replaces everything with the sample data, in one step.
  ///
  /// - Returns: Everything that is stored now.
  func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [Category])
}
