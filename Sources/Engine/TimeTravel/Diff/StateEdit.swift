import JSONCoding

/// How one value becomes another: only what differs is in the tree of edits.
indirect enum StateEdit: Sendable {
  /// Another value stands in its place.
  case replace(old: JSONValue, new: JSONValue)
  /// An object whose members differ, in order of their names.
  case object([(name: String, edit: MemberEdit)])
  /// An array whose elements differ, in order of their places.
  case array([ElementEdit])

  /// What happens to one member of an object.
  enum MemberEdit: Sendable {
    case add(JSONValue)
    case remove(JSONValue)
    case edit(StateEdit)
  }

  /// What happens to one element of an array. Places are those in the old and in the new array.
  enum ElementEdit: Sendable {
    case add(JSONValue, new: Int)
    case remove(JSONValue, old: Int)
    case edit(StateEdit, old: Int, new: Int)
  }
}
