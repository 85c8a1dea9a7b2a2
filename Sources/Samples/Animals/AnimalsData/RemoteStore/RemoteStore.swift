import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The animals behind a server, for instance `animals-server`.
///
/// Each operation is one request of one query or one mutation, and takes the first element of the answer that fits.
///
/// ```swift
/// let store = RemoteStore(session: NetworkSession(urlSession: URLSession.shared))
/// let animals = try await store.fetchAnimalsQuery()
/// ```
///
/// - SeeAlso: ``RemoteRequest``, ``RemoteResponse``; the ImmutableData programming guide, chapter 14.
public actor RemoteStore<NetworkSession: RemoteStoreNetworkSession> {
  private let session: NetworkSession
  private let address: String

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - session: What asks.
  ///   - address: The address of the server's route.
  public init(session: NetworkSession, address: String = "http://localhost:8080/animals/api") {
    self.session = session
    self.address = address
  }
}

extension RemoteStore: PersistentSessionPersistentStore {
  /// All categories.
  ///
  /// - Throws: ``RemoteStoreError``, ``RemoteResponseError/Code/categoriesNotFound``, and what the session throws.
  public func fetchCategoriesQuery() async throws -> [Category] {
    for case .categories(let categories) in try await ask(RemoteRequest(query: [.categories])).query ?? [] {
      return categories
    }
    throw missing(.categoriesNotFound, "the answer has no categories")
  }

  /// All animals.
  ///
  /// - Throws: ``RemoteStoreError``, ``RemoteResponseError/Code/animalsNotFound``, and what the session throws.
  public func fetchAnimalsQuery() async throws -> [Animal] {
    for case .animals(let animals) in try await ask(RemoteRequest(query: [.animals])).query ?? [] { return animals }
    throw missing(.animalsNotFound, "the answer has no animals")
  }

  /// Adds an animal.
  ///
  /// - Throws: ``RemoteStoreError``, ``RemoteResponseError/Code/animalNotFound``, and what the session throws. When no
  ///   answer came, the server may have added the animal all the same.
  public func addAnimalMutation(name: String, diet: Animal.Diet, categoryId: Category.ID) async throws -> Animal {
    let mutation = RemoteRequest.Mutation.addAnimal(name: name, diet: diet, categoryId: categoryId)
    for case .addAnimal(let animal) in try await ask(RemoteRequest(mutation: [mutation])).mutation ?? [] {
      return animal
    }
    throw missing(.animalNotFound, "the answer has no added animal")
  }

  /// Changes an animal.
  ///
  /// - Throws: ``RemoteStoreError``, ``RemoteResponseError/Code/animalNotFound``, and what the session throws. When no
  ///   answer came, the server may have changed the animal all the same.
  public func updateAnimalMutation(
    animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID
  ) async throws -> Animal {
    let mutation = RemoteRequest.Mutation.updateAnimal(
      animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    for case .updateAnimal(let animal) in try await ask(RemoteRequest(mutation: [mutation])).mutation ?? [] {
      return animal
    }
    throw missing(.animalNotFound, "the answer has no changed animal")
  }

  /// Deletes an animal.
  ///
  /// - Throws: ``RemoteStoreError``, ``RemoteResponseError/Code/animalNotFound``, and what the session throws. When no
  ///   answer came, the server may have deleted the animal all the same.
  public func deleteAnimalMutation(animalId: Animal.ID) async throws -> Animal {
    let mutation = RemoteRequest.Mutation.deleteAnimal(animalId: animalId)
    for case .deleteAnimal(let animal) in try await ask(RemoteRequest(mutation: [mutation])).mutation ?? [] {
      return animal
    }
    throw missing(.animalNotFound, "the answer has no deleted animal")
  }

  /// Replaces everything with the sample data.
  ///
  /// - Throws: ``RemoteStoreError``, ``RemoteResponseError/Code/sampleDataNotFound``, and what the session throws. When
  ///   no answer came, the server may have replaced everything all the same.
  public func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [Category]) {
    let answers = try await ask(RemoteRequest(mutation: [.reloadSampleData])).mutation ?? []
    for case .reloadSampleData(let animals, let categories) in answers {
      return (animals: animals, categories: categories)
    }
    throw missing(.sampleDataNotFound, "the answer has no sample data")
  }
}

extension RemoteStore {
  private func ask(_ request: RemoteRequest) async throws -> RemoteResponse {
    try await session.json(for: try urlRequest(request), from: JSONDecoder())
  }

  private func urlRequest(_ request: RemoteRequest) throws -> URLRequest {
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host != nil else {
      throw RemoteStoreError(.urlError, "the address of the server is none", path: address)
    }
    var urlRequest = URLRequest(url: url)
    urlRequest.httpMethod = "POST"
    urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
    do {
      urlRequest.httpBody = try JSONEncoder().encode(request)
    } catch {
      throw RemoteStoreError(.requestError, "the request cannot be encoded", path: address, underlying: error)
    }
    return urlRequest
  }

  private func missing(_ code: RemoteResponseError.Code, _ message: String) -> RemoteResponseError {
    RemoteResponseError(code, message, path: address)
  }
}
