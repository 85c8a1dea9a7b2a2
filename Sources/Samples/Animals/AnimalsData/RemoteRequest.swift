/// A request to a server of animals: the body of `POST /animals/api`.
///
/// The server performs all queries in order, then all mutations in order.
public struct RemoteRequest: Hashable, Codable, Sendable {
  /// The queries. `nil` is omitted from the JSON.
  public let query: [Query]?
  /// The mutations. `nil` is omitted from the JSON.
  public let mutation: [Mutation]?

  /// Creates a request.
  public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
    self.query = query
    self.mutation = mutation
  }
}

extension RemoteRequest {
  /// A query.
  public enum Query: Hashable, Codable, Sendable {
    case categories
    case animals
  }

  /// A mutation.
  public enum Mutation: Hashable, Codable, Sendable {
    case addAnimal(name: String, diet: Animal.Diet, categoryId: Category.ID)
    case updateAnimal(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    case deleteAnimal(animalId: Animal.ID)
    case reloadSampleData
  }
}

/// A response of a server of animals: one element for each element of the request, in the same order.
public struct RemoteResponse: Hashable, Codable, Sendable {
  /// The results of the queries; `nil` if there were none.
  public let query: [Query]?
  /// The results of the mutations; `nil` if there were none.
  public let mutation: [Mutation]?

  /// Creates a response.
  public init(query: [Query]? = nil, mutation: [Mutation]? = nil) {
    self.query = query
    self.mutation = mutation
  }
}

extension RemoteResponse {
  /// The result of a query.
  public enum Query: Hashable, Codable, Sendable {
    case categories(categories: [Category])
    case animals(animals: [Animal])
  }

  /// The result of a mutation.
  public enum Mutation: Hashable, Codable, Sendable {
    case addAnimal(animal: Animal)
    case updateAnimal(animal: Animal)
    case deleteAnimal(animal: Animal)
    case reloadSampleData(animals: [Animal], categories: [Category])
  }
}

extension RemoteRequest {
  /// Performs the request on a store: all queries in order, then all mutations in order.
  ///
  /// The first failing operation ends the request. Earlier mutations are not rolled back.
  package func answer(from store: some PersistentSessionPersistentStore) async throws -> RemoteResponse {
    var queries: [RemoteResponse.Query] = []
    for query in query ?? [] { queries.append(try await query.answer(from: store)) }
    var mutations: [RemoteResponse.Mutation] = []
    for mutation in mutation ?? [] { mutations.append(try await mutation.answer(from: store)) }
    return RemoteResponse(query: query == nil ? nil : queries, mutation: mutation == nil ? nil : mutations)
  }
}

extension RemoteRequest.Query {
  fileprivate func answer(from store: some PersistentSessionPersistentStore) async throws -> RemoteResponse.Query {
    switch self {
    case .categories: .categories(categories: try await store.fetchCategoriesQuery())
    case .animals: .animals(animals: try await store.fetchAnimalsQuery())
    }
  }
}

extension RemoteRequest.Mutation {
  fileprivate func answer(from store: some PersistentSessionPersistentStore) async throws -> RemoteResponse.Mutation {
    switch self {
    case .addAnimal(let name, let diet, let categoryId):
      return .addAnimal(
        animal: try await store.addAnimalMutation(name: name, diet: diet, categoryId: categoryId))
    case .updateAnimal(let animalId, let name, let diet, let categoryId):
      return .updateAnimal(
        animal: try await store.updateAnimalMutation(
          animalId: animalId, name: name, diet: diet, categoryId: categoryId))
    case .deleteAnimal(let animalId):
      return .deleteAnimal(animal: try await store.deleteAnimalMutation(animalId: animalId))
    case .reloadSampleData:
      let (animals, categories) = try await store.reloadSampleDataMutation()
      return .reloadSampleData(animals: animals, categories: categories)
    }
  }
}
