import ActionLog
import TimeTravel

/// What a screen asks of the command that shows it. All calls block.
struct HistoryDesk: Sendable {
  /// Finds the revision of a point as it is typed.
  var resolve: @Sendable (_ point: String) throws -> Int
  /// The marks as they are now.
  var marks: @Sendable () throws -> [Mark]
  /// Gives a revision a name, as `mark` does.
  var mark: @Sendable (_ name: String, _ revision: Int, _ remark: String?) throws -> Mark
}
