import QuakesData

/// Where land is: coasts as closed lines of a hundred kilometres and more, enough for any map made of characters.
///
/// The lines are texts, `name: longitude,latitude …`, because they are read and mended like that; the name of a water
/// begins with `~`. They are read once, when the first map is drawn.
enum WorldOutline {
  /// A closed line around land, or around water within land.
  struct Coast: Hashable, Sendable {
    let name: String
    let isWater: Bool
    let points: [QuakePlace]
    /// From the northernmost to the southernmost point.
    let latitudes: ClosedRange<Double>
  }

  /// All coasts: first land, then the waters within.
  static let coasts = [continents, islands, lakes].flatMap { text in text.split(separator: "\n").map { coast(of: $0) } }

  private static func coast(of line: Substring) -> Coast {
    let parts = line.split(separator: ":")
    let points = parts[1].split(separator: " ").map { point in
      let degrees = point.split(separator: ",").compactMap { text in Double(text) }
      precondition(degrees.count == 2, "the outline of the world is part of the program")
      return QuakePlace(longitude: degrees[0], latitude: degrees[1])
    }
    let latitudes = points.map(\.latitude)
    return Coast(
      name: parts[0].filter { letter in letter != "~" }, isWater: line.hasPrefix("~"), points: points,
      latitudes: (latitudes.min() ?? 0)...(latitudes.max() ?? 0))
  }
}
