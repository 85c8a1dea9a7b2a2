/// A day of the proleptic Gregorian calendar, by Howard Hinnant's algorithms (`chrono`-Compatible Low-Level Date Algorithms).
package struct CivilDate {
  package let year: Int64
  package let month: Int64
  package let day: Int64

  /// Days from 0000-03-01, where the algorithms begin their eras of 400 years, to 2001-01-01.
  private static let offset: Int64 = 730_791
  private static let daysOfEra: Int64 = 146_097

  /// The day that lies some days after 2001-01-01; at least 0001-01-01, so that nothing is negative here.
  package init(daysSince2001 days: Int64) {
    let shifted = days + CivilDate.offset
    let era = shifted / CivilDate.daysOfEra
    let dayOfEra = shifted % CivilDate.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Makes a day of the years 1 … 9999, or `nil` if the calendar has none such.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[Int(month) - 1] else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 2001-01-01.
  package var daysSince2001: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * CivilDate.daysOfEra + dayOfEra - CivilDate.offset
  }
}
