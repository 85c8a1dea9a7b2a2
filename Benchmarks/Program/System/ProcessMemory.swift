import Foundation

/// The memory of this process, as the system counts it.
enum ProcessMemory {
  /// The resident peak in mebibytes; 0 where the system does not say.
  static var peakMebibytes: Double { mebibytes("VmHWM:") }

  /// The current resident memory in mebibytes; 0 if unknown.
  static var residentMebibytes: Double { mebibytes("VmRSS:") }

  /// A quantity of a process in mebibytes, by its name in the system's table; 0 if unknown.
  ///
  /// - Parameter process: The number of a process; `nil` for this one.
  static func mebibytes(_ name: String, of process: Int32? = nil) -> Double {
    guard let file = fopen("/proc/\(process.map(String.init) ?? "self")/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { byte in byte != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text.hasPrefix(name) else { continue }
      return text.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }.map {
        kibibytes in kibibytes / 1_024
      } ?? 0
    }
    return 0
  }
}
