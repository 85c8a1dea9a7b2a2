import FingerprintedModel
import Foundation
import SourceFingerprinting
import Testing

@Suite("The fingerprint of sources")
struct SourceFingerprintingTests {
  private static let files = [
    SourceFingerprinting.File(module: "Rules", path: "Rules.swift", bytes: Array("let a = 1".utf8)),
    SourceFingerprinting.File(module: "Model", path: "Model.swift", bytes: Array("let b = 2".utf8)),
    SourceFingerprinting.File(module: "Model", path: "Parts/Part.swift", bytes: []),
  ]

  @Test func fingerprintIgnoresFileOrder() {
    let text = SourceFingerprinting.text(of: Self.files)
    #expect(text.count == 16)
    #expect(SourceFingerprinting.text(of: Self.files.reversed()) == text)
    // The result of another implementation of FNV-1a: the same in every build, on every platform.
    #expect(SourceFingerprinting.text(of: []) == "cbf29ce484222325")
  }

  @Test func fingerprintCoversEveryByteAndName() {
    var texts: Set<String> = [SourceFingerprinting.text(of: Self.files)]
    var variants = 1
    func add(_ change: (inout [SourceFingerprinting.File]) -> Void) {
      var files = Self.files
      change(&files)
      texts.insert(SourceFingerprinting.text(of: files))
      variants += 1
    }
    for byte in Self.files[0].bytes.indices { add { files in files[0].bytes[byte] ^= 1 } }
    add { files in files[0].module = "Model" }
    add { files in files[2].path = "Part.swift" }
    add { files in files.removeLast() }
    add { files in files[2].bytes = [0x20] }
    #expect(texts.count == variants)
  }

  /// Checks that the constant made by the build matches the files of the target and its dependencies.
  @Test func pluginCoversTheTargetAndItsDependencies() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let names = [("FingerprintedModel", "Weighing.swift"), ("FingerprintedRules", "Rules.swift")]
    let files = try names.map { name, file in
      SourceFingerprinting.File(
        module: name, path: file, bytes: Array(try Data(contentsOf: tests.appending(path: "\(name)/\(file)"))))
    }
    #expect(Weighing.sourceFingerprint == SourceFingerprinting.text(of: files))
    // The type must be that of the model's member; otherwise it would be an unrelated member that is never used.
    #expect(type(of: Weighing.sourceFingerprint) == String?.self)
    #expect(Weighing.sourceFingerprint != SourceFingerprinting.text(of: Array(files.prefix(1))))
  }
}
