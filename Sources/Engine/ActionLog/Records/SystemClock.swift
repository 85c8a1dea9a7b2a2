#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's real-time clock.
enum SystemClock {
  static func microsecondsSince1970() -> Int64 {
    var now = timespec()
    // It fails only for a clock that does not exist.
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }
}

enum SystemHost {
  static var processID: Int { Int(getpid()) }

  /// The name of the machine; `unknown` if it has none.
  static var name: String {
    // POSIX allows 255 bytes. The extra byte terminates a truncated name.
    var bytes = [CChar](repeating: 0, count: 257)
    guard gethostname(&bytes, 256) == 0 else { return "unknown" }
    let name = String(decoding: bytes.prefix { byte in byte != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.isEmpty ? "unknown" : name
  }

  /// The last component of the path of the program.
  static var program: String {
    let path = CommandLine.arguments.first ?? ""
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return name.isEmpty ? "unknown" : name
  }
}
