extension RemoteRequest {
  /// Carries the request out on a store: all queries in their order, then all mutations in theirs.
  ///
  /// The first operation that fails ends it; mutations before it stay done.
  ///
  /// - SeeAlso: The ImmutableData programming guide, chapter 15.
  package func answer(from store: some PersistentSessionPersistentStore) async throws -> RemoteResponse {
    var queries: [RemoteResponse.Query]?
    if let query {
      var answers: [RemoteResponse.Query] = []
      for query in query { answers.append(try await query.answer(from: store)) }
      queries = answers
    }
    var mutations: [RemoteResponse.Mutation]?
    if let mutation {
      var answers: [RemoteResponse.Mutation] = []
      for mutation in mutation { answers.append(try await mutation.answer(from: store)) }
      mutations = answers
    }
    return RemoteResponse(query: queries, mutation: mutations)
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
