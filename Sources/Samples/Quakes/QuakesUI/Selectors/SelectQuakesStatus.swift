import ImmutableUI
public import QuakesData

/// How far fetching has come, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuakesStatus<Store: QuakesSource> {
  private let selection: Selection<Store, Status?>

  /// Makes a selection.
  public init(_ store: Store) {
    selection = Selection(
      store, label: "SelectQuakesStatus()", outputSelector: QuakesState.selectQuakesStatus())
  }

  /// The status; `nil` before anything was asked for.
  public var output: Status? { selection.output }
}
