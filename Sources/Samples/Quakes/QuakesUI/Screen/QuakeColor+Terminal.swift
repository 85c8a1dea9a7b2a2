import QuakesData
import TerminalUI

extension QuakeColor {
  /// The colour of a terminal's palette that comes nearest.
  var terminalColor: TerminalColor {
    switch self {
    case .green: .green
    case .yellow: .yellow
    case .orange: .orange
    case .red: .red
    case .purple: .purple
    case .indigo: .indigo
    case .gray: .gray
    }
  }
}

extension Quake {
  /// What stands in the place of the name: feeds do not know all.
  var shownName: String { name.isEmpty ? "Unnamed place" : name }
}

extension QuakePlace {
  /// For instance `38.8° N, 122.8° W`.
  var text: String {
    let north = "\(Self.degrees(latitude)) \(latitude < 0 ? "S" : "N")"
    return "\(north), \(Self.degrees(longitude)) \(longitude < 0 ? "W" : "E")"
  }

  private static func degrees(_ value: Double) -> String {
    // Tenths as whole numbers: the text is the same in every language.
    guard value.isFinite, abs(value) < 1_000 else { return "?" }
    let tenths = Int((abs(value) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)°"
  }
}
