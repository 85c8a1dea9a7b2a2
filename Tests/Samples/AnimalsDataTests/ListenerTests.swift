import AnimalsData
import EventSourcing
import ImmutableData
import Platform
import SampleSupport
import TestSupport
import Testing
import TreeCollections

/// A store, a listener, and a double of its persistent store.
@MainActor struct Scene {
  let store: Store<AnimalsState, AnimalsAction>
  let double: PersistentStoreDouble
  let listener: Listener<PersistentStoreDouble>
  let clock = SwitchedClock()
  let errors = Locked<[String]>([])

  init(
    _ state: AnimalsState = AnimalsState(), stored: [Animal] = Animal.samples, catchesUp: Bool = false,
    _ prepare: (PersistentStoreDouble) -> Void = { _ in }
  ) {
    store = Store(initialState: state, reducer: AnimalsModel.reducer)
    double = PersistentStoreDouble(stored)
    prepare(double)
    listener = Listener(store: double, clock: clock) { [errors] error in
      errors.withLock { errors in errors.append(ErrorSummary(error).code) }
    }
    listener.listen(to: store, catchesUp: catchesUp)
  }

  func tap(_ action: AnimalsAction.UI) throws {
    try store.dispatch(action: .ui(action))
  }

  /// Waits for a state and a number of calls.
  func settles(_ state: AnimalsState, calls: Int) async -> Bool {
    await double.calls(calls)
    return await settle { store.state == state && double.calls.count == calls }
  }
}

