import ActionLog
import Platform
import TestSupport

/// One run of a program that records a store, with snapshots, on a simulated disk, and an end of the world before every
/// call that changes anything.
///
/// Everything follows from the seed, but for how a recorder that is given several actions at once makes batches of them.
@MainActor package struct RecordingSimulation {
  /// Where the draws begin.
  package var seed: UInt64
  /// What stands between the program and the log.
  package var way: RecordedProgram.Way
  /// How the world ends.
  package var end: RecordingEnd
  /// How many steps the program does.
  package var steps: Int
  /// What the program does wrong, in the runs that must be caught.
  package var mistake: RecordedProgram.Mistake?

  /// Makes a run.
  package init(seed: UInt64, way: RecordedProgram.Way, end: RecordingEnd, steps: Int = 25) {
    self.seed = seed
    self.way = way
    self.end = end
    self.steps = steps
  }

  /// A disk as it was left, to be looked at when the program has ended: the next one runs where this one does.
  private struct Image: Sendable {
    var disk: MemoryFileSystem
    var knowledge: Knowledge
    var place: String
  }

  /// Runs the program.
  package func run() async -> SimulationTally {
    let disk = MemoryFileSystem()
    var generator = SeededGenerator(seed: seed)
    let faults = end.faults(&generator)
    let images = Locked<[Image]>([])
    let known = Locked<(@Sendable () -> Knowledge)?>(nil)
    let seeds = Locked(generator)
    let end = end
    let door = FaultyFileSystem(disk, faults: faults) { call in
      guard call.operation.changesDisk, let known = known.withLock({ known in known }) else { return }
      let knowledge = known()
      let left = seeds.withLock { generator in end.leftovers(of: disk, &generator) }
      images.withLock { images in images.append(Image(disk: left, knowledge: knowledge, place: "before \(call)")) }
    }
    var program = RecordedProgram(seed: seed, way: way, level: end.level, mistake: mistake, door: door)
    let knowledge = program.knowledge
    known.withLock { known in known = { knowledge.withLock { knowledge in knowledge } } }
    await program.run(steps: steps)

    var tally = SimulationTally()
    for flaw in program.flaws { add(flaw, "found by the next life", to: &tally) }
    for image in images.withLock({ images in images }) { await judge(image, &tally, seeds) }
    return tally
  }

  private func judge(_ image: Image, _ tally: inout SimulationTally, _ seeds: Locked<SeededGenerator>) async {
    let judge = RecordingJudge(level: end.level, mayRefuse: end.mayRefuse)
    tally.states += 1
    guard end == .powerCutInOpening else {
      if let flaw = await judge.flaw(image.disk, image.knowledge) { add(flaw, image.place, to: &tally) }
      if image.disk.filePaths.contains(where: { path in path.hasSuffix(".torn") }) { tally.torn += 1 }
      return
    }
    let again = Locked<[Image]>([])
    let door = FaultyFileSystem(image.disk) { call in
      guard call.operation.changesDisk else { return }
      let left = seeds.withLock { generator in
        image.disk.crash(CrashModel.drawn(&generator, stale: false))
      }
      let place = "\(image.place), and again before \(call)"
      again.withLock { again in
        again.append(Image(disk: left, knowledge: image.knowledge.afterJudge(), place: place))
      }
    }
    if let flaw = await judge.flaw(image.disk, image.knowledge, through: door) { add(flaw, image.place, to: &tally) }
    for image in again.withLock({ again in again }) {
      tally.states += 1
      if let flaw = await judge.flaw(image.disk, image.knowledge) { add(flaw, image.place, to: &tally) }
    }
  }

  private func add(_ flaw: Flaw, _ place: String, to tally: inout SimulationTally) {
    if flaw.isRefusal { tally.refusals += 1 }
    guard !flaw.isRefusal || !end.mayRefuse else { return }
    tally.add(flaw: "\(way.rawValue), \(end.rawValue), seed \(seed), \(place): \(flaw)")
  }
}
