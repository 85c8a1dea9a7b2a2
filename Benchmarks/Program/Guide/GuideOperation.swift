import ActionLog
import BenchmarkKit
import Foundation

/// The operations of the guide's tables, with two counterparts of "and Save".
enum GuideOperation: String, CaseIterable {
  case count = "Count"
  case read = "Read"
  case insert = "Insert"
  case update = "Update"
  case delete = "Delete"
  /// With a copy that holds equal elements and shares all but one of them.
  case compare = "Compare"
  case insertAndAppend = "Insert, and Append"
  case updateAndAppend = "Update, and Append"
  case deleteAndAppend = "Delete, and Append"
  case insertAndSave = "Insert, and Save"
  case updateAndSave = "Update, and Save"
  case deleteAndSave = "Delete, and Save"
  case sortByDescriptor = "Sort, SortDescriptor"
  case sortByClosure = "Sort, closure"

  /// The change of the table; `nil` for a read.
  enum Change { case insert, update, delete }

  var change: Change? {
    switch self {
    case .insert, .insertAndAppend, .insertAndSave: .insert
    case .update, .updateAndAppend, .updateAndSave: .update
    case .delete, .deleteAndAppend, .deleteAndSave: .delete
    case .count, .read, .compare, .sortByDescriptor, .sortByClosure: nil
    }
  }

  /// The storage of the modified value.
  enum Keeping {
    case memory
    /// One action is appended to a log and synced, the default durability.
    case append
    /// The whole table is written as one JSON file that replaces the one before.
    case save
  }

  var keeping: Keeping {
    switch self {
    case .insertAndAppend, .updateAndAppend, .deleteAndAppend: .append
    case .insertAndSave, .updateAndSave, .deleteAndSave: .save
    default: .memory
    }
  }

  /// The number of samples for operations that take a second.
  func samples(_ wanted: Int) -> Int { keeping == .save ? min(wanted, 10) : wanted }

  /// The number of operations per sample, large if an operation takes less time than reading the clock.
  func repetitions(isCopying: Bool) -> Int {
    switch (self, change, keeping) {
    case (.count, _, _), (.read, _, _): 1_000
    case (_, .some, .memory): isCopying ? 1 : 100
    default: 1
    }
  }
}

/// One action of a log of changes of the table.
enum GuideAction: Codable, Sendable {
  case set(key: Int64, element: GuideElement)
  case remove(key: Int64)
}
