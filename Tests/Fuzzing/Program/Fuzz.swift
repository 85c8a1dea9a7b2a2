import FuzzKit
import Glibc

// The function that libFuzzer calls. `.ci/fuzz` builds it with all its dependencies. It is not part of the package,
// because every module must be compiled for it.

/// The entry named by the environment.
private let entry: FuzzEntry = {
  let name = getenv("FUZZ_ENTRY").map { name in String(cString: name) } ?? ""
  guard let entry = FuzzEntry(rawValue: name) else { fatalError("FUZZ_ENTRY names no entry: '\(name)'") }
  return entry
}()

/// Tries one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryInput(_ start: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  // A copy of exactly this length, so that AddressSanitizer detects reads beyond it.
  let input = Array(UnsafeBufferPointer(start: start, count: size))
  if let flaw = entry.flaw(in: input) { fatalError("\(entry): \(flaw)") }
  return 0
}
