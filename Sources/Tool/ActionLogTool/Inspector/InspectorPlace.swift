import ActionLog
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

extension InspectorView {
  /// The state at a revision, the base that it is compared with, and the sorted names of a few containers.
  struct Place: Sendable {
    var walk: any StateWalk
    let isBranch: Bool
    var base: Int
    /// The edit from the state at the base to the one at the revision; `nil` if they are equal.
    var edit: StateEdit?
    var names = SortedMemberNames()
    var sortCount = 0

    init(_ walk: any StateWalk, isBranch: Bool) {
      self.walk = walk
      self.isBranch = isBranch
      // A branch can differ from the recording already where it begins.
      base = isBranch ? -1 : walk.revision
    }
  }
}

extension InspectorView.Place {
  /// Moves to a revision. Nothing is folded that is not near.
  ///
  /// - Returns: Whether the revision and its base are near. Otherwise the position has not changed.
  mutating func move(to target: Int, comparedWith wantedBase: Int?) throws -> Bool {
    guard !isBranch || wantedBase == nil else {
      throw InspectorQuery.wrong("'base' and 'branch' cannot be combined: a branch is compared with the recording")
    }
    let newest = max(target, wantedBase ?? 0)
    if newest > walk.revisions.upperBound { try walk.refresh() }
    let known = walk.revisions
    let base = wantedBase ?? (isBranch ? target : max(known.lowerBound, target - 1))
    try InspectorView.check([target, base], in: known)
    guard target != walk.revision || base != self.base else { return true }
    guard walk.isNear(target), walk.isNear(base) || (base == self.base && isStep(to: target)) else { return false }
    guard !isBranch else {
      edit = try walk.move(to: target, comparedWith: base).edit
      names = SortedMemberNames()
      self.base = base
      return true
    }
    let (oldRevision, oldBase, oldEdit) = (walk.revision, self.base, edit)
    if base == oldBase, isStep(to: target) {
      // The states are not compared again with a base that may be distant.
      var moved = walk
      guard let step = try moved.move(to: target, comparedWith: oldRevision).edit else {
        walk = moved
        return true
      }
      edit =
        try oldEdit.map { edit in
          try edit.followed(by: step) { pointer in
            guard let value = try walk.value(at: pointer) else {
              throw InspectorFailure(.internalServerError, "other", "a changed value is not in the state")
            }
            return value
          }
        } ?? step
      walk = moved
      names.apply(step.changes())
      return true
    }
    edit = try walk.move(to: target, comparedWith: base).edit
    if base == oldRevision {
      names.apply(edit?.changes() ?? [])
    } else if oldBase == target {
      names.revert(oldEdit?.changes() ?? [])
    } else if target != oldRevision {
      names = SortedMemberNames()
    }
    self.base = base
    return true
  }

  /// Whether a move is so short that its changes are combined with those from the base.
  private func isStep(to target: Int) -> Bool { abs(target - walk.revision) <= HistoryPlace.reach }

  mutating func page(
    of path: JSONPointer, from offset: Int, _ count: Int, around name: String? = nil
  ) throws -> MemberPage? {
    var known = names[path]
    let page = try walk.members(of: path, names: &known, from: offset, limit: count, around: name)
    if names[path] == nil, known != nil { sortCount += 1 }
    names[path] = known
    return page
  }

  /// Rows of a container, with the names of those that are containers.
  mutating func rows(
    of path: JSONPointer, from offset: Int, _ count: Int, around: String? = nil, onlyChanged: Bool
  ) throws -> (json: JSONObject, names: [String], containers: [String], total: Int)? {
    guard let page = try page(of: path, from: offset, count, around: around) else { return nil }
    var object: JSONObject = [
      "revision": .integer(walk.revision), "base": .integer(base), "path": .string(path.description),
      "kind": .string(page.kind.rawValue),
    ]
    if page.kind != .object, page.kind != .array, let scalar = try walk.value(at: path) {
      object["text"] = .string(InspectorText.line(scalar).text)
    }
    let changed = onlyChanged ? changedNames(in: path) : []
    let (total, first) = onlyChanged ? (changed.count, offset) : (page.count, page.offset)
    object["count"] = .integer(total)
    object["offset"] = .integer(first)
    var members = page.members.map { member in (member, StateChange.Kind?.none) }
    if onlyChanged {
      members = try changed.dropFirst(offset).prefix(count).map { changed in
        (try member(changed, in: path), changed.removed == nil ? nil : .removed)
      }
    }
    object["rows"] = .array(
      try members.map { member, change in row(member, in: path, change, try preview(of: member, in: path, change)) })
    let containers = members.filter { member, change in member.count != nil && change == nil }
    return (object, members.map(\.0.name), containers.map(\.0.name), total)
  }

  func json(of changes: [StateChange]) -> JSONObject {
    [
      "from": .integer(base), "to": .integer(walk.revision), "total": .integer(edit?.changeCount ?? 0),
      "changes": .array(changes.map(InspectorText.json)),
    ]
  }