@Suite(.timeLimit(.minutes(60))) @MainActor struct ListenerTests {
  private static let delete = AnimalsAction.UI.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))
  private static let update = AnimalsAction.UI.animalEditor(
    .onTapUpdateAnimalButton(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish"))
  private static let add = AnimalsAction.UI.animalEditor(
    .onTapAddAnimalButton(id: "t1", name: "Owl", diet: .carnivorous, categoryId: "Bird"))

  @Test func appearingFetches() async throws {
    let scene = Scene()
    try scene.tap(.categoryList(.onAppear))
    #expect(scene.store.state == .with(.waiting))
    try scene.tap(.animalList(.onAppear))
    try scene.tap(.animalList(.onAppear))
    try scene.tap(.categoryList(.onAppear))
    #expect(await scene.settles(.samples, calls: 2))
    #expect(scene.double.calls == [.fetchCategories, .fetchAnimals])
  }

  @Test func addedAnimalGetsItsFinalID() async throws {
    let scene = Scene(.samples)
    try scene.tap(Self.add)
    let owl = Animal(animalId: "new Owl", name: "Owl", diet: .carnivorous, categoryId: "Bird")
    let after = AnimalsState.with(
      categories: Category.samples, .success, animals: Animal.samples + [owl], .success, queue: ["t1": .success])
    #expect(await scene.settles(after, calls: 1))
    #expect(scene.double.calls == [.add(name: "Owl", diet: .carnivorous, categoryId: "Bird")])
  }

  @Test func anAnimalIsChangedAndDeleted() async throws {
    let scene = Scene(.with(animals: [.cat], .success))
    try scene.tap(Self.update)
    let mimi = Animal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")
    #expect(await scene.settles(.with(animals: [mimi], .success, queue: ["Cat": .success]), calls: 1))
    try scene.tap(Self.delete)
    #expect(await scene.settles(.with(animals: [], .success, queue: ["Cat": .success]), calls: 2))
    #expect(scene.errors.withLock { errors in errors } == [])
  }

  @Test func everythingIsReloaded() async throws {
    let scene = Scene(.with(.success, animals: [.cat.with(name: "Mimi")], .success))
    try scene.tap(.categoryList(.onTapReloadSampleDataButton))
    try scene.tap(.categoryList(.onTapReloadSampleDataButton))
    #expect(await scene.settles(.samples, calls: 1))
  }

  /// Every failure is dispatched with its reason and reported to `onError`.
  @Test func failureIsDispatchedWithItsReason() async throws {
    let failure = Status.failure(error: Refusal.text)
    let scene = Scene(.with(animals: [.cat])) { double in double.fail { _ in true } }
    try scene.tap(.categoryList(.onAppear))
    try scene.tap(.animalList(.onAppear))
    try scene.tap(Self.add)
    try scene.tap(Self.update)
    let after = AnimalsState.with(failure, animals: [.cat], failure, queue: ["Cat": failure, "t1": failure])
    #expect(await scene.settles(after, calls: 4))
    try scene.tap(Self.delete)
    #expect(await scene.settles(after, calls: 5))
    try scene.tap(.categoryList(.onTapReloadSampleDataButton))
    #expect(await scene.settles(after, calls: 6))
    #expect(await settle { scene.errors.withLock { errors in errors.count } == 6 })
    #expect(scene.listener.lastError is Refusal)
    scene.double.fail { _ in false }
    try scene.tap(.categoryList(.onTapReloadSampleDataButton))
    #expect(await settle { scene.store.state.categories.status == .success }, "it can be tried again")
  }

  /// Effects are derived from the state before the action: several taps in a burst are one operation.
  @Test func burstOfTapsIsOneOperation() async throws {
    let scene = Scene(.with(animals: [.cat], .success))
    try scene.tap(Self.delete)
    try scene.tap(Self.update)
    try scene.tap(Self.delete)
    #expect(await scene.settles(.with(animals: [], .success, queue: ["Cat": .success]), calls: 1))
    #expect(scene.double.calls == [.delete(animalId: "Cat")])
  }

  /// The row is deleted while its deletion waits for a reload. The reducer refuses the result, which is reported, and
  /// the row's status becomes a failure; in the guide, it waits forever.
  @Test func deletedRowStopsWaiting() async throws {
    let owl = Animal(animalId: "Owl", name: "Owl", diet: .carnivorous, categoryId: "Bird")
    let scene = Scene(.with(.success, animals: [owl], .success), stored: [owl])
    try scene.tap(.categoryList(.onTapReloadSampleDataButton))
    try scene.tap(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Owl")))
    let after = AnimalsState.with(
      categories: Category.samples, .success, animals: Animal.samples, .success,
      queue: ["Owl": .failure(error: Refusal.text)])
    #expect(await scene.settles(after, calls: 2))
    #expect(await settle { scene.errors.withLock { errors in errors } == ["animalNotFound"] })
  }

  @Test func listeningAgainHasNoEffect() async throws {
    let scene = Scene()
    scene.listener.listen(to: scene.store)
    try scene.tap(.categoryList(.onAppear))
    scene.listener.listen(to: scene.store)
    #expect(await scene.settles(.with(categories: Category.samples, .success), calls: 1))
  }

  @Test func listenerSwitchesStores() async throws {
    let scene = Scene()
    let other = Store(initialState: AnimalsState(), reducer: AnimalsModel.reducer)
    scene.listener.listen(to: other)
    try other.dispatch(action: .ui(.categoryList(.onAppear)))
    #expect(await settle { other.state == .with(categories: Category.samples, .success) })
    try scene.tap(.categoryList(.onAppear))
    #expect(await scene.settles(.with(.waiting), calls: 1), "the first store is not listened to any more")
  }

  @Test func droppedListenerReleasesTheStore() async throws {
    weak var released: Store<AnimalsState, AnimalsAction>?
    do {
      let scene = Scene()
      released = scene.store
      try scene.tap(.categoryList(.onAppear))
      #expect(await scene.settles(.with(categories: Category.samples, .success), calls: 1))
    }
    #expect(await settle { released == nil })
  }
}

/// A log can end while an answer is pending, and the store can be ahead of the log.
@Suite(.timeLimit(.minutes(60))) @MainActor struct RecoveryTests {
  private static let interrupted = Status.failure(error: "interrupted: the application ended before an answer came")

  @Test func interruptedFetchIsRepeated() async throws {
    let scene = Scene(.with(.waiting, .waiting))
    #expect(await scene.settles(.samples, calls: 2))
  }

  @Test func failedRepeatedFetchIsAFailure() async throws {
    let failure = Status.failure(error: Refusal.text)
    let scene = Scene(.with(.waiting, .waiting)) { double in double.fail { _ in true } }
    #expect(await scene.settles(.with(failure, failure), calls: 2))
  }

  /// Interrupted operations are not repeated, because they may have been completed.
  @Test func interruptedOperationsOnRowsFail() async throws {
    let scene = Scene(
      .with(animals: [.cat, .dog], .success, queue: ["Cat": .waiting, "t1": .waiting, "Dog": .success]))
    let after = AnimalsState.with(
      animals: [.cat, .dog], .success, queue: ["Cat": Self.interrupted, "t1": Self.interrupted, "Dog": .success])
    #expect(await scene.settles(after, calls: 0))
  }

  @Test func theStateCatchesUpWithTheStore() async throws {
    let mimi = Animal.cat.with(name: "Mimi")
    let scene = Scene(
      .with(.success, animals: [.cat, .dog, .newt], .success), stored: [mimi, .sparrow], catchesUp: true)
    let after = AnimalsState.with(
      categories: Category.samples, .success, animals: [mimi, .sparrow], .success,
      queue: ["Dog": .success, "Newt": .success])
    #expect(await scene.settles(after, calls: 2))
  }

  @Test func unrequestedTablesAreNotFetched() async throws {
    let scene = Scene(catchesUp: true)
    try scene.tap(.categoryList(.onAppear))
    #expect(await scene.settles(.with(categories: Category.samples, .success), calls: 1))
    // A later request shows that nothing else was fetched before it.
    try scene.tap(.animalList(.onAppear))
    #expect(await scene.settles(.samples, calls: 2))
    #expect(scene.double.calls == [.fetchCategories, .fetchAnimals])
  }

  @Test func unavailableStoreKeepsTheState() async throws {
    let failure = Status.failure(error: Refusal.text)
    let scene = Scene(.samples, catchesUp: true) { double in double.fail { _ in true } }
    let after = AnimalsState.with(categories: Category.samples, failure, animals: Animal.samples, failure)
    #expect(await scene.settles(after, calls: 2))
  }
}

/// No status waits forever, whatever the store does.
@Suite(.timeLimit(.minutes(60))) @MainActor struct TimeLimitTests {
  private static let text = "timeLimitReached: no answer within 60.0 seconds: persistent store"

  @Test func timeLimitFailsOneCallOnly() async throws {
    let scene = Scene { double in double.hang { call in call == .fetchCategories } }
    try scene.tap(.categoryList(.onAppear))
    await scene.double.calls(1)
    #expect(await settle { scene.clock.sleeperCount == 1 })
    scene.clock.strike()
    #expect(await scene.settles(.with(.failure(error: Self.text)), calls: 1))
    try scene.tap(.animalList(.onAppear))
    let after = AnimalsState.with(.failure(error: Self.text), animals: Animal.samples, .success)
    #expect(await scene.settles(after, calls: 2))
    scene.double.release()
    #expect(await scene.settles(after, calls: 2), "what comes too late is dropped")
  }

  @Test(arguments: ActionCase.all.prefix(7))
  func everyOperationHasATimeLimit(candidate: ActionCase) async throws {
    let scene = Scene(.with(categories: Category.samples, animals: Animal.samples)) { double in
      double.hang { _ in true }
    }
    try scene.store.dispatch(action: candidate.action)
    await scene.double.calls(1)
    #expect(await settle { scene.clock.sleeperCount == 1 })
    scene.clock.strike()
    let failure = Status.failure(error: Self.text)
    #expect(
      await settle {
        let state = scene.store.state
        let statuses =
          [state.categories.status, state.animals.status] + state.animals.queue.map { _, status in status }
        return statuses.contains(failure) && !statuses.contains(.waiting)
      })
    scene.double.release()
  }

  /// Switching to another store cancels the pending call of the first one, so its status does not wait forever.
  @Test func switchingStoresCancelsTheCall() async throws {
    let scene = Scene { double in double.hang { _ in true } }
    try scene.tap(.categoryList(.onAppear))
    await scene.double.calls(1)
    scene.listener.listen(to: Store(initialState: AnimalsState(), reducer: AnimalsModel.reducer))
    #expect(await scene.settles(.with(.failure(error: "cancelled: the operation was cancelled")), calls: 1))
    scene.double.release()
  }
}

/// The debug output of guide chapter 6: in debug builds, with the flag.
@MainActor @Suite struct ListenerNotesTests {
  private let lines = Locked<[String]>([])

  private func listen(isEnabled: Bool) async throws {
    let flag = "com.northbronson.AnimalsData.Debug"
    let notes = DebugOutput(isEnabled: { key in isEnabled && key == flag }) { [lines] line in
      lines.withLock { lines in lines.append(line) }
    }
    let scene = DebugOutput.$current.withValue(notes) { Scene() }
    try scene.tap(.categoryList(.onAppear))
    #expect(await scene.settles(.with(categories: Category.samples, .success), calls: 1))
    #if DEBUG
    if isEnabled { #expect(await settle { lines.withLock { lines in lines.count } == 6 }) }
    #endif
  }

  #if DEBUG
  @Test func debugOutputHasActionAndStates() async throws {
    try await listen(isEnabled: true)
    let lines = lines.withLock { lines in lines }
    let names = lines.map { line in line.prefix { character in character != ":" } }
    let element = ["Old State", "Action", "New State"].map { name in "[AnimalsData][Listener] \(name)"[...] }
    #expect(names == element + element)
    #expect(lines[0] == "[AnimalsData][Listener] Old State: \(AnimalsState())")
    #expect(lines[2] == "[AnimalsData][Listener] New State: \(AnimalsState.with(.waiting))")
  }
  #endif

  @Test func debugOutputRequiresTheFlag() async throws {
    try await listen(isEnabled: false)
    #expect(lines.withLock { lines in lines }.isEmpty)
  }
}
