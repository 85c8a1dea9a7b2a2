/// What a client asks a server of animals: the body of `POST /animals/api`.
///
/// All queries are carried out in their order, then all mutations in theirs.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 14.
public struct RemoteRequest: Hashable, Codable, Sendable {
  /// What is to be read. `nil` is left out of the JSON.
  public let query: [Query]?
  /// What is to be changed. `nil` is left out of the JSON.
  public let mutation: [Mutation]?

  /// Makes a request.
  public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
    self.query = query
    self.mutation = mutation
  }
}

extension RemoteRequest {
  /// What can be read.
  public enum Query: Hashable, Codable, Sendable {
    /// All categories.
    case categories
    /// All animals.
    case animals
  }

  /// What can be changed.
  public enum Mutation: Hashable, Codable, Sendable {
    /// A new animal, whose id the server makes.
    case addAnimal(name: String, diet: Animal.Diet, categoryId: Category.ID)
    /// Other values for an animal.
    case updateAnimal(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    /// An animal that is to go.
    case deleteAnimal(animalId: Animal.ID)
    /// Everything is to be replaced by the sample data.
    case reloadSampleData
  }
}
