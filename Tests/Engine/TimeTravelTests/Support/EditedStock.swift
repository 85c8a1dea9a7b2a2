import ActionLog
import EventSourcing
import TestSupport
import TimeTravel

/// A model that reads the logs of a ``Stock`` and has no tags.
enum PlainStock: Model {
  struct NoTags: Error {}

  static let name = "plain stock"
  static let schema = 1
  static let initialState = Stock.State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout Stock.State, action: Stock.Action) throws {
    if case .tag = action { throw NoTags() }
    try Stock.reduce(into: &state, action: action)
  }
}

/// A model that reads the logs of a ``Stock``, has fewer actions, and another state.
enum Door: Model {
  struct State: Codable, Equatable, Sendable {
    var isOpen = false
    var moves = 0
  }

  enum Action: Codable, Equatable, Sendable {
    case open, close
  }

  static let name = "door"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) {
    state.isOpen = action == .open
    state.moves += 1
  }
}

/// Edits of a ``StockLog`` and their result, computed in the simplest way.
struct EditedStock {
  /// An action of the branch.
  struct Happening {
    var action: Stock.Action
    /// The revision of the action, or the one before it.
    var revision: Int
    /// Its revision in the history; `nil` for a new action.
    var was: Int?
    var isEdited = true
  }

  private(set) var edits: [HistoryEdit] = []
  /// The actions of the branch at each revision.
  private(set) var happenings: [[Happening]]

  /// Draws edits for the first `last` actions of a log.
  init(_ log: StockLog, upTo last: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    self.init(log)
    happenings.removeSubrange((last + 1)...)
    var added: [[Happening]] = Array(repeating: [], count: last + 1)
    for revision in (1...last).shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)) {
      let target = Int.random(in: 0...last, using: &random)
      let action = StockLog.action(&random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        edits.append(.skip(revision...revision))
        happenings[revision] = []
      case 1:
        edits.append(try .replacing(revision, with: action))
        happenings[revision] = [Happening(action: action, revision: revision)]
      case 2:
        edits.append(try .inserting(action, after: target))
        added[target].append(Happening(action: action, revision: target))
      default:
        edits.append(.move(revision, after: target))
        happenings[revision] = []
        added[target].append(Happening(action: log.actions[revision - 1], revision: target, was: revision))
      }
    }
    for revision in 0...last { happenings[revision] += added[revision] }
  }

  /// No edits at all.
  init(_ log: StockLog) {
    happenings = log.states.indices.map { revision in
      revision == 0
        ? [] : [Happening(action: log.actions[revision - 1], revision: revision, was: revision, isEdited: false)]
    }
  }

  /// The last revision that the history and the branch have in common.
  var stem: Int {
    let last = happenings.count - 1
    for (revision, happening) in happenings.enumerated() {
      let isKept = revision == 0 || happening.first.map { first in !first.isEdited } ?? false
      guard isKept else { return revision - 1 }
      guard happening.count == (revision == 0 ? 0 : 1) else { return revision }
    }
    return last
  }

  /// The result of a fold.
  struct Outcome {
    var state: Stock.State
    var firstDivergence: Int?
    var accepted: [Happening] = []
    var refused: [Happening] = []
  }

  /// Folds all actions of the branch with a copy of the state for each, and compares at every revision.
  func outcome(_ log: StockLog, refusing isRefused: (Stock.Action) -> Bool = { _ in false }) -> Outcome {
    var outcome = Outcome(state: log.states[0])
    for (revision, happening) in happenings.enumerated() {
      for happening in happening {
        var next = outcome.state
        if !isRefused(happening.action), (try? Stock.reduce(into: &next, action: happening.action)) != nil {
          outcome.state = next
          outcome.accepted.append(happening)
        } else {
          outcome.refused.append(happening)
        }
      }
      if outcome.firstDivergence == nil, outcome.state != log.states[revision] { outcome.firstDivergence = revision }
    }
    return outcome
  }
}
