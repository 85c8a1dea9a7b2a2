import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import TreeCollections

/// A table of animals of a given size, and updates of rows drawn evenly: what shows whether the cost of an action
/// depends on the size of the state.
struct UpdateStory {
  var state: AnimalsState
  var actions: [AnimalsAction]

  /// Draws a story.
  @MainActor init(_ data: DataSet, entities: Int, updates: Int) throws {
    var generator = SplitMix(seed: DataSet.seed)
    var table: AnimalsState.Table<Animal.ID, Animal> = [:]
    for index in 0..<entities {
      let animal = Self.animal(index, name: "Animal \(index)")
      table[animal.id] = animal
    }
    state = AnimalsModel.initialState
    state.animals.data = table
    actions = (0..<updates).map { update in
      let index = Int(generator.next() % UInt64(entities))
      let animal = Self.animal(index, name: "Animal \(index), version \(update)")
      // The tap and the answer take turns, as in the app.
      return update.isMultiple(of: 2)
        ? .ui(
          .animalEditor(
            .onTapUpdateAnimalButton(
              animalId: animal.id, name: animal.name, diet: animal.diet, categoryId: animal.categoryId)))
        : .data(.persistentSession(.didUpdateAnimal(animalId: animal.id, result: .success(animal: animal))))
    }
  }

  /// The row with a number; its identifier looks like a UUID.
  static func animal(_ index: Int, name: String) -> Animal {
    let digits = String(index, radix: 16, uppercase: true)
    let id = "6F1D2C3B-7E5A-4D09-8C21-" + String(repeating: "0", count: 12 - digits.count) + digits
    return Animal(animalId: id, name: name, diet: .omnivorous, categoryId: "Bird")
  }
}

extension DataSet {
  /// A log of the updates of a table; its state before the first is the story's.
  func updateLog(entities: Int) throws -> String {
    try file("updates-\(entities)") { path in
      let recording = try LogRecording(path, model: UpdateModel.name, schema: UpdateModel.schema)
      for action in try UpdateStory(self, entities: entities, updates: sizes.updates).actions {
        try recording.append(action)
      }
      try recording.close()
    }
  }

  /// The lines of the first so many actions of the short log, with their line feeds.
  func lines(_ count: Int) throws -> [[UInt8]] {
    var records = try LogReader.open(at: try log(sizes.lineActions)).records()
    var lines: [[UInt8]] = []
    while lines.count < count, let record = try records.next() {
      if !record.isControl { lines.append(record.rawLine + [UInt8(ascii: "\n")]) }
    }
    return lines
  }
}

/// The Animals sample as the model of update benchmarks.
typealias UpdateModel = AnimalsModel

/// Numbers that are the same in every run.
///
/// - SeeAlso: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
