// Writes the documentation as static HTML that opens from disk: the handbook first, then the pages and the interface of each module.
//
// DocC's own output is a program that loads its pages from a server. This reads what DocC made of the catalogs and the symbol graphs
// (the data of an archive), and writes one file for each article and each type, whose members are sections of it.
//
// Usage: site ARCHIVE OUTPUT FILE…    the files are copied: the style and the script of the pages
import Foundation

typealias Object = [String: Any]

extension [String: Any] {
  func text(_ key: String) -> String { self[key] as? String ?? "" }
  func list(_ key: String) -> [Object] { self[key] as? [Object] ?? [] }
  func object(_ key: String) -> Object { self[key] as? Object ?? [:] }
}

extension String {
  var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
      "\"", with: "&quot;")
  }

  /// The text as a name of a file or an anchor.
  var slug: String {
    String(
      map { character in
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character)) ? character : "-"
      })
  }
}

/// An article, a module, a type or a member of one.
final class Document {
  let data: Object
  let identifier: String
  let module: String
  let title: String
  var file = ""
  var anchor = ""
  let isArticle: Bool

  init(_ data: Object) {
    self.data = data
    identifier = data.object("identifier").text("url")
    title = data.object("metadata").text("title")
    isArticle = data.text("kind") == "article"
    let path = identifier.split(separator: "/").map(String.init)
    module = path.count > 3 ? path[3] : path.last ?? ""
  }

  var isModule: Bool { data.object("metadata").text("symbolKind") == "module" }
  /// A page that DocC makes of the members of a conformance; they are members of the type's page.
  var isGenerated: Bool {
    isArticle && data.object("metadata").text("role") == "collectionGroup" && identifier.hasSuffix("-Implementations")
  }
  var hasOwnFile: Bool {
    isArticle || isModule
      || ["struct", "class", "enum", "protocol"].contains(data.object("metadata").text("symbolKind"))
  }
  var parent: String? { (data.object("hierarchy")["paths"] as? [[String]])?.first?.last }
  var url: String { anchor.isEmpty ? file : "\(file)#\(anchor)" }
  var abstract: [Object] { data.list("abstract") }
}

struct Site {
  var documents: [String: Document] = [:]
  var names: [String: Document] = [:]

  init(data: URL) throws {
    let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "json",
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? Object
      else { continue }
      let document = Document(object)
      if !document.isGenerated, document.identifier.contains("/documentation/") {
        documents[document.identifier] = document
      }
    }
    var taken: Set<String> = []
    for document in documents.values.sorted(by: { $0.identifier < $1.identifier })
    where document.hasOwnFile || owner(of: document) === document {
      let path = document.identifier.split(separator: "/").dropFirst(4).joined(separator: ".")
      var name = "\(document.module)/\(path.isEmpty ? "index" : path.slug).html"
      // Some file systems take names that differ in case for one.
      while !taken.insert(name.lowercased()).inserted { name = name.replacing(".html", with: "-.html") }
      document.file = name
    }
    var anchors: Set<String> = []
    for document in documents.values.sorted(by: { $0.identifier < $1.identifier }) where document.file.isEmpty {
      document.file = owner(of: document).file
      var anchor = document.title.slug
      while !anchors.insert(document.file + "#" + anchor).inserted { anchor += "-" }
      document.anchor = anchor
    }
    // A type that is named in code, on any page, is a link, if one type alone has the name.
    let types = Dictionary(grouping: documents.values.filter { $0.hasOwnFile && !$0.isArticle }, by: \.title)
    names = types.compactMapValues { found in found.count == 1 ? found[0] : nil }
  }

  /// The document on whose page a document stands.
  func owner(of document: Document) -> Document {
    var current = document
    while !current.hasOwnFile {
      guard let parent = current.parent.flatMap({ documents[$0] }), !parent.isModule else { return current }
      current = parent
    }
    return current
  }
}

/// The HTML of one page.
struct Page {
  let site: Site
  let document: Document

  func link(_ target: Document, _ text: String) -> String { "<a href=\"../\(target.url.escaped)\">\(text)</a>" }

  func inline(_ items: [Object], of references: Object) -> String {
    items.map { item in
      switch item.text("type") {
      case "codeVoice":
        let code = "<code>\(item.text("code").escaped)</code>"
        guard let target = site.names[item.text("code")], target !== document else { return code }
        return link(target, code)
      case "emphasis": return "<em>\(inline(item.list("inlineContent"), of: references))</em>"
      case "strong": return "<strong>\(inline(item.list("inlineContent"), of: references))</strong>"
      case "reference": return reference(item.text("identifier"), references)
      case "link": return "<a href=\"\(item.text("destination").escaped)\">\(item.text("title").escaped)</a>"
      case "image":
        let image = references.object(item.text("identifier"))
        let path = image.list("variants").first?.text("url") ?? ""
        return "<img src=\"..\(path.escaped)\" alt=\"\(image.text("alt").escaped)\">"
      default: return item.text("text").escaped
      }
    }.joined()
  }

