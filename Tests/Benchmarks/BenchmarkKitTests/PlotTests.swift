import BenchmarkKit
import Foundation
import Testing

@Suite struct PlotTests {
  private func plot(_ names: [String]) -> LinePlot {
    LinePlot(
      title: "Time & <size>", horizontal: "actions",
      lines: names.enumerated().map { index, name in
        LinePlot.Line(
          name: name,
          points: [10, 1_000, 100_000].map { x in LinePlot.Point(x: x, y: x * Double(index + 1)) })
      },
      writeX: { value in "\(value)" }, writeY: { value in "\(value)" })
  }

  /// Whether every element is closed, in the right order, and every attribute quoted.
  private func isWellFormed(_ text: String) -> Bool {
    let delegate = ElementStack()
    let parser = XMLTags(text)
    return parser.feed(delegate)
  }

  @Test func aPlotIsWellFormed() {
    #expect(isWellFormed(plot(["replay", "a < b & \"c\""]).svg))
  }

  @Test func namesAreEscaped() {
    let svg = plot(["a < b & \"c\""]).svg
    #expect(svg.contains("a &lt; b &amp; &quot;c&quot;"))
    #expect(svg.contains("Time &amp; &lt;size&gt;"))
  }

  @Test func everyPointHasAPlace() {
    let svg = plot(["a", "b"]).svg
    #expect(svg.split(separator: "<circle").count - 1 == 6)
    #expect(svg.split(separator: "<polyline").count - 1 == 2)
  }

  @Test func valuesThatHaveNoLogarithmAreLeftOut() {
    let plot = LinePlot(
      title: "t", horizontal: "x",
      lines: [LinePlot.Line(name: "a", points: [.init(x: 10, y: 0), .init(x: 100, y: 5)])],
      writeX: { _ in "" }, writeY: { _ in "" })
    #expect(plot.svg.split(separator: "<circle").count - 1 == 1)
    #expect(!plot.svg.contains("nan") && !plot.svg.contains("inf"))
  }

  @Test func aLogarithmicScaleGivesEqualFactorsEqualLengths() {
    let scale = LogarithmicScale(holding: [10, 2_000], from: 0, to: 300)
    #expect(scale.decades == 1...4)
    #expect([10, 100, 1_000, 10_000].map(scale.place(of:)) == [0, 100, 200, 300])
  }

  @Test func aScaleOfOneValueHasALength() {
    #expect(LogarithmicScale(holding: [100], from: 0, to: 10).decades == 2...3)
    #expect(LogarithmicScale(holding: [], from: 0, to: 10).decades == 0...1)
  }
}

/// The tags of a text, as far as the plots use XML: elements and quoted attributes, no comments.
private struct XMLTags {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Tells of every tag; `false` as soon as something does not fit.
  func feed(_ stack: ElementStack) -> Bool {
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      guard !rest[..<start].contains(">"), let end = rest[start...].firstIndex(of: ">") else { return false }
      guard stack.take(rest[rest.index(after: start)..<end]) else { return false }
      rest = rest[rest.index(after: end)...]
    }
    return stack.isEmpty && !rest.contains(">")
  }
}

/// The elements that are open.
private final class ElementStack {
  private var names: [Substring] = []

  var isEmpty: Bool { names.isEmpty }

  /// Takes the inside of a tag; `false` when it closes what is not open, or its quotes are not even.
  func take(_ tag: Substring) -> Bool {
    guard tag.count(where: { character in character == "\"" }).isMultiple(of: 2), !tag.contains("<") else {
      return false
    }
    if tag.hasPrefix("/") { return names.popLast() == tag.dropFirst() }
    guard let name = tag.split(whereSeparator: \.isWhitespace).first else { return false }
    if !tag.hasSuffix("/") { names.append(name) }
    return true
  }
}
