import FingerprintedRules

/// A reducer whose sources, and those of the rules it stands on, have a fingerprint.
public enum Weighing {
  /// What `sourceFingerprint` of a model says.
  public static let sourceFingerprint = SourceFingerprint.value

  /// Folds a number into a sum.
  public static func reduce(into sum: inout Int, number: Int) { sum += Rules.weight(of: number) }
}
