import ImmutableUI
public import QuakesData

/// One quake, kept up to date.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
@MainActor public final class SelectQuake<Store: QuakesSource> {
  private let selection: Selection<Store, Quake?>

  /// Makes a selection.
  ///
  /// - Parameters:
  ///   - store: What to read.
  ///   - quakeId: The quake's id; `nil` selects none.
  public init(_ store: Store, quakeId: Quake.ID?) {
    selection = Selection(
      store, id: quakeId, label: Self.label(of: quakeId), outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  /// The quake; `nil` when there is none with the id.
  public var output: Quake? { selection.output }

  /// Selects another one. It takes effect at the next read.
  public func update(quakeId: Quake.ID?) {
    selection.update(
      id: quakeId, label: Self.label(of: quakeId), outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }

  private static func label(of quakeId: Quake.ID?) -> String { "SelectQuake(quakeId: \(quakeId ?? "nil"))" }
}
