package import Foundation

extension Date {
  /// Milliseconds from the start of 1970 to the start of 2001, which a `Date` counts from.
  private static let millisecondsTo2001: Int64 = 978_307_200_000

  /// Makes the date that is nearest to a number of milliseconds since the start of 1970.
  ///
  /// Dividing first and going over to 2001 then, as `Date(timeIntervalSince1970:)` does, rounds twice: two thirds of
  /// all dates come out a little off. Here the whole number is moved first and divided last, so the date reads as the
  /// same millisecond again.
  ///
  /// - Returns: `nil` when the number is so small that it cannot be moved.
  package init?(millisecondsSince1970 milliseconds: Int64) {
    let (moved, overflow) = milliseconds.subtractingReportingOverflow(Self.millisecondsTo2001)
    guard !overflow else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(moved) / 1_000)
  }
}
