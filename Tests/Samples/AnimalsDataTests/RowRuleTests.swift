import AnimalsData
import Testing

/// Actions on one row: adding, changing, deleting.
@Suite struct RowRuleTests {
  private static let deleteInList = AnimalsAction.UI.animalList(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))
  private static let deleteInDetail = AnimalsAction.UI.animalDetail(
    .onTapDeleteSelectedAnimalButton(animalId: "Cat"))
  private static let update = AnimalsAction.UI.animalEditor(
    .onTapUpdateAnimalButton(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish"))
  private static let add = AnimalsAction.UI.animalEditor(
    .onTapAddAnimalButton(id: "t1", name: "Owl", diet: .carnivorous, categoryId: "Bird"))

  @Test(
    arguments: [deleteInList, deleteInDetail, update],
    [nil, .waiting, .success, .failure(error: "e")] as [Status?])
  func tapMakesTheRowWait(tap: AnimalsAction.UI, status: Status?) throws {
    let before = AnimalsState.with(animals: [.cat], .success, queue: status.map { status in ["Cat": status] } ?? [:])
    try Rule("tap", before, ui: tap, .with(animals: [.cat], .success, queue: ["Cat": .waiting])).check()
  }

  @Test(arguments: [deleteInList, deleteInDetail, update])
  func tapOnDeletedRowIsRefused(tap: AnimalsAction.UI) throws {
    try Rule("gone", .with(animals: [.dog], queue: ["Cat": .success]), ui: tap, nil).check()
  }

  @Test(arguments: [
    Rule(
      "a tap on add stores nothing but that the temporary id waits",
      .with(animals: [.cat], .success), ui: add, .with(animals: [.cat], .success, queue: ["t1": .waiting])),
    Rule(
      "adding can be tried again", .with(queue: ["t1": .failure(error: "e")]), ui: add, .with(queue: ["t1": .waiting])),
    Rule(
      "an added animal comes under its real id, the temporary id succeeds",
      .with(animals: [.cat], .success, queue: ["t1": .waiting]),
      session: .didAddAnimal(id: "t1", result: .success(animal: .sparrow)),
      .with(animals: [.cat, .sparrow], .success, queue: ["t1": .success])),
    Rule(
      "a result for an id that is not waiting is accepted",
      .with(), session: .didAddAnimal(id: "t1", result: .success(animal: .sparrow)),
      .with(animals: [.sparrow], queue: ["t1": .success])),
    Rule(
      "a failed addition is kept under the temporary id",
      .with(queue: ["t1": .waiting]), session: .didAddAnimal(id: "t1", result: .failure(error: "offline")),
      .with(queue: ["t1": .failure(error: "offline")])),
  ])
  func animalsAreAdded(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "an updated animal replaces the old one",
      .with(animals: [.cat, .dog], queue: ["Cat": .waiting]),
      session: .didUpdateAnimal(animalId: "Cat", result: .success(animal: .cat.with(name: "Mimi"))),
      .with(animals: [.cat.with(name: "Mimi"), .dog], queue: ["Cat": .success])),
    Rule(
      "an update that answers with another id adds that row",
      .with(animals: [.cat]), session: .didUpdateAnimal(animalId: "Cat", result: .success(animal: .dog)),
      .with(animals: [.cat, .dog], queue: ["Cat": .success])),
    Rule(
      "a failed update keeps the row",
      .with(animals: [.cat], queue: ["Cat": .waiting]),
      session: .didUpdateAnimal(animalId: "Cat", result: .failure(error: "offline")),
      .with(animals: [.cat], queue: ["Cat": .failure(error: "offline")])),
    Rule(
      "an update of a row that is gone is refused",
      .with(animals: [.dog], queue: ["Cat": .waiting]),
      session: .didUpdateAnimal(animalId: "Cat", result: .success(animal: .cat)), nil),
    Rule(
      "a failed update of a row that is gone is refused, the row waits for ever",
      .with(animals: [.dog], queue: ["Cat": .waiting]),
      session: .didUpdateAnimal(animalId: "Cat", result: .failure(error: "offline")), nil),
  ])
  func animalsAreUpdated(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "a deleted animal is gone, its queue entry stays",
      .with(animals: [.cat, .dog], queue: ["Cat": .waiting]),
      session: .didDeleteAnimal(animalId: "Cat", result: .success(animal: .cat)),
      .with(animals: [.dog], queue: ["Cat": .success])),
    Rule(
      "a deletion that answers with another id removes that row",
      .with(animals: [.cat, .dog], queue: ["Cat": .waiting]),
      session: .didDeleteAnimal(animalId: "Cat", result: .success(animal: .dog)),
      .with(animals: [.cat], queue: ["Cat": .waiting, "Dog": .success])),
    Rule(
      "a failed deletion keeps the row",
      .with(animals: [.cat], queue: ["Cat": .waiting]),
      session: .didDeleteAnimal(animalId: "Cat", result: .failure(error: "offline")),
      .with(animals: [.cat], queue: ["Cat": .failure(error: "offline")])),
    Rule(
      "a deletion of a row that is gone is refused",
      .with(animals: [.dog], queue: ["Cat": .waiting]),
      session: .didDeleteAnimal(animalId: "Cat", result: .success(animal: .cat)), nil),
    Rule(
      "a failed deletion of a row that is gone is refused, the row waits for ever",
      .with(animals: [.dog], queue: ["Cat": .waiting]),
      session: .didDeleteAnimal(animalId: "Cat", result: .failure(error: "offline")), nil),
  ])
  func animalsAreDeleted(rule: Rule) throws { try rule.check() }

  @Test func errorNamesTheMissingRow() {
    let error = AnimalsModel.Error(animalId: "Bibbon")
    #expect("\(error)" == "animal not found: there is no animal with the id 'Bibbon'. The state is unchanged.")
  }
}
