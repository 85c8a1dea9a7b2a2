public import SampleSupport

extension AnimalsWorkload {
  /// A step of the story.
  public typealias Step = StoryStep<AnimalsAction>

  /// A story in which the user opens the app, adds an owl, renames the cat, deletes the kangaroo, gets two failures,
  /// reloads the sample data, and adds the owl again.
  ///
  /// Every step is accepted. The final state has the six sample animals and the second owl.
  public static let story: [Step] =
    openTheApp + addAnOwl + renameTheCat + failAndTryAgain + deleteTwo + reload + addTheOwlAgain

  private static let openTheApp = [
    Step(.milliseconds(420), ui: .categoryList(.onAppear)),
    Step(.milliseconds(38), session: .didFetchCategories(result: .success(categories: Category.samples))),
    Step(.milliseconds(2_160), ui: .animalList(.onAppear)),
    Step(.milliseconds(24), session: .didFetchAnimals(result: .success(animals: Animal.samples))),
  ]

  private static let addAnOwl = [
    Step(
      .seconds(19),
      ui: .animalEditor(
        .onTapAddAnimalButton(
          id: "5D0E52D3-6C1B-4F0F-9B53-2B7A3C1E9A10", name: "Barn owl", diet: .carnivorous, categoryId: "Bird"))),
    Step(
      .milliseconds(31),
      session: .didAddAnimal(id: "5D0E52D3-6C1B-4F0F-9B53-2B7A3C1E9A10", result: .success(animal: owl))),
  ]

  private static let renameTheCat = [
    Step(
      .milliseconds(8_700),
      ui: .animalEditor(
        .onTapUpdateAnimalButton(animalId: "Cat", name: "Mimi", diet: .carnivorous, categoryId: "Mammal"))),
    Step(
      .milliseconds(28),
      session: .didUpdateAnimal(
        animalId: "Cat",
        result: .success(
          animal: Animal(animalId: "Cat", name: "Mimi", diet: .carnivorous, categoryId: "Mammal")))),
  ]

  /// The dog becomes an omnivore; the first attempt times out.
  private static let failAndTryAgain = [
    Step(.seconds(12), ui: updateTheDog),
    Step(
      .seconds(30),
      session: .didUpdateAnimal(animalId: "Dog", result: .failure(error: "The request timed out."))),
    Step(.milliseconds(5_300), ui: updateTheDog),
    Step(.milliseconds(45), session: .didUpdateAnimal(animalId: "Dog", result: .success(animal: omnivorousDog))),
  ]

  private static let deleteTwo = [
    Step(.seconds(7), ui: .animalList(.onTapDeleteSelectedAnimalButton(animalId: "Kangaroo"))),
    Step(
      .milliseconds(26),
      session: .didDeleteAnimal(animalId: "Kangaroo", result: .success(animal: .kangaroo))),
    Step(.milliseconds(4_100), ui: .animalList(.onAppear)),
    Step(.milliseconds(3_900), ui: .animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Newt"))),
    Step(
      .milliseconds(1_250),
      session: .didDeleteAnimal(animalId: "Newt", result: .failure(error: "database is locked"))),
  ]

  private static let reload = [
    Step(.seconds(16), ui: .categoryList(.onAppear)),
    Step(.milliseconds(6_400), ui: .categoryList(.onTapReloadSampleDataButton)),
    Step(
      .milliseconds(83),
      session: .didReloadSampleData(result: .success(animals: Animal.samples, categories: Category.samples))),
  ]

  /// The reload deleted the owl.
  private static let addTheOwlAgain = [
    Step(.milliseconds(9_200), ui: .animalList(.onAppear)),
    Step(
      .seconds(21),
      ui: .animalEditor(
        .onTapAddAnimalButton(
          id: "E7A94C7B-0D37-4B8A-8E0C-71F5D2B6C402", name: "Barn owl", diet: .carnivorous, categoryId: "Bird"))),
    Step(
      .milliseconds(33),
      session: .didAddAnimal(id: "E7A94C7B-0D37-4B8A-8E0C-71F5D2B6C402", result: .success(animal: secondOwl))),
  ]

  private static let owl = Animal(
    animalId: "B1F2C7E4-93A8-4D6E-A0C5-58D1E6F70321", name: "Barn owl", diet: .carnivorous, categoryId: "Bird")

  private static let secondOwl = Animal(
    animalId: "2C8D9E61-47B5-4E1A-9F3D-0A6B84C5D7F8", name: "Barn owl", diet: .carnivorous, categoryId: "Bird")

  private static let omnivorousDog = Animal(animalId: "Dog", name: "Dog", diet: .omnivorous, categoryId: "Mammal")

  private static let updateTheDog = AnimalsAction.UI.animalEditor(
    .onTapUpdateAnimalButton(animalId: "Dog", name: "Dog", diet: .omnivorous, categoryId: "Mammal"))
}

extension StoryStep where Action == AnimalsAction {
  init(_ pause: Duration, ui action: AnimalsAction.UI) {
    self.init(pause, .ui(action))
  }

  init(_ pause: Duration, session action: AnimalsAction.Data.PersistentSession) {
    self.init(pause, .data(.persistentSession(action)))
  }
}
