import QuakesData
import QuakesUI
import Testing

@Suite struct WorldMapTests {
  private func map(
    _ quakes: [Quake] = Quake.around, columns: Int, rows: Int, zoom: Int = 0, center: QuakePlace? = nil,
    style: MapStyle = .braille, selection: Quake.ID? = nil
  ) -> QuakeMapPicture {
    QuakeMapPicture(
      quakes, selection: selection, columns: columns, rows: rows, zoom: Double(zoom), center: center, style: style)
  }

  /// Pictures are compared with golden files.
  @Test(
    arguments: [
      ("map-40.txt", 40, 8, MapStyle.braille), ("map-80.txt", 80, 16, .braille), ("map-120.txt", 120, 30, .braille),
      ("map-80-blocks.txt", 80, 16, .blocks), ("map-80-ascii.txt", 80, 16, .ascii),
    ])
  func mapsMatchGoldenFiles(name: String, columns: Int, rows: Int, style: MapStyle) throws {
    let picture = map(columns: columns, rows: rows, style: style)
    #expect(picture.rows.count == rows)
    #expect(picture.rows.allSatisfy { row in row.count == columns })
    try Golden.expect(picture.text + "\n", is: name)
  }

  @Test func mapCanBeZoomed() throws {
    let center = QuakePlace(longitude: 138, latitude: 37)
    try Golden.expect(
      map(columns: 60, rows: 20, zoom: 2, center: center, selection: "us4").text + "\n", is: "map-japan.txt")
  }

  /// Well-known places, on maps of all sizes.
  @Test(
    arguments: [
      (13.0, 52.0, true), (-100, 45, true), (25, 0, true), (-60, -10, true), (135, -25, true), (80, 22, true),
      (-40, 72, true), (100, 62, true), (-160, 0, false), (-30, 30, false), (75, -20, false), (-140, -40, false),
      (5, 40, false), (-85, 60, false), (35, 43, false), (51, 40, false), (-90, 25, false),
    ] as [(Double, Double, Bool)])
  func knownPlacesAreLandOrSea(longitude: Double, latitude: Double, isLand: Bool) throws {
    for columns in [260, 400] {
      let picture = map([], columns: columns, rows: columns / 5, style: .ascii)
      let marked = map(
        [Quake.large.with(longitude: longitude, latitude: latitude)], columns: columns, rows: columns / 5, style: .ascii
      )
      let place = try #require(marked.place { cell in cell.color != nil })
      #expect((picture.rows[place.row][place.column].character != " ") == isLand, "\(columns) columns")
    }
  }

  @Test func markersShowMagnitudeByShapeAndColor() throws {
    let magnitudes = [-0.5, 0.5, 1.5, 2.5, 3.5, 5.5, 7.5, 10.2, .nan, .infinity]
    let marks = magnitudes.map { magnitude -> (Character, Character, QuakeColor?) in
      let quake = [Quake.small.with(magnitude: magnitude)]
      let cell = { (style: MapStyle) in
        map(quake, columns: 40, rows: 8, style: style).rows.joined().first { cell in cell.color != nil }
      }
      return (cell(.braille)?.character ?? "?", cell(.ascii)?.character ?? "?", cell(.blocks)?.color)
    }
    #expect(String(marks.map(\.0)) == "··••●◍◉◉·◉")
    #expect(String(marks.map(\.1)) == "oo123579o9")
    #expect(
      marks.map(\.2) == [.gray, .green, .yellow, .orange, .red, .purple, .indigo, .indigo, .gray, .gray])
  }

  @Test func strongestQuakeOfACellIsShown() {
    let quakes = [
      Quake.small, .large.with(longitude: -125.1), .medium.with(longitude: -124.9),
    ]
    let strongest = map(quakes, columns: 40, rows: 8).rows.joined().filter { cell in cell.color != nil }
    #expect(strongest.map(\.color) == [.red] && strongest.map(\.character) == ["●"] && !strongest[0].isSelected)
    let selected = map(quakes, columns: 40, rows: 8, selection: "small").rows.joined().filter { cell in
      cell.color != nil
    }
    #expect(selected.map(\.color) == [.orange] && selected[0].isSelected)
    #expect(selected[0].marker == QuakeMarker(.small, selection: "small"), "the guide's marker")
    let order = map(quakes.reversed(), columns: 40, rows: 8)
    #expect(order == map(quakes, columns: 40, rows: 8), "the order of the quakes does not matter")
  }

  /// A feed can contain any number, and a screen can have any size.
  @Test(arguments: [(-1, 0), (1, 1), (2, 100), (100, 1), (37, 11)])
  func oddNumbersNeverTrap(columns: Int, rows: Int) {
    let odd: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 180, -180, 540, 90, -90, 91, 0]
    let quakes = odd.flatMap { longitude in
      odd.map { latitude in
        Quake.small.with(
          quakeId: "\(longitude) \(latitude)", magnitude: longitude, longitude: longitude, latitude: latitude)
      }
    }
    for (number, quake) in quakes.enumerated() {
      let style = MapStyle.allCases[number % MapStyle.allCases.count]
      let picture = map(
        quakes, columns: columns, rows: rows, zoom: number % 8 - 1, center: QuakePlace(quake), style: style)
      #expect(picture.rows.count == max(1, rows))
    }
  }

  @Test func mapWrapsAroundTheWorld() throws {
    // A map of the Pacific shows each of its coasts once.
    let pacific = map(columns: 80, rows: 20, center: QuakePlace(longitude: 180, latitude: 0))
    let marks = pacific.rows.joined().filter { cell in cell.color != nil }
    #expect(marks.count == Quake.around.count)
    let wide = map(columns: 200, rows: 10)
    #expect(wide.rows.allSatisfy { row in row.prefix(60).allSatisfy { cell in cell.character == " " } })
    #expect(wide.rows.joined().filter { cell in cell.color != nil }.count >= Quake.around.count - 2)
  }

  @Test func neighborsAreFoundByDirection() throws {
    let japan = try #require(Quake.around.first { quake in quake.id == "us4" })
    let nearest = { (direction: QuakeNeighbor.Direction) in
      QuakeNeighbor.nearest(to: japan, direction, among: Quake.around)?.id
    }
    #expect(nearest(.south) == "us3" || nearest(.south) == "us5")
    #expect(nearest(.west) == "us3")
    #expect(nearest(.east) == "hv1", "around the world")
    #expect(nearest(.north) == nil)
    #expect(QuakeNeighbor.nearest(to: japan, .east, among: []) == nil)
  }
}

extension QuakeMapPicture {
  fileprivate func place(_ isMeant: (Cell) -> Bool) -> (row: Int, column: Int)? {
    for (row, cells) in rows.enumerated() {
      if let column = cells.firstIndex(where: isMeant) { return (row: row, column: column) }
    }
    return nil
  }
}
