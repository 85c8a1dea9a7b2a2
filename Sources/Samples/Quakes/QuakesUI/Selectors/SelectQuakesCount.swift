import ImmutableUI
import QuakesData

/// How many quakes there are, whatever is searched for, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesCount<Store: QuakesSource> {
  private let selection: Selection<Store, Int>

  /// Makes a selection.
  public init(_ store: Store) {
    selection = Selection(
      store, label: "SelectQuakesCount()", outputSelector: QuakesState.selectQuakesCount())
  }

  /// The number.
  public var output: Int { selection.output }
}
