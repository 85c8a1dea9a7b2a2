import EventSourcing
import HTTPServer
import JSONCoding
import TimeTravel

// The rows and changes of a place, as the page of the inspector shows them.
extension HistoryPlace {
  /// Rows of a container, with the names of those that are containers; `nil` if there is no value.
  func rows(
    of path: JSONPointer, from offset: Int, _ count: Int, around name: String? = nil, onlyChanged: Bool
  ) -> (json: JSONObject, names: [String], containers: [String], total: Int)? {
    guard let value = tree[path] else { return nil }
    var object: JSONObject = [
      "revision": .integer(revision), "base": .integer(comparedRevision), "path": .string(path.description),
      "kind": .string(value.kindName),
    ]
    if value.size == nil { object["text"] = .string(InspectorText.line(value).text) }
    let changed = onlyChanged ? changedNames(in: path) : []
    let total = onlyChanged ? changed.count : value.size ?? 0
    let first = name.flatMap(value.offset).map { found in max(0, found - count / 2) } ?? offset
    let start = min(first, total)
    let members = (start..<start + min(count, total - start)).map { offset in
      onlyChanged ? member(changed[offset], of: value) : (value.child(at: offset), false)
    }
    object["count"] = .integer(total)
    object["offset"] = .integer(first)
    object["rows"] = .array(members.map { member, isRemoved in row(member, in: path, isRemoved: isRemoved) })
    let containers = members.filter { member, isRemoved in member.value.size != nil && !isRemoved }
    return (object, members.map(\.0.name), containers.map(\.0.name), total)
  }

  func json(of changes: [StateChange]) -> JSONObject {
    [
      "from": .integer(comparedRevision), "to": .integer(revision), "total": .integer(edit?.changeCount ?? 0),
      "changes": .array(changes.map(InspectorText.json)),
    ]
  }

  /// The first rows of a container and of the open ones in it, and the rows around those that are open or selected.
  func pages(
    from start: JSONPointer, _ opened: Set<JSONPointer>, _ selected: JSONPointer?, onlyChanged: Bool
  ) throws -> [JSONValue] {
    var pages: [JSONValue] = []
    var count = 0
    var waiting = [start]
    while let path = waiting.popLast(), count < InspectorLimits.openRows {
      guard let first = rows(of: path, from: 0, InspectorLimits.openedRows, onlyChanged: onlyChanged) else {
        guard !pages.isEmpty else { throw RequestFailure.nothing(at: path, revision) }
        continue
      }
      pages.append(.object(first.json))
      count += first.names.count
      // No path of the page has a truncated name.
      func isWanted(_ name: String) -> Bool {
        opened.contains(path.appending(name)) && InspectorText.name(name) == name
      }
      var containers = first.containers.filter(isWanted)
      if !onlyChanged, first.total > first.names.count {
        let known = Set(first.names)
        let wanted = (Array(opened) + [selected].compactMap(\.self)).filter { other in
          other.tokens.count == path.tokens.count + 1 && other.tokens.starts(with: path.tokens)
        }.compactMap(\.tokens.last)
        for name in Set(wanted).subtracting(known).sorted().prefix(InspectorLimits.openedRows)
        where InspectorText.name(name) == name {
          guard let around = rows(of: path, from: 0, InspectorLimits.openedRows, around: name, onlyChanged: false)
          else { continue }
          pages.append(.object(around.json))
          count += around.names.count
          containers += around.containers.filter { other in isWanted(other) && !containers.contains(other) }
          guard count < InspectorLimits.openRows else { break }
        }
      }
      waiting += containers.map(path.appending)
    }
    return pages
  }

  private typealias Member = (name: String, value: JSONValue)

  private func row(_ member: Member, in path: JSONPointer, isRemoved: Bool) -> JSONValue {
    let (pointer, value) = (path.appending(member.name), member.value)
    var object: JSONObject = [
      "name": .string(InspectorText.name(member.name)), "kind": .string(value.kindName),
    ]
    if let size = value.size {
      object["count"] = .integer(size)
      if !isRemoved { object["preview"] = Self.preview(of: member).map(JSONValue.string) }
    } else {
      let line = InspectorText.line(value)
      object["text"] = .string(line.text)
      if line.isCut { object["cut"] = true }
    }
    let marks = ChangeMarks(edit)
    object["change"] = (isRemoved ? .removed : marks.kind(at: pointer)).map { kind in .string(kind.rawValue) }
    if !isRemoved, marks.holdsChange(at: pointer) { object["inside"] = true }
    return .object(object)
  }

  /// The first scalars of a container, which say what it is more than the number of its members; `nil` for what is no small container.
  private static func preview(of member: Member) -> String? {
    guard let size = member.value.size, 1...InspectorLimits.previewMembers ~= size else { return nil }
    let texts = (0..<size).map { offset in member.value.child(at: offset).value }.filter { value in value.size == nil }
      .map { scalar in if case .string(let text) = scalar { text } else { "\(scalar)" } }
      .filter { text in text != member.name }
    return texts.isEmpty ? nil : InspectorText.name(texts.joined(separator: ", "))
  }

  /// The names of the members that changed or contain a change, in order, each with the value if the member itself was removed.
  private func changedNames(in path: JSONPointer) -> [(name: String, removed: JSONValue?)] {
    func changed(_ name: String, _ edit: StateEdit.MemberEdit) -> (name: String, removed: JSONValue?) {
      if case .remove(let value) = edit { (name, value) } else { (name, nil) }
    }
    return switch ChangeMarks(edit).edit(at: path) {
    case .object(let members): members.map { name, edit in changed(name, edit) }
    case .array(let elements):
      elements.map { element in changed("\(element.new ?? element.old ?? 0)", element.edit) }
    case .replace, nil: []
    }
  }

  private func member(
    _ changed: (name: String, removed: JSONValue?), of container: JSONValue
  ) -> (Member, isRemoved: Bool) {
    if let removed = changed.removed { return ((changed.name, removed), true) }
    guard let offset = container.offset(of: changed.name) else {
      preconditionFailure("an edit that leads to a state changes values of it")
    }
    return (container.child(at: offset), false)
  }
}
