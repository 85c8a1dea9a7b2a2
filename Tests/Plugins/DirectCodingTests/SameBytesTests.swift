import ActionLog
import AnimalsData
import CounterData
import DirectZoo
import EventSourcing
import FoodTruckData
import JSONCoding
import QuakesData
import TestSupport
import Testing

/// Generated code writes the same bytes and reads the same values as `Codable`.
@Suite struct SameBytesTests {
  @Test(arguments: DirectSuite.seeds)
  func animalsActionsAreTheSameInBothTiers(seed: UInt64) throws {
    let actions = Array(AnimalsWorkload(seed: seed).prefix(3_000))
    #expect(try declined(actions) == 0)
  }

  @Test(arguments: DirectSuite.seeds)
  func counterActionsAreTheSameInBothTiers(seed: UInt64) throws {
    #expect(try declined(Array(CounterWorkload(seed: seed).prefix(100))) == 0)
  }

  @Test(arguments: DirectSuite.seeds)
  func quakesActionsAreTheSameInBothTiers(seed: UInt64) throws {
    #expect(try declined(Array(QuakesWorkload(seed: seed).prefix(3_000))) == 0)
  }

  @Test(arguments: DirectSuite.seeds)
  func foodTruckActionsAreTheSameInBothTiers(seed: UInt64) throws {
    #expect(try declined(Array(FoodTruckWorkload(seed: seed).prefix(3_000))) == 0)
    #expect(try declined(Array(FoodTruckMirrorWorkload(seed: seed).prefix(200))) == 0)
  }

  @Test(arguments: DirectSuite.seeds)
  func zooActionsAreTheSameInBothTiers(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let actions = (0..<3_000).map { _ in DirectZoo.ZooAction(using: &generator) }
    let declined = try declined(actions)
    // Six of the 25 cases contain values without generated code: about a quarter, so the rest is direct.
    #expect((1...1_000).contains(declined))
  }

  @Test(arguments: DirectSuite.seeds)
  func statesAreTheSameInBothTiers(seed: UInt64) throws {
    var animals = AnimalsModel.initialState
    var counter = CounterModel.initialState
    for (index, action) in AnimalsWorkload(seed: seed).prefix(2_000).enumerated() {
      try? AnimalsModel.reduce(into: &animals, action: action)
      if index.isMultiple(of: 400) { try checkState(animals) }
    }
    try checkState(animals)
    for action in CounterWorkload(seed: seed).prefix(100) { try CounterModel.reduce(into: &counter, action: action) }
    try checkState(counter)
    var quakes = QuakesModel.initialState
    for action in QuakesWorkload(seed: seed).prefix(2_000) { try? QuakesModel.reduce(into: &quakes, action: action) }
    try checkState(quakes)
    var truck = FoodTruckLog.initialState
    for action in FoodTruckWorkload(seed: seed).prefix(2_000) { try FoodTruckLog.reduce(into: &truck, action: action) }
    try checkState(truck)
  }

  @Test(arguments: DirectSuite.seeds)
  func zooStatesAreTheSameInBothTiers(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      try checkState(Enclosure(using: &generator))
      try checkState(Forest(depth: 3, using: &generator))
      try checkState(Collections(using: &generator))
      try checkState(Scalars(using: &generator))
      try checkState(Labels(using: &generator))
    }
  }

  /// `Codable` writes one of the names twice or refuses it, and generated code does neither.
  @Test func repeatedNamesAreLeftToCodable() throws {
    var writer = DirectWriter()
    Labels.repeated.write(directly: &writer)
    let isDeclined = writer.isDeclined
    #expect(isDeclined)
    #expect(throws: EventSourcingError.self) { try StateCoder<Labels>().canonicalBytes(of: .repeated) }
    let foreign = Array(##"{"levels":{"other":1},"marks":{},"tree":{}}"##.utf8)
    #expect(StateCoder<Labels>().decodeDirectly(from: foreign[...]) == nil)
  }

  /// Compares both tiers, and returns the number of actions that generated code leaves to `Codable`.
  private func declined<Action: Codable & Equatable>(_ actions: [Action]) throws -> Int {
    let coder = ActionCoder<Action>()
    try #require(coder.isDirect)
    var declined = 0
    let place = UnsafeMutablePointer<Action>.allocate(capacity: 1)
    defer { place.deallocate() }
    var line = DirectWriter()
    for action in actions {
      let expected = try ActionCoding.encode(action)
      let form = try coder.encode(action)
      #expect(form == expected)
      line.truncate(to: 0)
      let (typeSize, checked) = try coder.append(action, to: &line)
      var text: [UInt8] = []
      JSONText.appendString(expected.type, to: &text)
      #expect(line.bytes == text + expected.data && typeSize == text.count)
      let isRead = form.data.withUnsafeBytes { data in
        Array(form.type.utf8).withUnsafeBytes { type in coder.decodeDirectly(type: type, data: data, into: place) }
      }
      let codable = try ActionCoding.decode(Action.self, type: form.type, data: form.data)
      #expect(try coder.decode(type: form.type, data: form.data[...]) == codable)
      if isRead { #expect(place.move() == codable) }
      if !isRead || checked != nil { declined += 1 }
    }
    return declined
  }

  private func checkState<State: Codable & Equatable & Sendable>(_ state: State) throws {
    let coder = StateCoder<State>()
    try #require(coder.isDirect)
    let bytes = try coder.canonicalBytes(of: state)
    #expect(bytes == (try StrictJSONEncoder(form: .canonical).encode(state)))
    #expect(coder.decodeDirectly(from: bytes[...]) == state)
  }
}
