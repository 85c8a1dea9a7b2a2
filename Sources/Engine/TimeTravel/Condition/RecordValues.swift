import ActionLog
import JSONCoding

/// What a condition asks of a record, read when it is asked for.
final class RecordValues {
  let record: LogRecord
  private var parsedData: JSONValue?
  private var parsedMeta: JSONValue?

  init(_ record: LogRecord) { self.record = record }

  func data() throws -> JSONValue {
    if let parsedData { return parsedData }
    let value = try JSONValue(parsing: record.dataBytes)
    parsedData = value
    return value
  }

  func meta() throws -> JSONValue? {
    if let parsedMeta { return parsedMeta }
    parsedMeta = try record.meta.map { meta throws(JSONError) in try JSONValue(parsing: meta) }
    return parsedMeta
  }
}
