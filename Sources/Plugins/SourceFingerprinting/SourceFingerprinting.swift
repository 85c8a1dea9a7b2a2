/// Makes a short text of the sources of some modules, which changes with any byte of them.
///
/// It depends on the names of the modules, the paths of the files below their modules' directories, and the bytes of the
/// files; not on where the package lies, the order of the files, the configuration or the platform. So the application
/// and the tools that are built from the same sources have the same text.
public struct SourceFingerprinting: Sendable {
  /// A file of a module.
  public struct File: Sendable {
    /// The name of the module.
    public var module: String
    /// The path below the directory of the module.
    public var path: String
    /// What the file holds.
    public var bytes: [UInt8]

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - module: The name of the module.
    ///   - path: The path below the directory of the module.
    ///   - bytes: What the file holds.
    public init(module: String, path: String, bytes: [UInt8]) {
      self.module = module
      self.path = path
      self.bytes = bytes
    }
  }

  // FNV-1a with 64 bits: the parameters are those of its authors, Fowler, Noll and Vo. It has to tell versions of a
  // program apart, not to withstand anybody.
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  private init() {}

  /// The fingerprint of files: 16 hexadecimal digits.
  ///
  /// - Parameter files: The files, in any order.
  /// - Complexity: O(bytes of all files).
  public static func text(of files: [File]) -> String {
    var fingerprinting = SourceFingerprinting()
    let sorted = files.sorted { first, second in
      (Array(first.module.utf8), Array(first.path.utf8)) < (Array(second.module.utf8), Array(second.path.utf8))
    }
    for file in sorted {
      // Each part is led by its length, so that no two lists of files read the same.
      for part in [Array(file.module.utf8), Array(file.path.utf8), file.bytes] {
        fingerprinting.add("\(part.count):".utf8)
        fingerprinting.add(part)
      }
    }
    let digits = String(fingerprinting.hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The Swift file that the plugin adds to a target.
  ///
  /// - Parameters:
  ///   - text: The fingerprint.
  ///   - modules: The modules that it covers.
  public static func code(_ text: String, modules: [String]) -> String {
    """
    /// What the sources of \(modules.sorted().joined(separator: ", ")) come to.
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

/// Compares pairs of byte strings.
private func < (first: ([UInt8], [UInt8]), second: ([UInt8], [UInt8])) -> Bool {
  first.0 == second.0 ? first.1.lexicographicallyPrecedes(second.1) : first.0.lexicographicallyPrecedes(second.0)
}
