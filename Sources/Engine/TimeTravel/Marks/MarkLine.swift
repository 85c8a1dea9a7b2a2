import ActionLog
import JSONCoding

/// A line of `marks.jsonl`: a mark was made, or taken away.
///
/// `{"seq":42,"time":"2026-11-21T09:00:05.000000Z","name":"before the crash","remark":"…","crc":"…"}`, with `"removed":true` in
/// place of the remark for one that was taken away. The checksum is that of a record's line.
enum MarkLine {
  case made(Mark)
  case removed(name: String)

  /// The bytes, with the line feed.
  static func bytes(of mark: Mark, isRemoved: Bool, time: LogTime) -> [UInt8] {
    var line: [UInt8] = Array("{\"seq\":\(mark.revision),\"time\":\"\(time)\",\"name\":".utf8)
    JSONText.appendString(mark.name, to: &line)
    if isRemoved {
      line += ",\"removed\":true".utf8
    } else if let remark = mark.remark {
      line += ",\"remark\":".utf8
      JSONText.appendString(remark, to: &line)
    }
    LineSeal.append(to: &line)
    return line
  }

  /// Reads a line with its line feed.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidMark``, which says what is wrong.
  init(parsing line: [UInt8]) throws(TimeTravelError) {
    guard LineSeal.isIntact(line) else {
      throw TimeTravelError(.invalidMark, "the line was cut or changed: its checksum does not agree")
    }
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: line.dropLast()) } catch {
      throw TimeTravelError(.invalidMark, "the line is not JSON", underlying: error)
    }
    guard case .object(let object) = value, case .string(let name)? = object["name"] else {
      throw TimeTravelError(.invalidMark, "the line has no 'name'")
    }
    if object["removed"] == true {
      self = .removed(name: name)
    } else {
      self = .made(try Mark(object, name: name))
    }
  }
}

extension Mark {
  /// A mark of its members: those of a line.
  init(_ object: JSONObject, name: String) throws(TimeTravelError) {
    guard case .number(let number)? = object["seq"], let revision = number.int else {
      throw TimeTravelError(.invalidMark, "'seq' is not a revision")
    }
    guard case .string(let text)? = object["time"], let time = LogTime(parsing: text) else {
      throw TimeTravelError(.invalidMark, "'time' is not a time")
    }
    var remark: String?
    switch object["remark"] {
    case nil: break
    case .string(let text)?: remark = text
    default: throw TimeTravelError(.invalidMark, "'remark' is not a text")
    }
    try self.init(name, at: revision, remark: remark, time: time)
  }
}