  func reference(_ identifier: String, _ references: Object) -> String {
    let found = references.object(identifier)
    guard let target = site.documents[identifier] else {
      let url = found.text("url"), title = (found.text("title").isEmpty ? identifier : found.text("title")).escaped
      return url.contains("://") ? "<a href=\"\(url.escaped)\">\(title)</a>" : "<code>\(title)</code>"
    }
    return link(target, target.isArticle ? target.title.escaped : "<code>\(target.title.escaped)</code>")
  }

  func blocks(_ items: [Object], of references: Object) -> String {
    items.map { item in
      switch item.text("type") {
      case "paragraph": return "<p>\(inline(item.list("inlineContent"), of: references))</p>\n"
      case "heading":
        let level = (item["level"] as? Int ?? 2)
        return "<h\(level) id=\"\(item.text("anchor").slug)\">\(item.text("text").escaped)</h\(level)>\n"
      case "codeListing":
        let code = (item["code"] as? [String] ?? []).joined(separator: "\n").escaped
        return "<pre class=\"\(item.text("syntax"))\"><code>\(code)</code></pre>\n"
      case "unorderedList", "orderedList":
        let tag = item.text("type") == "orderedList" ? "ol" : "ul"
        let rows = item.list("items").map { row in "<li>\(blocks(row.list("content"), of: references))</li>" }
        return "<\(tag)>\(rows.joined())</\(tag)>\n"
      case "aside":
        return "<aside><b>\(item.text("name").escaped)</b>\(blocks(item.list("content"), of: references))</aside>\n"
      case "table": return table(item, references)
      default: return inline([item], of: references)
      }
    }.joined()
  }

  private func table(_ item: Object, _ references: Object) -> String {
    let rows = item["rows"] as? [[[Object]]] ?? []
    let html = rows.enumerated().map { index, row in
      let tag = index == 0 && item.text("header") == "row" ? "th" : "td"
      return "<tr>" + row.map { cell in "<\(tag)>\(blocks(cell, of: references))</\(tag)>" }.joined() + "</tr>"
    }
    return "<div class=\"wide\"><table>\(html.joined())</table></div>\n"
  }

  /// Declaration, summary and text of a document, without its members.
  func content(of document: Document) -> String {
    let references = document.data.object("references")
    var html = ""
    let sections = document.data.list("primaryContentSections")
    for section in sections where section.text("kind") == "declarations" {
      for declaration in section.list("declarations") {
        let tokens = declaration.list("tokens").map { token in
          let text = "<span class=\"\(token.text("kind"))\">\(token.text("text").escaped)</span>"
          guard let target = site.documents[token.text("identifier")] else { return text }
          return link(target, text)
        }
        html += "<pre class=\"declaration\"><code>\(tokens.joined())</code></pre>\n"
      }
    }
    if !document.abstract.isEmpty { html += "<p class=\"abstract\">\(inline(document.abstract, of: references))</p>\n" }
    for section in sections {
      if section.text("kind") == "content" { html += blocks(section.list("content"), of: references) }
      if section.text("kind") == "parameters" {
        let rows = section.list("parameters").map { row in
          "<dt><code>\(row.text("name").escaped)</code></dt><dd>\(blocks(row.list("content"), of: references))</dd>"
        }
        html += "<dl>\(rows.joined())</dl>\n"
      }
    }
    return html
  }

  /// A member of this page with all that is said of it.
  private func section(_ member: Document) -> String {
    // Members have headings of the same names.
    let content = content(of: member).replacing(" id=\"", with: " id=\"\(member.anchor)-")
    return
      "<section class=\"member\" id=\"\(member.anchor)\"><h3>\(member.title.escaped)</h3>\(content)</section>"
  }

  /// The topics: the members of this page, anything else as a link. Members of no topic, as those that a protocol gives, are last.
  func topics() -> String {
    let references = document.data.object("references")
    var shown: Set<String> = []
    var html = document.data.list("topicSections").map { section in
      let rows = (section["identifiers"] as? [String] ?? []).compactMap { site.documents[$0] }.map { target in
        if target.file == document.file, !target.anchor.isEmpty {
          shown.insert(target.anchor)
          return self.section(target)
        }
        let text = inline(target.abstract, of: target.data.object("references").merging(references) { own, _ in own })
        return "<p>\(reference(target.identifier, references)) \(text)</p>"
      }
      return rows.isEmpty
        ? "" : "<h2>\(section.text("title").escaped)</h2>\n\(rows.joined(separator: "\n"))\n"
    }.joined()
    let others = site.documents.values.filter { member in
      member.file == document.file && !member.anchor.isEmpty && !shown.contains(member.anchor)
    }.sorted { $0.identifier < $1.identifier }
    if !others.isEmpty { html += "<h2>Others</h2>\n" + others.map(section).joined(separator: "\n") }
    return html
  }

