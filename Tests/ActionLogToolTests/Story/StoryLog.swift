import ActionLog
import ActionLogTool
import AnimalsData
import EventSourcing
import PlantedBug

/// A log of a hundred thousand actions of ``AnimalsWithBug`` in which the bug strikes one value once.
///
/// People are at work as always; among them somebody adds a platypus, and later an update of it fails. Other updates fail too, but
/// no other animal has a name with brackets.
enum StoryLog {
  /// How many actions the log has.
  static let length = 100_000
  /// The revision at which the platypus appears.
  static let birth = 61_234
  /// The revision at which its name goes wrong.
  static let wrong = 61_803
  static let path = "my-log"
  static let snapshots = [30_000, 60_000]

  static let tool = ActionLogTool(models: [.model(AnimalsWithBug.self), .model(AnimalsModel.self)])

  /// Makes a disk with the log.
  static func disk() throws -> MemoryFileSystem {
    let disk = MemoryFileSystem()
    var environment = LogEnvironment.live
    let start = LogTime(parsing: "2026-11-21T09:00:00.000000Z") ?? .earliest
    environment.now = { start }
    environment.makeLogID = { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" }
    let writer = try LogWriter.open(
      path, model: AnimalsWithBug.name, schema: AnimalsWithBug.schema, fileSystem: disk,
      configuration: LogConfiguration(durability: .flush, environment: environment))
    var people = AnimalsWorkload(seed: 7, count: 2 * length)
    var state = AnimalsWithBug.initialState
    var drafts: [LogDraft] = []
    while drafts.count < length {
      let seq = drafts.count + 1
      let platypus = platypus(at: seq)
      guard let action = platypus ?? people.next() else { break }
      do { try AnimalsWithBug.reduce(into: &state, action: action) } catch {
        // A tap that came too late: a live store would refuse it, too.
        guard platypus == nil else { throw error }
        continue
      }
      drafts.append(
        LogDraft(try ActionCoding.encode(action), time: start.advanced(by: .milliseconds(250 * seq))))
    }
    _ = try writer.write(drafts)
    try writer.closeNow()
    let history = try History<AnimalsWithBug>(path, fileSystem: disk)
    for revision in snapshots { _ = try history.takeSnapshot(at: revision, time: start) }
    return disk
  }

  private static func platypus(at seq: Int) -> AnimalsAction? {
    let id = "Platypus"
    switch seq {
    case birth:
      let animal = Animal(animalId: id, name: "Platypus (young)", diet: .carnivorous, categoryId: "Mammal")
      return .data(.persistentSession(.didAddAnimal(id: id, result: .success(animal: animal))))
    case wrong - 1:
      return .ui(
        .animalEditor(
          .onTapUpdateAnimalButton(
            animalId: id, name: "Platypus (young)", diet: .omnivorous, categoryId: "Mammal")))
    case wrong:
      return .data(
        .persistentSession(
          .didUpdateAnimal(animalId: id, result: .failure(error: "The request timed out."))))
    default: return nil
    }
  }
}
