public import QuakesData

/// The colour in which a magnitude is shown, by its name: what draws knows what the name looks like.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public enum QuakeColor: String, Hashable, Sendable, CaseIterable {
  /// From 0.
  case green
  /// From 1.
  case yellow
  /// From 2.
  case orange
  /// From 3.
  case red
  /// From 5.
  case purple
  /// From 7.
  case indigo
  /// What is below 0, infinite, or not a number.
  case gray

  /// The colour of a magnitude.
  public init(magnitude: Double) {
    self =
      switch magnitude {
      case 0..<1: .green
      case 1..<2: .yellow
      case 2..<3: .orange
      case 3..<5: .red
      case 5..<7: .purple
      case 7..<Double.infinity: .indigo
      default: .gray
      }
  }
}

extension Quake {
  /// The colour in which the quake is shown.
  public var color: QuakeColor { QuakeColor(magnitude: magnitude) }
}
