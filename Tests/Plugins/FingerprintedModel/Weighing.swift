import FingerprintedRules

/// A reducer with a fingerprint of its sources and of its rules' sources.
public enum Weighing {
  /// The value of a model's `sourceFingerprint`.
  public static let sourceFingerprint = SourceFingerprint.value

  /// Folds a number into a sum.
  public static func reduce(into sum: inout Int, number: Int) { sum += Rules.weight(of: number) }
}
