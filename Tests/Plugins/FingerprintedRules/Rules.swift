/// The rules of a reducer in another target.
public enum Rules {
  /// Returns the weight of a number.
  public static func weight(of number: Int) -> Int { number }
}
