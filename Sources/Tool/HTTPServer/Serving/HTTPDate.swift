#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Dates in HTTP format.
///
/// - SeeAlso: RFC 9110, section 5.6.7.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The current time.
  static func now() -> String { text(secondsSince1970: Int(time(nil))) }

  /// For instance `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(secondsSince1970: Int) -> String {
    var seconds = time_t(secondsSince1970)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "" }
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // gmtime_r returns fields in range.
    return "\(days[Int(parts.tm_wday)]), \(digits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(1_900 + Int(parts.tm_year)) \(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
  }
}
