import EventSourcing

/// A model whose state tells which actions it is the fold of.
enum RecordedModel: Model {
  /// What was applied so far.
  struct State: Codable, Equatable, Sendable {
    /// The attempt that was applied for each number, the first one at index 0.
    var attempts: [Int] = []
    /// What the last action carried, so that snapshots are of different lengths.
    var text = ""
  }

  /// What can happen.
  enum Action: Codable, Equatable, Sendable {
    /// The next number, offered by an attempt.
    case add(number: Int, attempt: Int, text: String)
  }

  /// Why an action is refused.
  enum Refusal: Error {
    /// It is not the next number.
    case isOutOfOrder
  }

  static let name = "recorded"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) throws {
    guard case .add(let number, let attempt, let text) = action else { return }
    state.text = text
    guard number == state.attempts.count + 1 else { throw Refusal.isOutOfOrder }
    state.attempts.append(attempt)
  }
}

extension RecordedModel.Action {
  /// The action of an attempt: all else follows from its number, so that a state can be made again from attempts.
  static func offered(_ number: Int, by attempt: Int) -> RecordedModel.Action {
    .add(number: number, attempt: attempt, text: text(of: attempt))
  }

  fileprivate static func text(of attempt: Int) -> String {
    let sizes = [0, 10, 300, 10, 1_500, 0, 6_000]
    let letter = UInt8(97 + attempt % 26)
    return String(decoding: Array(repeating: letter, count: sizes[attempt % sizes.count]), as: UTF8.self)
  }
}

extension RecordedModel.State {
  /// The fold of attempts, made without log, snapshots, reducer and engine.
  init(folding attempts: [Int]) {
    self.attempts = attempts
    text = attempts.last.map(RecordedModel.Action.text) ?? ""
  }
}

extension Knowledge.Found {
  /// What a log holds that took an attempt for each number, the first one at index 0.
  static func sequence(_ attempts: [Int]) -> [Knowledge.Found] {
    attempts.enumerated().map { index, attempt in Knowledge.Found(number: index + 1, attempt: attempt) }
  }
}
