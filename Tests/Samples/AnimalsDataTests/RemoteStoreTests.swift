public import AnimalsData
import EventSourcing
import Foundation
import ImmutableData
import JSONCoding
import Platform
import SampleSupport
public import Services
import TestSupport
import Testing
import TreeCollections

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Like in an application.
extension NetworkSession: RemoteStoreNetworkSession {}

/// Records requests and returns prepared answers.
private struct SessionDouble: RemoteStoreNetworkSession {
  let requests = Locked<[URLRequest]>([])
  let response: RemoteResponse

  func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T {
    requests.withLock { requests in requests.append(request) }
    return try decoder.decode(T.self, from: try JSONEncoder().encode(response))
  }
}

/// The remote store: its requests, and its handling of responses.
@Suite(.timeLimit(.minutes(60))) struct RemoteStoreTests {
  private typealias Operation = @Sendable (any PersistentSessionPersistentStore) async throws -> [Animal]

  /// Every operation, its request, and the error code of a response without the requested data.
  private static let operations: [(run: Operation, request: RemoteRequest, code: RemoteResponseError.Code)] = [
    (
      { store in
        let categories = try await store.fetchCategoriesQuery()
        #expect(categories == [.bird])
        return [.cat]
      }, RemoteRequest(query: [.categories]), .categoriesNotFound
    ),
    ({ store in try await store.fetchAnimalsQuery() }, RemoteRequest(query: [.animals]), .animalsNotFound),
    (
      { store in [try await store.addAnimalMutation(name: "Owl", diet: .carnivorous, categoryId: "Bird")] },
      RemoteRequest(mutation: [.addAnimal(name: "Owl", diet: .carnivorous, categoryId: "Bird")]), .animalNotFound
    ),
    (
      { store in
        [try await store.updateAnimalMutation(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")]
      },
      RemoteRequest(mutation: [.updateAnimal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")]),
      .animalNotFound
    ),
    (
      { store in [try await store.deleteAnimalMutation(animalId: "Cat")] },
      RemoteRequest(mutation: [.deleteAnimal(animalId: "Cat")]), .animalNotFound
    ),
    (
      { store in
        let (animals, categories) = try await store.reloadSampleDataMutation()
        #expect(categories == [.bird])
        return animals
      }, RemoteRequest(mutation: [.reloadSampleData]), .sampleDataNotFound
    ),
  ]

  /// A response with all elements. The first matching one is used.
  private static let everything = RemoteResponse(
    query: [
      .categories(categories: [.bird]), .animals(animals: [.cat]), .categories(categories: []), .animals(animals: []),
    ],
    mutation: [
      .reloadSampleData(animals: [.cat], categories: [.bird]), .addAnimal(animal: .cat), .updateAnimal(animal: .cat),
      .deleteAnimal(animal: .cat), .deleteAnimal(animal: .dog), .addAnimal(animal: .dog),
    ])

  @Test(arguments: operations.indices)
  func anOperationIsOneRequest(index: Int) async throws {
    let session = SessionDouble(response: Self.everything)
    #expect(try await Self.operations[index].run(RemoteStore(session: session)) == [.cat])
    let requests = session.requests.withLock { requests in requests }
    let request = try #require(requests.first)
    #expect(requests.count == 1)
    #expect(request.url?.absoluteString == "http://localhost:8080/animals/api")
    #expect(request.httpMethod == "POST")
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(
      try JSONDecoder().decode(RemoteRequest.self, from: request.httpBody ?? Data()) == Self.operations[index].request)
  }

  @Test(arguments: operations.indices, [RemoteResponse(), RemoteResponse(query: [], mutation: [])])
  func responseWithoutRequestedDataFails(index: Int, response: RemoteResponse) async throws {
    let store = RemoteStore(session: SessionDouble(response: response))
    let error = await #expect(throws: RemoteResponseError.self) { try await Self.operations[index].run(store) }
    #expect(error?.code == Self.operations[index].code)
    #expect(error?.path == "http://localhost:8080/animals/api")
  }

  @Test(arguments: ["", "localhost:8080", "file:///tmp", "http://", "http://a b/"])
  func invalidAddressFails(address: String) async {
    let store = RemoteStore(session: SessionDouble(response: Self.everything), address: address)
    let error = await #expect(throws: RemoteStoreError.self) { try await store.fetchAnimalsQuery() }
    #expect(error?.code == .urlError)
  }

  // MARK: - Servers that misbehave

  private struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var reply: LoopbackReply
    var code: String
  }

  /// Every failure of a server becomes a failure of the waiting status, and nothing is lost.
  @Test(arguments: [
    Bad(
      testDescription: "failed operation",
      reply: .answer("animalNotFound: gone\n".utf8, status: 500, type: "text/plain"), code: "statusError"),
    Bad(testDescription: "no such route", reply: .answer([], status: 404), code: "statusError"),
    Bad(testDescription: "no JSON", reply: .answer("<html>".utf8, type: "text/html"), code: "mediaTypeError"),
    Bad(testDescription: "broken JSON", reply: .answer(#"{"mutation":["#.utf8), code: "decodingError"),
    Bad(testDescription: "nothing in it", reply: .answer("{}".utf8), code: "animalNotFound"),
    Bad(testDescription: "no word", reply: .hangUp, code: "transportError"),
  ])
  @MainActor private func aServerThatFailsIsAFailure(bad: Bad) async throws {
    let server = try LoopbackServer { _ in bad.reply }
    defer { server.stop() }
    let status = try await statusAfterDeletion(on: server.url("/animals/api").absoluteString)
    guard case .failure(let error) = status else {
      Issue.record("\(String(describing: status))")
      return
    }
    #expect(error.hasPrefix("\(bad.code): "))
  }

  @Test @MainActor func truncatedResponseFails() async throws {
    let answer = try JSONEncoder().encode(RemoteResponse(mutation: [.deleteAnimal(animal: .cat)]))
    let server = try LoopbackServer { _ in .half(answer) }
    defer { server.stop() }
    let status = try await statusAfterDeletion(on: server.url("/animals/api").absoluteString)
    guard case .failure = status else {
      Issue.record("half an answer was taken for a whole one")
      return
    }
  }

  @Test @MainActor func unreachableServerFails() async throws {
    let server = try LoopbackServer { _ in .hangUp }
    server.stop()
    let status = try await statusAfterDeletion(on: server.url("/animals/api").absoluteString)
    guard case .failure(let error) = status else {
      Issue.record("\(String(describing: status))")
      return
    }
    #expect(error.hasPrefix("transportError: "))
  }

  /// The time limit is reached after the server received the request and did not answer.
  @Test(arguments: [LoopbackReply.silence, .stalled(#"{"mutation":[]}"#.utf8)])
  @MainActor func silentServerTimesOut(reply: LoopbackReply) async throws {
    let server = try LoopbackServer { _ in reply }
    defer { server.stop() }
    let clock = SwitchedClock()
    let striking = Task {
      await server.requests(1)
      clock.strike()
    }
    let status = try await statusAfterDeletion(on: server.url("/animals/api").absoluteString, clock: clock)
    await striking.value
    #expect(status == .failure(error: "timeLimitReached: no answer within 60.0 seconds: persistent store"))
  }

  /// Deletes the cat on a server and returns the final status. Nothing else may change. With the stopped clock, no
  /// limit is reached, however busy the machine is.
  @MainActor private func statusAfterDeletion(
    on address: String, clock: any Clock<Duration> = SwitchedClock()
  ) async throws -> Status? {
    let session = NetworkSession(urlSession: URLSession.patient)
    let listener = Listener(store: RemoteStore(session: session, address: address), clock: clock)
    let store = Store(initialState: AnimalsState.samples, reducer: AnimalsModel.reducer)
    listener.listen(to: store)
    let stream = store.makeStream()
    try store.dispatch(action: .ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))))
    for await (_, action) in stream {
      if case .data = action { break }
    }
    #expect(store.state.animals.data == AnimalsState.samples.animals.data)
    #expect(store.state.animals.status == .success)
    return store.state.animals.queue["Cat"]
  }
}
