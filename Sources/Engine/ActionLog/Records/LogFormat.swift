/// The names and limits of the format `actionlog/1`, each in one place.
public enum LogFormat {
  /// The name that the first line of every segment carries.
  public static let name = "actionlog/1"

  /// The longest line, its line feed included: 16 MiB. It bounds the memory of every reader.
  public static let lineLimitBytes = 16_777_216

  /// The deepest nesting of a line, the record itself being 1: deeper texts overflow the stacks of other readers.
  public static let depthLimit = 128

  /// The largest `seq`, 2⁵³ − 1: the largest integer that every JSON reader keeps exactly.
  public static let seqLimit = 9_007_199_254_740_991

  /// The longest `type`, in bytes.
  public static let typeLimitBytes = 1_024

  /// The most parts of a `type` that the writer makes out of nested enum cases.
  public static let typePartLimit = 64

  /// The longest name of a model, in bytes.
  public static let modelLimitBytes = 255

  /// `HEAD` is always exactly this long, so that one write replaces it whole.
  static let headSizeBytes = 128

  /// The commit mark `,"crc":"xxxxxxxx"}` and its line feed.
  static let suffixSizeBytes = 19

  /// The name of the file that says what is known durable.
  public static let headName = "HEAD"

  /// The folder of snapshots.
  public static let snapshotsName = "snapshots"

  /// The folder that keeps what recovery cut off.
  public static let quarantineName = "quarantine"

  /// The file of named points.
  public static let marksName = "marks.jsonl"
}