  /// The first rows of a container and of the open ones in it, and the rows around those that are open or selected.
  mutating func pages(
    from start: JSONPointer, _ opened: Set<JSONPointer>, _ selected: JSONPointer?, onlyChanged: Bool
  ) throws -> [JSONValue] {
    var pages: [JSONValue] = []
    var count = 0
    var waiting = [start]
    while let path = waiting.popLast(), count < InspectorLimits.openRows {
      guard let first = try rows(of: path, from: 0, InspectorLimits.openedRows, onlyChanged: onlyChanged) else {
        guard !pages.isEmpty else {
          throw InspectorFailure(.notFound, "notFound", "there is nothing at '\(path)' at revision \(walk.revision)")
        }
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
          guard
            let around = try rows(of: path, from: 0, InspectorLimits.openedRows, around: name, onlyChanged: false)
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

  /// The first scalars of a container, which say what it is more than the number of its members; `nil` for what is no small container.
  ///
  /// Its inner containers are not encoded.
  private func preview(
    of member: MemberPage.Member, in path: JSONPointer, _ change: StateChange.Kind?
  ) throws -> String? {
    guard let count = member.count, 1...InspectorLimits.previewMembers ~= count, change != .removed else { return nil }
    var names: [String]?
    let page = try walk.members(
      of: path.appending(member.name), names: &names, from: 0, limit: InspectorLimits.previewMembers, around: nil)
    let texts = (page?.members ?? []).compactMap(\.scalar).map { scalar in
      if case .string(let text) = scalar { text } else { "\(scalar)" }
    }
    .filter { text in text != member.name }
    return texts.isEmpty ? nil : InspectorText.name(texts.joined(separator: ", "))
  }

  func row(
    _ member: MemberPage.Member, in path: JSONPointer, _ change: StateChange.Kind? = nil, _ preview: String? = nil
  ) -> JSONValue {
    let pointer = path.appending(member.name)
    var object: JSONObject = [
      "name": .string(InspectorText.name(member.name)), "kind": .string(member.kind.rawValue),
    ]
    object["count"] = member.count.map(JSONValue.integer)
    object["preview"] = preview.map(JSONValue.string)
    if let scalar = member.scalar {
      let line = InspectorText.line(scalar)
      object["text"] = .string(line.text)
      if line.isCut { object["cut"] = true }
    }
    let marks = ChangeMarks(edit)
    object["change"] = (change ?? marks.kind(at: pointer)).map { kind in .string(kind.rawValue) }
    if change == nil, marks.holdsChange(at: pointer) { object["inside"] = true }
    return .object(object)
  }

  /// The names of the members that changed or contain a change, in order, each with the value if the member itself was removed.
  func changedNames(in path: JSONPointer) -> [(name: String, removed: JSONValue?)] {
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

  private mutating func member(
    _ changed: (name: String, removed: JSONValue?), in path: JSONPointer
  ) throws -> MemberPage.Member {
    if let removed = changed.removed { return MemberPage.Member(changed.name, removed) }
    guard let member = try page(of: path, from: 0, 1, around: changed.name)?.members.first, member.name == changed.name
    else { throw InspectorFailure(.internalServerError, "other", "a changed value is not in the state") }
    return member
  }
}

/// The sorted names of containers, which the next revisions mostly share.
struct SortedMemberNames: Sendable {
  /// A page shows a few open containers.
  private static let limit = 16

  private var names: [JSONPointer: [String]] = [:]

  subscript(path: JSONPointer) -> [String]? {
    get { names[path] }
    set {
      if newValue != nil, names[path] == nil, names.count >= Self.limit { names = [:] }
      names[path] = newValue
    }
  }

  mutating func apply(_ changes: [StateChange]) {
    for change in changes { follow(change, change.kind == .added, change.kind == .removed) }
  }

  mutating func revert(_ changes: [StateChange]) {
    for change in changes { follow(change, change.kind == .removed, change.kind == .added) }
  }

  private mutating func follow(_ change: StateChange, _ isAdded: Bool, _ isRemoved: Bool) {
    guard !names.isEmpty else { return }
    let pointer = change.pointer
    for path in names.keys {
      // Containers in the value are others now, and elements after an insertion have other indices.
      if path.tokens.starts(with: pointer.tokens)
        || path.tokens.contains(where: { token in JSONPointer.index(of: token) != nil })
      {
        names[path] = nil
      }
    }
    guard isAdded || isRemoved, let parent = pointer.parent, var known = names[parent], let name = pointer.tokens.last
    else {
      return
    }
    let place = known.partitioningIndex { other in !other.utf8.lexicographicallyPrecedes(name.utf8) }
    let isKnown = place < known.count && known[place].utf8.elementsEqual(name.utf8)
    names[parent] = nil
    guard isKnown == isRemoved else { return }
    if isAdded { known.insert(name, at: place) } else { known.remove(at: place) }
    names[parent] = known
  }
}
