import ActionLog
import ActionLogTesting
import AnimalsData
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// Results name the actions that requested them, so a log shows which tap led to what.
@Suite(.timeLimit(.minutes(60))) @MainActor struct EffectCauseTests {
  private static let delete = AnimalsAction.UI.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))

  @Test func resultsNameTheirRequests() async throws {
    let disk = MemoryFileSystem()
    let recorder = try await Recorder<AnimalsModel>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let double = PersistentStoreDouble()
    let listener = Listener(store: double, clock: SwitchedClock())
    listener.listen(to: store)
    // Both requests come before the first result, and the deletion fails.
    double.fail { call in call == .delete(animalId: "Cat") }
    try store.dispatch(action: .ui(.categoryList(.onAppear)))
    try store.dispatch(action: .ui(.animalList(.onAppear)))
    #expect(await settle { store.state.animals.status == .success })
    try store.dispatch(action: .ui(Self.delete))
    #expect(await settle { store.accepted.count == 6 })
    try await recorder.close()
    let actions = try await History<AnimalsModel>(at: "log", fileSystem: disk).actions(in: 1...6)
    #expect(actions.map(\.meta.cause) == [nil, nil, 1, 2, nil, 5])
    #expect(
      actions.map(\.record.type) == [
        "ui.categoryList.onAppear", "ui.animalList.onAppear", "data.persistentSession.didFetchCategories",
        "data.persistentSession.didFetchAnimals", "ui.animalDetail.onTapDeleteSelectedAnimalButton",
        "data.persistentSession.didDeleteAnimal",
      ])
    withExtendedLifetime(listener) {}
  }

  /// The state shows that a request is pending, not which action made it.
  @Test func resultsOfAnEarlierProcessHaveNoCause() async throws {
    let disk = MemoryFileSystem()
    let earlier = try await Recorder<AnimalsModel>.open(at: "log", fileSystem: disk)
    let interrupted = try earlier.makeStore()
    try interrupted.dispatch(action: .ui(.categoryList(.onAppear)))
    try await earlier.close()
    let recorder = try await Recorder<AnimalsModel>.open(at: "log", fileSystem: disk)
    let store = try recorder.makeStore()
    let listener = Listener(store: PersistentStoreDouble(), clock: SwitchedClock())
    listener.listen(to: store)
    #expect(await settle { store.state.categories.status == .success })
    try await recorder.close()
    let actions = try await History<AnimalsModel>(at: "log", fileSystem: disk).actions(in: 1...2)
    #expect(
      actions.map(\.record.type) == ["ui.categoryList.onAppear", "data.persistentSession.didFetchCategories"])
    #expect(actions.map(\.meta.cause) == [nil, nil])
    withExtendedLifetime(listener) {}
  }
}
