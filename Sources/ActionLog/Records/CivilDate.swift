/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts years from March, so that the leap day is the last of its year, and in eras of 400 years, which
/// all have 146 097 days (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
struct CivilDate: Equatable {
  var year: Int
  var month: Int
  var day: Int

  private static let daysInEra = 146_097
  /// From 0000-03-01, where the eras begin, to 1970-01-01.
  private static let daysTo1970 = 719_468

  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date of a day that is counted from 1970-01-01.
  init(daysSince1970 days: Int) {
    let shifted = days + CivilDate.daysTo1970
    let era = (shifted >= 0 ? shifted : shifted - (CivilDate.daysInEra - 1)) / CivilDate.daysInEra
    let dayOfEra = shifted - era * CivilDate.daysInEra
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01, negative before it.
  var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * CivilDate.daysInEra + dayOfEra - CivilDate.daysTo1970
  }

  static func daysInMonth(_ month: Int, ofYear year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