  func html() -> String {
    let kind = document.data.object("metadata").text("roleHeading")
    let place = document.isModule ? "" : "<a href=\"index.html\">\(document.module)</a>"
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(document.title.escaped) – ActionLog</title><link rel="stylesheet" href="../site.css">
      <script src="../search.js" defer></script><script src="../site.js" defer></script></head>
      <body><nav id="side"></nav><main><p class="place">\(place) \(kind.escaped)</p>
      <h1>\(document.title.escaped)</h1>
      \(content(of: document))
      \(topics())
      </main></body></html>
      """
  }
}

let arguments = CommandLine.arguments
guard arguments.count > 3 else { fatalError("usage: site ARCHIVE OUTPUT FILE…") }
let archive = URL(fileURLWithPath: arguments[1]), output = URL(fileURLWithPath: arguments[2])
let site = try Site(data: archive.appendingPathComponent("data"))
let pages = site.documents.values.filter { $0.anchor.isEmpty }.sorted { $0.identifier < $1.identifier }
var entries: [[String]] = []
for page in pages {
  let file = output.appendingPathComponent(page.file)
  try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data(Page(site: site, document: page).html().utf8).write(to: file)
}
for document in site.documents.values.sorted(by: {
  ($0.isArticle ? 0 : 1, $0.identifier) < ($1.isArticle ? 0 : 1, $1.identifier)
}) {
  let plain = document.abstract.map { item in item.text("text") + item.text("code") }.joined()
  let kind = document.isModule ? "module" : document.isArticle ? "page" : document.anchor.isEmpty ? "type" : "member"
  entries.append([document.title, document.url, document.module, kind, plain])
  guard document.isArticle else { continue }
  for section in document.data.list("primaryContentSections") {
    for block in section.list("content") where block.text("type") == "heading" && block.text("text") != "Overview" {
      entries.append([
        block.text("text"), "\(document.file)#\(block.text("anchor").slug)", document.title, "section", "",
      ])
    }
  }
}
// The handbook's order is that of its topics.
let handbook = site.documents.values.first {
  $0.isArticle && $0.title == "Handbook" || $0.identifier.hasSuffix("/Handbook")
}
let chapters =
  handbook.map { book in
    [book]
      + book.data.list("topicSections").flatMap { $0["identifiers"] as? [String] ?? [] }.compactMap {
        site.documents[$0]
      }
  } ?? []
let index: Object = ["entries": entries, "handbook": chapters.map { [$0.title, $0.url] }]
let json = String(decoding: try JSONSerialization.data(withJSONObject: index, options: [.sortedKeys]), as: UTF8.self)
try Data("globalThis.documentation = \(json);\n".utf8).write(to: output.appendingPathComponent("search.js"))
for path in arguments[3...] {
  let file = URL(fileURLWithPath: path)
  try FileManager.default.copyItem(at: file, to: output.appendingPathComponent(file.lastPathComponent))
}
let images = archive.appendingPathComponent("images")
if FileManager.default.fileExists(atPath: images.path) {
  try FileManager.default.copyItem(at: images, to: output.appendingPathComponent("images"))
}
let first = chapters.first?.url ?? ""
try Data(
  "<!DOCTYPE html><meta charset=\"utf-8\"><title>ActionLog</title><meta http-equiv=\"refresh\" content=\"0; url=\(first)\"><a href=\"\(first)\">Handbook</a>\n"
    .utf8
)
.write(to: output.appendingPathComponent("index.html"))

// Every link of the site, and every entry of the search, leads to a part of it.
var anchors: [String: Set<String>] = [:]
var texts: [String: String] = [:]
for page in pages {
  let html = String(decoding: try Data(contentsOf: output.appendingPathComponent(page.file)), as: UTF8.self)
  texts[page.file] = html
  anchors[page.file] = Set(html.matches(of: #/ id="([^"]+)"/#).map { match in String(match.1) })
}
var missing: Set<String> = []
func check(_ target: Substring, from place: String) {
  let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  if parts[0].isEmpty || parts[0].hasPrefix("images/") || !parts[0].hasSuffix(".html") { return }
  guard let known = anchors[parts[0]], parts.count == 1 || known.contains(parts[1]) else {
    missing.insert("\(place): \(target)")
    return
  }
}
for (file, html) in texts {
  for match in html.matches(of: #/href="(?:\.\./)([^":]+)"/#) { check(match.1, from: file) }
}
for entry in entries { check(entry[1][...], from: "search: \(entry[0])") }
guard missing.isEmpty else {
  print("links that lead nowhere:\n\(missing.sorted().joined(separator: "\n"))")
  exit(1)
}
print("\(pages.count) pages, \(entries.count) entries of the search: \(output.path)/index.html")
