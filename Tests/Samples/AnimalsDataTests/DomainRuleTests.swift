import AnimalsData
import Testing

/// Actions on complete tables: appearing, fetching, reloading.
@Suite struct DomainRuleTests {
  private static let statuses: [Status?] = [nil, .empty, .waiting, .success, .failure(error: "e")]

  @Test(arguments: statuses)
  func categoriesAreRequestedOnce(status: Status?) throws {
    let expected = status == nil ? .waiting : status
    try Rule("appear", .with(status), ui: .categoryList(.onAppear), .with(expected)).check()
  }

  @Test(arguments: statuses)
  func animalsAreRequestedOnce(status: Status?) throws {
    let expected = status == nil ? .waiting : status
    try Rule(
      "appear", .with(animals: [.cat], status), ui: .animalList(.onAppear), .with(animals: [.cat], expected)
    ).check()
  }

  @Test(arguments: statuses, statuses)
  func reloadRequiresIdleDomains(categories: Status?, animals: Status?) throws {
    let starts = categories != .waiting && animals != .waiting
    try Rule(
      "reload",
      .with(categories, animals: [.cat], animals, queue: ["Cat": .success]),
      ui: .categoryList(.onTapReloadSampleDataButton),
      .with(
        starts ? .waiting : categories, animals: [.cat], starts ? .waiting : animals, queue: ["Cat": .success])
    ).check()
  }

  @Test(arguments: [
    Rule(
      "fetched categories fill the table",
      .with(.waiting), session: .didFetchCategories(result: .success(categories: [.bird, .fish])),
      .with(categories: [.bird, .fish], .success)),
    Rule(
      "fetched categories are merged, a newer name wins",
      .with(categories: [.bird, Category(categoryId: "Fish", name: "Old")], .waiting),
      session: .didFetchCategories(result: .success(categories: [.fish])),
      .with(categories: [.bird, .fish], .success)),
    Rule(
      "the later of two categories with one id wins",
      .with(.waiting),
      session: .didFetchCategories(
        result: .success(categories: [Category(categoryId: "Fish", name: "Old"), .fish])),
      .with(categories: [.fish], .success)),
    Rule(
      "no category is a success too",
      .with(nil), session: .didFetchCategories(result: .success(categories: [])), .with(.success)),
    Rule(
      "a failure keeps the categories",
      .with(categories: [.bird], .waiting), session: .didFetchCategories(result: .failure(error: "offline")),
      .with(categories: [.bird], .failure(error: "offline"))),
  ])
  func categoriesAreFetched(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "fetched animals fill the table, the queue stays",
      .with(nil, .waiting, queue: ["x": .waiting]),
      session: .didFetchAnimals(result: .success(animals: [.cat, .gibbon])),
      .with(animals: [.cat, .gibbon], .success, queue: ["x": .waiting])),
    Rule(
      "fetched animals are merged, a newer name wins",
      .with(animals: [.dog, .cat.with(name: "Old")], .waiting),
      session: .didFetchAnimals(result: .success(animals: [.cat])),
      .with(animals: [.dog, .cat], .success)),
    Rule(
      "the later of two animals with one id wins",
      .with(nil), session: .didFetchAnimals(result: .success(animals: [.cat.with(name: "Old"), .cat])),
      .with(animals: [.cat], .success)),
    Rule(
      "a failure keeps the animals",
      .with(animals: [.cat], .waiting), session: .didFetchAnimals(result: .failure(error: "offline")),
      .with(animals: [.cat], .failure(error: "offline"))),
  ])
  func animalsAreFetched(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "a reload replaces both tables and leaves the queue",
      .with(
        categories: [.bird], .waiting, animals: [.cat, .dog], .waiting, queue: ["Cat": .waiting, "x": .success]),
      session: .didReloadSampleData(result: .success(animals: [.newt], categories: [.amphibian])),
      .with(
        categories: [.amphibian], .success, animals: [.newt], .success, queue: ["Cat": .waiting, "x": .success])),
    Rule(
      "the later of two reloaded rows with one id wins, without a trap",
      .with(.waiting, .waiting),
      session: .didReloadSampleData(
        result: .success(
          animals: [.cat.with(name: "Old"), .cat],
          categories: [Category(categoryId: "Fish", name: "Old"), .fish])),
      .with(categories: [.fish], .success, animals: [.cat], .success)),
    Rule(
      "a reload that failed says so in both domains",
      .with(categories: [.bird], .waiting, animals: [.cat], .waiting, queue: ["Cat": .waiting]),
      session: .didReloadSampleData(result: .failure(error: "offline")),
      .with(
        categories: [.bird], .failure(error: "offline"), animals: [.cat], .failure(error: "offline"),
        queue: ["Cat": .waiting])),
  ])
  func sampleDataIsReloaded(rule: Rule) throws { try rule.check() }
}
