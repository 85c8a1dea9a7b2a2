import ActionLog
import ActionLogMaintenance
import JSONCoding
import Platform
import TestSupport
import Testing

/// An appender, which skips the intermediate form, writes the same bytes as the form, or refuses the same actions.
@Suite("The form of appended actions", .timeLimit(.minutes(60)))
struct AppendedFormTests {
  struct Refused: Error {}

  private func verify(_ story: LogStory) throws -> LogReport {
    try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
  }

  /// An action that contains JSON of any shape.
  enum Note: Codable, Equatable { case note(JSONValue) }

  /// `{"_0":[[…]]}` has one level more than the value, and may have 127 within a line.
  @Test(arguments: [(1, true), (126, true), (127, false), (128, false), (255, false), (400, false)])
  func jsonInAnActionIsHeldToTheDepthOfALine(depth: Int, fits: Bool) throws {
    for isObject in [true, false] {
      let value = (0..<depth).reduce(JSONValue.null) { value, _ in isObject ? ["a": value] : [value] }
      let story = LogStory()
      var appender = ActionAppender<Note>(try story.open())
      if fits {
        try appender.appendNow(.note(value))
      } else {
        #expect(throws: (any Error).self) { try appender.appendNow(.note(value)) }
      }
      try appender.writer.closeNow()
      let report = try verify(story)
      #expect(report.verdict == .clean && report.actionCount == (fits ? 1 : 0), "\(depth)")
      guard fits else { continue }
      #expect(try ActionCoding.decode(Note.self, from: story.reader().record(at: 1)) == .note(value))
    }
  }

  /// An action that replaces the errors of encoding its values.
  indirect enum Guarded: Codable {
    case deeper(Guarded)
    case end(Values)

    struct Values: Codable {
      var value: Tree

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        do { try container.encode(value, forKey: .value) } catch { throw Refused() }
      }
    }

    enum Tree: Codable, Equatable {
      indirect case within(Tree)
      case empty
    }
  }

  @Test func caseNamesDoNotCountAsDepth() throws {
    var value = Guarded.Tree.empty
    for _ in 0..<50 { value = .within(value) }
    let deep = (0..<30).reduce(Guarded.end(Guarded.Values(value: value))) { action, _ in .deeper(action) }
    let story = LogStory()
    var appender = ActionAppender<Guarded>(try story.open())
    try appender.appendNow(deep)
    try appender.writer.closeNow()
    #expect(try verify(story).verdict == .clean)
    let form = try ActionCoding.encode(deep)
    let record = try story.reader().record(at: 1)
    #expect(record.type == form.type && Array(record.dataBytes) == form.data)
  }

  /// An action that is not an enum and counts its encodings.
  struct Counted: Codable {
    final class Counter: Sendable {
      let count = Locked(0)
    }

    private enum Key: CodingKey { case a }

    private var counter: Counter?
    private var isObject: Bool

    init(counter: Counter, isObject: Bool) {
      (self.counter, self.isObject) = (counter, isObject)
    }

    init(from decoder: any Decoder) throws { isObject = true }

    func encode(to encoder: any Encoder) throws {
      counter?.count.withLock { count in count += 1 }
      if isObject {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .a)
      } else {
        var container = encoder.singleValueContainer()
        try container.encode("here")
      }
    }
  }

  @Test(arguments: [true, false]) func anActionThatIsNoEnumIsEncodedOnce(isObject: Bool) throws {
    let counter = Counted.Counter()
    let story = LogStory()
    var appender = ActionAppender<Counted>(try story.open())
    try appender.appendNow(Counted(counter: counter, isObject: isObject))
    try appender.writer.closeNow()
    #expect(counter.count.withLock { count in count } == 1)
    let record = try story.reader().record(at: 1)
    #expect(record.type == (isObject ? "_" : "_0"))
    #expect(Array(record.dataBytes) == Array((isObject ? #"{"a":1}"# : #"{"_0":"here"}"#).utf8))
  }
}
