import Foundation

/// Lines over a logarithmic axis, as SVG that can be read on light and on dark paper.
///
/// It is one self-contained text: no script, no font but the reader's own. Colors follow the reader's preference by a
/// media query; where that is not known, as in a conversion, the light ones hold.
package struct LinePlot: Sendable {
  /// One line with its points.
  package struct Line: Equatable, Sendable {
    package var name: String
    package var points: [Point]

    /// Makes a line.
    package init(name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  /// A point by its values.
  package struct Point: Equatable, Sendable {
    package var x: Double
    package var y: Double

    /// Makes a point.
    package init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  package var title: String
  package var horizontal: String
  package var lines: [Line]
  /// The format of the axis labels.
  package var writeX: @Sendable (Double) -> String
  package var writeY: @Sendable (Double) -> String

  /// Makes a plot.
  package init(
    title: String, horizontal: String, lines: [Line],
    writeX: @escaping @Sendable (Double) -> String, writeY: @escaping @Sendable (Double) -> String
  ) {
    self.title = title
    self.horizontal = horizontal
    self.lines = lines
    self.writeX = writeX
    self.writeY = writeY
  }

  // In pixels of the picture.
  private static let (width, height) = (760.0, 440.0)
  private static let (left, right, top, bottom) = (84.0, 560.0, 48.0, 380.0)
  /// The least distance between two labels of lines.
  private static let labelDistance = 17.0
  /// The number of lines with distinguishable colors.
  package static let limit = 8

  /// The picture.
  package var svg: String {
    precondition(lines.count <= Self.limit, "a plot holds at most \(Self.limit) lines")
    let points = lines.flatMap(\.points)
    let x = LogarithmicScale(holding: points.map(\.x), from: Self.left, to: Self.right)
    let y = LogarithmicScale(holding: points.map(\.y), from: Self.bottom, to: Self.top)
    var parts = [head]
    parts += grid(x, y)
    let labels = labelPlaces(y)
    for (index, line) in lines.enumerated() { parts += draw(line, index, labels[index], x, y) }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }
}

extension LinePlot {
  private var head: String {
    // The Okabe-Ito palette, which is distinguishable with any color vision. Lighter in dark mode.
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
    aria-label="\(Self.escaped(title))" font-family="system-ui, sans-serif" font-size="13">
    <style>
    .paper { fill: #ffffff } .ink { fill: #24292f } .faint { fill: #57606a } .grid { stroke: #d0d7de; stroke-width: 1 }
    .line { fill: none; stroke-width: 2.2; stroke-linejoin: round }
    .s0 { stroke: #0072b2 } .s1 { stroke: #d55e00 } .s2 { stroke: #009e73 } .s3 { stroke: #a05f9f }
    .s4 { stroke: #b88700 } .s5 { stroke: #3a97d4 } .s6 { stroke: #555555 } .s7 { stroke: #a83232 }
    .f0 { fill: #0072b2 } .f1 { fill: #d55e00 } .f2 { fill: #009e73 } .f3 { fill: #a05f9f }
    .f4 { fill: #b88700 } .f5 { fill: #3a97d4 } .f6 { fill: #555555 } .f7 { fill: #a83232 }
    @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #30363d }
    .s0 { stroke: #56b4e9 } .s1 { stroke: #ff8a3d } .s2 { stroke: #2fd1a0 } .s3 { stroke: #dd9fdc }
    .s4 { stroke: #f0c040 } .s5 { stroke: #a8d8f8 } .s6 { stroke: #b0b0b0 } .s7 { stroke: #ff8080 }
    .f0 { fill: #56b4e9 } .f1 { fill: #ff8a3d } .f2 { fill: #2fd1a0 } .f3 { fill: #dd9fdc }
    .f4 { fill: #f0c040 } .f5 { fill: #a8d8f8 } .f6 { fill: #b0b0b0 } .f7 { fill: #ff8080 }
    }
    </style>
    <rect class="paper" width="\(Int(Self.width))" height="\(Int(Self.height))"/>
    <text class="ink" x="\(Int(Self.left))" y="26" font-size="15" font-weight="600">\(Self.escaped(title))</text>
    """
  }

  private func grid(_ x: LogarithmicScale, _ y: LogarithmicScale) -> [String] {
    var parts: [String] = []
    for mark in x.marks {
      let place = Self.number(x.place(of: mark))
      parts.append(
        "<line class=\"grid\" x1=\"\(place)\" y1=\"\(Int(Self.top))\" x2=\"\(place)\" y2=\"\(Int(Self.bottom))\"/>")
      parts.append(
        "<text class=\"faint\" x=\"\(place)\" y=\"\(Int(Self.bottom + 20))\" text-anchor=\"middle\">"
          + "\(Self.escaped(writeX(mark)))</text>")
    }
    for mark in y.marks {
      let place = y.place(of: mark)
      parts.append(
        "<line class=\"grid\" x1=\"\(Int(Self.left))\" y1=\"\(Self.number(place))\" x2=\"\(Int(Self.right))\" "
          + "y2=\"\(Self.number(place))\"/>")
      parts.append(
        "<text class=\"faint\" x=\"\(Int(Self.left - 8))\" y=\"\(Self.number(place + 4.5))\" text-anchor=\"end\">"
          + "\(Self.escaped(writeY(mark)))</text>")
    }
    let middle = Int((Self.left + Self.right) / 2)
    parts.append(
      "<text class=\"faint\" x=\"\(middle)\" y=\"\(Int(Self.bottom + 44))\" text-anchor=\"middle\">"
        + "\(Self.escaped(horizontal))</text>")
    return parts
  }

  private func draw(
    _ line: Line, _ index: Int, _ label: Double, _ x: LogarithmicScale, _ y: LogarithmicScale
  ) -> [String] {
    let places = line.points.filter { point in point.x > 0 && point.y > 0 }.map { point in
      (x: Self.number(x.place(of: point.x)), y: Self.number(y.place(of: point.y)))
    }
    let path = places.map { place in "\(place.x),\(place.y)" }.joined(separator: " ")
    var parts = ["<polyline class=\"line s\(index)\" points=\"\(path)\"/>"]
    for place in places { parts.append("<circle class=\"f\(index)\" cx=\"\(place.x)\" cy=\"\(place.y)\" r=\"3\"/>") }
    parts.append(
      "<text class=\"f\(index)\" x=\"\(Int(Self.right + 12))\" y=\"\(Self.number(label + 4.5))\">"
        + "\(Self.escaped(line.name))</text>")
    return parts
  }

  /// The positions of the line labels: next to the last points, without overlap.
  private func labelPlaces(_ y: LogarithmicScale) -> [Double] {
    let wanted = lines.map { line in
      line.points.last { point in point.y > 0 }.map { point in y.place(of: point.y) } ?? Self.bottom
    }
    var places = wanted
    var next = -Double.infinity
    for index in wanted.indices.sorted(by: { first, second in wanted[first] < wanted[second] }) {
      places[index] = max(wanted[index], next)
      next = places[index] + Self.labelDistance
    }
    // What was pushed below the axis goes up again, with what is above it.
    var lowest = Self.bottom + 4
    for index in places.indices.sorted(by: { first, second in places[first] > places[second] }) {
      places[index] = min(places[index], lowest)
      lowest = places[index] - Self.labelDistance
    }
    return places
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
