public import AnimalsData
public import Foundation
public import SampleSupport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A store on a server, for instance `animals-server`.
///
/// Each operation sends one request with one query or mutation, and uses the first matching element of the response. If no
/// response arrives, the server may have performed a mutation.
///
/// ```swift
/// let store = RemoteStore(session: NetworkSession(urlSession: URLSession.shared))
/// let animals = try await store.fetchAnimalsQuery()
/// ```
public actor RemoteStore<NetworkSession: RemoteStoreNetworkSession> {
  private let session: NetworkSession
  private let address: String

  /// Creates a store.
  public init(session: NetworkSession, address: String = "http://localhost:8080/animals/api") {
    self.session = session
    self.address = address
  }
}

extension RemoteStore: PersistentSessionPersistentStore {
  /// Fetches all categories.
  public func fetchCategoriesQuery() async throws -> [AnimalsData.Category] {
    for case .categories(let categories) in try await ask(RemoteRequest(query: [.categories])).query ?? [] {
      return categories
    }
    throw missing(.categoriesNotFound, "the answer has no categories")
  }

  /// Fetches all animals.
  public func fetchAnimalsQuery() async throws -> [Animal] {
    for case .animals(let animals) in try await ask(RemoteRequest(query: [.animals])).query ?? [] { return animals }
    throw missing(.animalsNotFound, "the answer has no animals")
  }

  /// Adds an animal.
  public func addAnimalMutation(name: String, diet: Animal.Diet, categoryId: AnimalsData.Category.ID) async throws
    -> Animal
  {
    let mutation = RemoteRequest.Mutation.addAnimal(name: name, diet: diet, categoryId: categoryId)
    for case .addAnimal(let animal) in try await ask(RemoteRequest(mutation: [mutation])).mutation ?? [] {
      return animal
    }
    throw missing(.animalNotFound, "the answer has no added animal")
  }

  /// Changes an animal.
  public func updateAnimalMutation(
    animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: AnimalsData.Category.ID
  ) async throws -> Animal {
    let mutation = RemoteRequest.Mutation.updateAnimal(
      animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    for case .updateAnimal(let animal) in try await ask(RemoteRequest(mutation: [mutation])).mutation ?? [] {
      return animal
    }
    throw missing(.animalNotFound, "the answer has no changed animal")
  }

  /// Deletes an animal.
  public func deleteAnimalMutation(animalId: Animal.ID) async throws -> Animal {
    let mutation = RemoteRequest.Mutation.deleteAnimal(animalId: animalId)
    for case .deleteAnimal(let animal) in try await ask(RemoteRequest(mutation: [mutation])).mutation ?? [] {
      return animal
    }
    throw missing(.animalNotFound, "the answer has no deleted animal")
  }

  /// Replaces everything with the sample data.
  public func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [AnimalsData.Category]) {
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
      throw RemoteStoreError(.urlError, "the address of the server is not an HTTP URL", path: address)
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

/// The network session of a ``RemoteStore``. An application conforms its session to it; tests use a double.
public protocol RemoteStoreNetworkSession: Sendable {
  func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T
}

/// An error of a ``RemoteStore`` before it sends a request.
public typealias RemoteStoreError = SampleError<RemoteStoreErrorCode>

/// The failures of a ``RemoteStore`` before it sends a request.
public enum RemoteStoreErrorCode: String, Sendable, CaseIterable {
  /// The address is not an HTTP URL.
  case urlError
  /// The request could not be encoded.
  case requestError
}

extension RemoteStore {
  /// The store's own error, next to those of its session and ``RemoteResponseError``.
  public typealias Error = RemoteStoreError
}

/// A valid response that lacks the requested data.
public typealias RemoteResponseError = SampleError<RemoteResponseErrorCode>

/// What a response lacks.
public enum RemoteResponseErrorCode: String, Sendable, CaseIterable {
  case categoriesNotFound
  case animalsNotFound
  case animalNotFound
  case sampleDataNotFound
}
