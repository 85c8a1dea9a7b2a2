import SampleSupport

/// A made-up history of the animals sample, the same for the same seed on every platform.
///
/// It imitates people at work: they open the app, look at lists, add, edit and delete animals; the store answers one
/// request after the other, a little later, and sometimes fails. About 1 in 200 actions is one that the reducer refuses:
/// a tap on a row that is gone, or a late result. The table grows by about one animal in ten actions, to some 100 000
/// animals after 10⁶. The sample data is reloaded only while there is little to lose.
///
/// The actions of a shorter workload are the beginning of a longer one with the same seed.
///
/// ```swift
/// for action in AnimalsWorkload(seed: 7, count: 1_000) {
///   do { try store.dispatch(action: action) } catch { print("refused: \(error)") }
/// }
/// ```
public struct AnimalsWorkload: Sequence, IteratorProtocol, Sendable {
  /// More than this many requests never wait: the fastest finger is not that fast.
  private static let pendingLimit = 4

  private var remaining: Int
  var generator: SplitMix64
  /// What the table of animals in the state holds.
  var animals = LiveRows<Animal>()
  /// The animals that were deleted last, for taps that come too late.
  var deleted: [Animal] = []
  /// What the store was asked for and has not answered, oldest first: the listener works in this order.
  var requests: [Request] = []
  var hasCategories = false
  var categoriesStatus: Phase = .idle
  var animalsStatus: Phase = .idle
  /// How many more things the person does before the app is closed.
  var sessionLength = 0
  var hasOpenedAnimalList = false

  /// Makes a workload.
  ///
  /// - Parameters:
  ///   - seed: Any number; it alone decides what happens.
  ///   - count: How many actions there are, at least 0.
  public init(seed: UInt64, count: Int) {
    precondition(count >= 0, "a workload cannot hold \(count) actions")
    self.generator = SplitMix64(seed: seed)
    self.remaining = count
  }

  /// How many actions are left.
  public var underestimatedCount: Int { remaining }

  /// The next action, or `nil` after the last one.
  ///
  /// - Complexity: O(1) amortised. The workload keeps the rows that exist, O(n) memory in their number.
  public mutating func next() -> AnimalsAction? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    if let request = requests.first, isAnswerDue() {
      requests.removeFirst()
      return answer(request)
    }
    return userAction()
  }

  private mutating func isAnswerDue() -> Bool {
    // Nobody can do much before the lists are there, and the app is not closed while it works.
    if requests.count == Self.pendingLimit || sessionLength == 0 { return true }
    if categoriesStatus == .waiting || animals.isEmpty { return true }
    return generator.chance(2, in: 3)
  }
}

extension AnimalsWorkload {
  /// How far a domain has come, as far as people's choices depend on it.
  enum Phase: Sendable {
    case idle, waiting, success, failure
  }

  /// What the store is asked for.
  enum Request: Sendable {
    case fetchCategories
    case fetchAnimals
    case reloadSampleData
    case add(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    case update(Animal)
    case delete(Animal.ID)

    /// The row whose operation is under way.
    var row: Animal.ID? {
      switch self {
      case .fetchCategories, .fetchAnimals, .reloadSampleData: nil
      case .add(let id, name: _, diet: _, categoryId: _): id
      case .update(let animal): animal.id
      case .delete(let id): id
      }
    }
  }
}
