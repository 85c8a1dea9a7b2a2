/// Computes a fingerprint of the sources of some modules, which changes with every byte of them.
///
/// It depends on the names of the modules, the relative paths of their files, and the bytes of the files, but not on
/// the location of the package, the order of the files, the configuration or the platform. The application and tools
/// that are built from the same sources therefore have the same fingerprint.
public struct SourceFingerprinting: Sendable {
  /// A file of a module.
  public struct File: Sendable {
    /// The name of the module.
    public var module: String
    /// The path relative to the directory of the module.
    public var path: String
    /// The contents of the file.
    public var bytes: [UInt8]

    /// Creates a file.
    public init(module: String, path: String, bytes: [UInt8]) {
      self.module = module
      self.path = path
      self.bytes = bytes
    }
  }

  // 64-bit FNV-1a with the parameters of its authors, Fowler, Noll and Vo. It distinguishes versions of a program and
  // does not resist attacks.
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  private init() {}

  /// Returns the fingerprint of files: 16 hexadecimal digits.
  public static func text(of files: [File]) -> String {
    var fingerprinting = SourceFingerprinting()
    let sorted = files.sorted { first, second in
      (Array(first.module.utf8), Array(first.path.utf8)) < (Array(second.module.utf8), Array(second.path.utf8))
    }
    for file in sorted {
      // The length before each part makes the input unambiguous.
      for part in [Array(file.module.utf8), Array(file.path.utf8), file.bytes] {
        fingerprinting.add("\(part.count):".utf8)
        fingerprinting.add(part)
      }
    }
    let digits = String(fingerprinting.hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns the Swift file that the plugin adds to a target.
  public static func code(_ text: String, modules: [String]) -> String {
    """
    /// The fingerprint of the sources of \(modules.sorted().joined(separator: ", ")).
    enum SourceFingerprint {
      /// It changes with any byte of the sources. Never `nil`: the type is that of the model's `sourceFingerprint`.
      static let value: String? = "\(text)"
    }

    """
  }

  private mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* Self.prime }
  }
}

private func < (first: ([UInt8], [UInt8]), second: ([UInt8], [UInt8])) -> Bool {
  first.0 == second.0 ? first.1.lexicographicallyPrecedes(second.1) : first.0.lexicographicallyPrecedes(second.0)
}
