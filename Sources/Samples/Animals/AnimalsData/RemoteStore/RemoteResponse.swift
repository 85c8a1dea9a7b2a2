/// What a server of animals answers: one element for each of the request's, in the same order.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 14.
public struct RemoteResponse: Hashable, Codable, Sendable {
  /// What was read; `nil` when nothing was asked for.
  public let query: [Query]?
  /// What was changed; `nil` when nothing was to be changed.
  public let mutation: [Mutation]?

  /// Makes a response.
  public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
    self.query = query
    self.mutation = mutation
  }
}

extension RemoteResponse {
  /// What was read.
  public enum Query: Hashable, Codable, Sendable {
    /// All categories.
    case categories(categories: [Category])
    /// All animals.
    case animals(animals: [Animal])
  }

  /// What was changed.
  public enum Mutation: Hashable, Codable, Sendable {
    /// The new animal, with its id.
    case addAnimal(animal: Animal)
    /// The animal as it is now.
    case updateAnimal(animal: Animal)
    /// The animal as it was.
    case deleteAnimal(animal: Animal)
    /// Everything that the server has now.
    case reloadSampleData(animals: [Animal], categories: [Category])
  }
}
