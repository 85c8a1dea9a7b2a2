/// The order in which members of objects are written.
public enum JSONForm: Sendable, Hashable {
  /// Members of structs and enums in the order in which the type encodes them; those of dictionaries sorted.
  case declared
  /// The members of all objects sorted by the bytes of their unescaped names: the form of snapshots and digests.
  case canonical
}
