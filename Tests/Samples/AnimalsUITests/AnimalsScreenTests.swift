import AnimalsData
import AnimalsUI
import EventSourcing
import ImmutableData
import ImmutableUI
import Platform
import SampleSupport
import TerminalUI
import TestSupport
import Testing
import TreeCollections

/// The screen without a terminal: presses keys and compares the text.
@Suite @MainActor struct AnimalsScreenTests {
  private let store: Store<AnimalsState, AnimalsAction>
  private let driver: ScreenDriver

  init() throws {
    let store = try PreviewStore.make()
    self.store = store
    driver = ScreenDriver(
      AnimalsScreen(store, dispatch: ActionDispatch(store), title: "here", makeId: { "t1" }), columns: 96, rows: 20)
  }

  private func shows(_ text: String) async -> Bool {
    await settle { driver.text.contains(text) }
  }

  private func send(_ action: AnimalsAction.Data.PersistentSession) throws {
    try store.dispatch(action: .data(.persistentSession(action)))
  }

  @Test func firstScreenShowsTheCategories() {
    let text = driver.text
    for part in ["Animals", "here", "Categories", "Amphibian", "Reptile", "Select a category", "Select an animal"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(!text.contains("Newt"))
  }

  /// The next key clears other problems, but not a recording failure.
  @Test func recordingFailureIsShownUntilItEnds() throws {
    let notices = ScreenNotices()
    let screen = AnimalsScreen(store, dispatch: ActionDispatch(store), title: "here", notices: notices)
    let driver = ScreenDriver(screen, columns: 96, rows: 20)
    notices.report(recordingFailure: "not recorded: the disk is full")
    notices.report("something else")
    #expect(driver.needsDrawing)
    #expect(driver.text.contains("not recorded: the disk is full"))
    driver.press(.right)
    #expect(notices.last == nil)
    #expect(driver.text.contains("not recorded: the disk is full"))
    notices.report(recordingFailure: nil)
    #expect(driver.needsDrawing)
    #expect(!driver.text.contains("not recorded"))
  }

  @Test func emptyStoreFetchesCategories() throws {
    let store = Store(initialState: AnimalsState(), reducer: AnimalsModel.reducer)
    let driver = ScreenDriver(AnimalsScreen(store, dispatch: ActionDispatch(store), title: ""))
    #expect(store.state.categories.status == .waiting)
    #expect(store.state.animals.status == nil, "no animals before a category is shown")
    #expect(driver.press("r") == .ignored, "disabled while waiting")
    #expect(driver.text.contains("waiting…"))
  }

  @Test func selectionShowsAnimalsAndDetails() {
    driver.press(.down, .down)
    #expect(driver.text.contains("House sparrow"))
    #expect(driver.text.contains("Select an animal"))
    driver.press(.right, .down)
    #expect(driver.text.contains("Category: Bird"))
    #expect(driver.text.contains("Diet: Omnivore"))
    #expect(driver.text.contains("Edit House sparrow"))
    // Selecting another category does not clear the animal.
    driver.press(.left, .down)
    #expect(driver.text.contains("No animals in this category"))
    #expect(driver.text.contains("Category: Bird"))
  }

  @Test func narrowTerminalShowsTheFocusedPane() {
    let driver = ScreenDriver(
      AnimalsScreen(store, dispatch: ActionDispatch(store), title: "here"), columns: 40, rows: 12)
    driver.press(.down, .down)
    #expect(driver.text.contains("› Bird") && !driver.text.contains("House sparrow"))
    driver.press(.right, .down)
    #expect(driver.text.contains("› House sparrow") && !driver.text.contains("Reptile"))
    driver.press(.right)
    #expect(driver.text.contains("Category: Bird") && driver.text.contains("q quit"))
  }

  private func selectCat() {
    // Selects the category Mammal and its first animal.
    driver.press(.end, .up, .right, .down)
  }

  @Test func deletionIsConfirmedAndDisabledWhileWaiting() async throws {
    selectCat()
    driver.press("d")
    #expect(driver.text.contains("Delete Cat?"))
    #expect(driver.text.contains("Yes, delete Cat"))
    driver.press("n")
    #expect(store.state.animals.queue["Cat"] == nil)
    driver.press("d")
    driver.press("y")
    #expect(store.state.animals.queue["Cat"] == .waiting)
    #expect(await shows("(d delete)"), "\(driver.text)")
    #expect(driver.press("e") == .ignored)
    try send(.didDeleteAnimal(animalId: "Cat", result: .success(animal: .cat)))
    #expect(await settle { !driver.text.contains("Delete Cat") && driver.text.contains("Select an animal") })
  }

  @Test func swipeDeletesWithoutConfirmation() {
    selectCat()
    driver.press("x")
    #expect(store.state.animals.queue["Cat"] == .waiting)
  }

  @Test func reloadIsConfirmed() async throws {
    driver.press("r")
    #expect(driver.text.contains("Reload Sample Data?"))
    #expect(driver.text.contains("All changes are lost."))
    driver.press("y")
    #expect(store.state.categories.status == .waiting)
    #expect(await shows("(r reload)"))
    try send(.didReloadSampleData(result: .failure(error: "offline")))
    #expect(await shows("failed: offline"))
  }

  @Test func animalIsAdded() async throws {
    driver.press(.down, .down, "a")
    #expect(driver.text.contains("Add Animal"))
    driver.type("Owl")
    // Save without diet and category is disabled.
    driver.press(.tab, .tab, .tab, .enter)
    #expect(store.state.animals.queue["t1"] == nil)
    #expect(driver.text.contains("! Select a category") && driver.text.contains("! Select a diet"))
    driver.press(.backTab, .backTab, "c", .tab, "b", .tab, .enter)
    #expect(store.state.animals.queue["t1"] == .waiting)
    #expect(await shows("waiting…"))
    driver.press(.enter)
    let owl = Animal(animalId: "1", name: "Owl", diet: .carnivorous, categoryId: "Bird")
    try send(.didAddAnimal(id: "t1", result: .success(animal: owl)))
    #expect(await settle { !driver.text.contains("Add Animal") && driver.text.contains("Owl") }, "\(driver.text)")
  }

  @Test func formShowsErrorsAfterAnEditOnly() {
    driver.press(.down, .down, "a")
    #expect(driver.text.contains("Add Animal"))
    #expect(!driver.text.contains("Select a diet") && !driver.text.contains("!"), "\(driver.text)")
    driver.press(.tab, .tab, .tab, .tab, .tab)
    #expect(!driver.text.contains("!"), "moving the focus is not editing")
    driver.press("O", .backspace)
    #expect(driver.text.contains("! Enter a name"))
    #expect(!driver.text.contains("Select a diet"))
    driver.press("O")
    #expect(!driver.text.contains("Enter a name"))
    driver.press(.backTab, .backTab, .enter)
    #expect(driver.text.contains("! Select a diet") && driver.text.contains("! Select a category"))
  }

  @Test func questionMarkShowsTheKeys() {
    driver.press("?")
    #expect(driver.text.contains("any key closes") && driver.text.contains("delete at once"))
    driver.press("q")
    #expect(!driver.isFinished && !driver.text.contains("any key closes"))
    driver.press(.down, .down, "a", "?")
    #expect(driver.text.contains("Name: ?"), "? is text in a form")
  }

  #if DEBUG
  @Test func changedPropertiesAreDebugLines() async throws {
    let lines = Locked<[String]>([])
    let output = DebugOutput(isEnabled: { flag in flag == "com.northbronson.AnimalsUI.Debug" }) { line in
      lines.withLock { lines in lines.append(line) }
    }
    let driver = DebugOutput.$current.withValue(output) {
      ScreenDriver(AnimalsScreen(store, dispatch: ActionDispatch(store), title: ""), columns: 96, rows: 20)
    }
    _ = driver.text
    let views = ["CategoryList", "AnimalList", "AnimalDetail"]
    #expect(lines.withLock(\.self) == views.map { view in "\(view): @self, @identity changed." })
    driver.press(.down)
    _ = driver.text
    #expect(lines.withLock(\.self).dropFirst(3) == ["AnimalList: category, animals changed."])
    try store.dispatch(action: .ui(.categoryList(.onTapReloadSampleDataButton)))
    // The two selections can be updated one after the other.
    #expect(await settle { driver.text.contains("waiting…") && lines.withLock(\.count) == 6 })
    let changed = Set(lines.withLock(\.self).dropFirst(4))
    #expect(changed == ["CategoryList: status changed.", "AnimalList: status changed."])
  }
  #endif

  @Test func failureKeepsTheFormOpen() async throws {
    selectCat()
    driver.press("e")
    #expect(driver.text.contains("Edit Animal"))
    driver.type("!")
    driver.press(.tab, .tab, .tab, .enter)
    #expect(store.state.animals.queue["Cat"] == .waiting)
    try send(.didUpdateAnimal(animalId: "Cat", result: .failure(error: "offline")))
    #expect(await shows("failed: offline"))
    #expect(driver.text.contains("Edit Animal"))
    driver.press(.escape)
    #expect(!driver.text.contains("Edit Animal"))
    #expect(store.state.animals.data["Cat"] == .cat)
  }

  @Test func cancelingChangesNothing() {
    selectCat()
    let before = store.state
    driver.press("e", .tab, .tab, .tab, .tab, .enter)
    #expect(!driver.text.contains("Edit Animal"))
    #expect(store.state == before)
  }

  @Test func helpLineShowsKeysOfFormsAndQuestions() {
    #expect(driver.text.contains("(x delete at once)"), "a swipe has no confirmation, as in the guide")
    selectCat()
    #expect(driver.text.contains("x delete at once"))
    driver.press("e")
    #expect(
      driver.text.contains("Tab next field") && driver.text.contains("Esc cancel") && !driver.text.contains("q quit"))
    driver.press(.escape, "d")
    #expect(driver.text.contains("y yes  n no") && !driver.text.contains("q quit"))
    driver.press("n")
    #expect(driver.text.contains("q quit"))
  }

  @Test func qQuits() {
    #expect(driver.press("q") == .finish)
    #expect(driver.isFinished)
  }
}
