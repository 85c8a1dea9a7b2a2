import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import Testing
import TimeTravel

/// Questions about states with `Double.nan`, which are not equal to themselves.
@Suite struct NotANumberTests {
  private let disk = MemoryFileSystem()

  private func history(_ values: [Double]) throws -> History<Gauge> {
    var configuration = LogConfiguration()
    configuration.durability = .written
    let writer = try LogWriter.open(
      at: "gauge", model: Gauge.name, schema: Gauge.schema, fileSystem: disk, configuration: configuration)
    for value in values {
      let form = try ActionCoding.encode(Gauge.Action.read(value))
      _ = try writer.writeNow([LogDraft(form)])
    }
    try writer.closeNow()
    return try History<Gauge>(at: "gauge", fileSystem: disk)
  }

  @Test func whatIfNamesTheFirstRevisionThatDiffers() throws {
    let answer = try history([1, 2, .nan, 500, 3]).whatIf(foldedBy: CappedGauge.self)
    #expect(answer.firstDivergence == 4, "the states before differ only by what is no number")
    #expect(answer.difference.changes.map(\.pointer.description) == ["/readings/3"])
  }

  @Test func editWithoutEffectMakesNoDifference() throws {
    let answer = try history([-1, 2, .nan]).whatIf([.skip(1...1)])
    #expect(answer.firstDivergence == nil && answer.difference.isEmpty)
    let other = try history([]).whatIf([.skip(2...2)])
    #expect(other.firstDivergence == 2)
  }

  @Test func diffsShowNoChangeOfNaN() throws {
    let history = try history([.nan, 2])
    let (before, after) = (try history.state(at: 1), try history.state(at: 2))
    #expect(try StateDiff(encoding: before, to: after).changes.map(\.pointer.description) == ["/readings/1"])
    #expect(try StateDiff(encoding: after, to: after).isEmpty)
  }
}

/// A model whose initial state has a NaN, and which ignores negative readings.
enum Gauge: Model {
  struct State: Codable, Equatable, Sendable {
    var mean = Double.nan
    var readings: [Double] = []
  }

  enum Action: Codable, Equatable, Sendable {
    case read(Double)
  }

  static let name = "gauge"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) {
    if case .read(let value) = action, !(value < 0) { state.readings.append(value) }
  }
}

/// The same model with a reducer that caps readings.
enum CappedGauge: Model {
  static let name = Gauge.name
  static let schema = Gauge.schema
  static let initialState = Gauge.initialState
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout Gauge.State, action: Gauge.Action) {
    Gauge.reduce(into: &state, action: action)
    if let last = state.readings.last, last > 100 { state.readings[state.readings.count - 1] = 100 }
  }
}
