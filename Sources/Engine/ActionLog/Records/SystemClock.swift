#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the engine asks the machine for besides files: the time, and who and where it is.
enum SystemClock {
  static func microsecondsSince1970() -> Int64 {
    var now = timespec()
    // It can fail only for a clock that does not exist.
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }
}

enum SystemHost {
  static var processID: Int { Int(getpid()) }

  /// The name of the machine, `unknown` when it has none.
  static var name: String {
    // POSIX allows 255 bytes; one more keeps a cut name terminated.
    var bytes = [CChar](repeating: 0, count: 257)
    guard gethostname(&bytes, 256) == 0 else { return "unknown" }
    let name = String(decoding: bytes.prefix { byte in byte != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.isEmpty ? "unknown" : name
  }

  /// The last part of the path that the program was started by.
  static var program: String {
    let path = CommandLine.arguments.first ?? ""
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return name.isEmpty ? "unknown" : name
  }
}
