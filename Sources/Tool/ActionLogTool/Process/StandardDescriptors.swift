#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors that the process was given as its standard streams.
///
/// A process may be started without some of them (`>&-` in a shell, a careless service manager). The next thing that
/// is opened then gets the number, and what was meant for the terminal is written into it: a log's segment, or a
/// descriptor of the runtime's own, which is at work before the first line of the program.
struct StandardDescriptors {
  /// Not a descriptor: using it is the error `EBADF`.
  static let missing: Int32 = -1

  let input: Int32
  let output: Int32
  /// Where messages go; nowhere when there is no standard error, because a recording must not fail for it.
  let messages: Int32

  /// Finds out which descriptors were handed over, and sees to it that nothing else gets the numbers of the others.
  static func take() -> StandardDescriptors {
    let given = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { number in isInherited(number) ? number : missing }
    guard given.contains(missing) else { return StandardDescriptors(input: 0, output: 1, messages: 2) }
    let nowhere = fillHoles()
    return StandardDescriptors(
      input: given[0], output: given[1], messages: given[2] == missing ? nowhere : given[2])
  }

  /// Whether a descriptor comes from whoever started the process: what has to be closed by `exec` was opened after it.
  private static func isInherited(_ number: Int32) -> Bool {
    let flags = fcntl(number, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0
  }

  /// Opens `/dev/null` until it gets a number that is not a standard one.
  ///
  /// - Returns: That number.
  private static func fillHoles() -> Int32 {
    while true {
      let number = open("/dev/null", O_RDWR)
      guard number >= 0 else { return missing }
      guard number <= STDERR_FILENO else { return number }
    }
  }
}
