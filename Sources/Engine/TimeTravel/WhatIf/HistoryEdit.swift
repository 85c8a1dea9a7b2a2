public import ActionLog

/// A change to a history that is asked about: what would be, had this been otherwise?
///
/// Revisions are those of the history as it is: several edits do not shift each other.
public enum HistoryEdit: Hashable, Sendable {
  /// The actions had not happened.
  case skip(ClosedRange<Int>)
  /// Another action had happened instead.
  case replace(Int, with: ActionForm)
  /// An action had happened in addition, behind this revision; several behind one revision happen in the order of the edits.
  case insert(ActionForm, after: Int)
  /// An action had happened behind this revision and not where it did.
  case move(Int, after: Int)
}

extension HistoryEdit {
  /// Another action had happened instead.
  ///
  /// - Parameters:
  ///   - revision: The revision of the action that would not have happened.
  ///   - action: The action in its place.
  /// - Throws: When the action cannot be encoded.
  public static func replacing(_ revision: Int, with action: some Encodable) throws -> HistoryEdit {
    .replace(revision, with: try ActionCoding.encode(action))
  }

  /// An action had happened in addition, behind this revision.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - revision: The revision that it would have met.
  /// - Throws: When the action cannot be encoded.
  public static func inserting(_ action: some Encodable, after revision: Int) throws -> HistoryEdit {
    .insert(try ActionCoding.encode(action), after: revision)
  }
}
