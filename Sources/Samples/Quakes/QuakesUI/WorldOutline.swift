import QuakesData

/// The coasts of the world as closed lines, with a resolution of about a hundred kilometers, for maps made of characters.
///
/// Each line of `coasts.txt` is a coast: `name: longitude,latitude …`. The name of a body of water begins with `~`. The continents
/// come first, then islands, down to those that are one dot on a map of the world, then water inside a coast. They are drawn by hand
/// from general knowledge and not suitable for navigation. The file is part of the code, and is parsed once, for the first map.
enum WorldOutline {
  /// A closed line around land, or around water within land.
  struct Coast: Hashable, Sendable {
    let name: String
    let isWater: Bool
    let points: [QuakePlace]
    /// The range from the southernmost to the northernmost point.
    let latitudes: ClosedRange<Double>
  }

  static let coasts = String(decoding: PackageResources.coasts_txt, as: UTF8.self).split(separator: "\n").map(
    coast(of:))

  private static func coast(of line: Substring) -> Coast {
    let parts = line.split(separator: ":")
    let points = parts[1].split(separator: " ").map { point in
      let degrees = point.split(separator: ",").compactMap { text in Double(text) }
      precondition(degrees.count == 2, "invalid point in the outline of the world: \(point)")
      return QuakePlace(longitude: degrees[0], latitude: degrees[1])
    }
    let latitudes = points.map(\.latitude)
    return Coast(
      name: parts[0].filter { letter in letter != "~" }, isWater: line.hasPrefix("~"), points: points,
      latitudes: (latitudes.min() ?? 0)...(latitudes.max() ?? 0))
  }
}
