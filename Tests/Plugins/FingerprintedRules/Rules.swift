/// What the reducer of a model in another target stands on.
public enum Rules {
  /// What a number counts.
  public static func weight(of number: Int) -> Int { number }
}
