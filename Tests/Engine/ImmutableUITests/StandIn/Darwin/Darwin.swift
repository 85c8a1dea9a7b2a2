// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// A substitute for Apple's C library. It uses that of Linux, except for declarations that this package uses and Apple makes
// differently, or does not have. Types are those of Apple's headers, as Swift imports them; calls are forwarded.

@_exported import Glibc
@_exported import ObjectiveC

// MARK: - Files

public typealias dev_t = Int32
public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias ino_t = UInt64

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }

public struct stat: Sendable {
  public var st_dev: dev_t = 0
  public var st_mode: mode_t = 0
  public var st_nlink: nlink_t = 0
  public var st_ino: ino_t = 0
  public var st_uid: uid_t = 0
  public var st_gid: gid_t = 0
  public var st_mtimespec = timespec()
  public var st_size: off_t = 0

  public init() {}

  init(_ other: Glibc.stat) {
    st_dev = dev_t(truncatingIfNeeded: other.st_dev)
    st_mode = mode_t(truncatingIfNeeded: other.st_mode)
    st_nlink = nlink_t(truncatingIfNeeded: other.st_nlink)
    st_ino = ino_t(other.st_ino)
    st_uid = other.st_uid
    st_gid = other.st_gid
    st_mtimespec = other.st_mtim
    st_size = off_t(other.st_size)
  }
}

public func lstat(_ path: UnsafePointer<CChar>!, _ entry: UnsafeMutablePointer<stat>!) -> Int32 {
  var other = Glibc.stat()
  let result = Glibc.lstat(path, &other)
  entry.pointee = stat(other)
  return result
}

public func fstat(_ descriptor: Int32, _ entry: UnsafeMutablePointer<stat>!) -> Int32 {
  var other = Glibc.stat()
  let result = Glibc.fstat(descriptor, &other)
  entry.pointee = stat(other)
  return result
}

public struct DIR {}

public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { Glibc.fchmod(descriptor, Glibc.mode_t(mode)) }

public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! {
  UnsafeMutablePointer(Glibc.opendir(path))
}

public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! {
  Glibc.readdir(OpaquePointer(stream))
}

@discardableResult public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 {
  Glibc.closedir(OpaquePointer(stream))
}

// MARK: - Limits

public typealias rlim_t = UInt64

public var RLIMIT_NOFILE: Int32 { 8 }

public struct rlimit: Sendable {
  public var rlim_cur: rlim_t = 0
  public var rlim_max: rlim_t = 0

  public init() {}
}

private let openFiles = __rlimit_resource_t(Glibc.RLIMIT_NOFILE.rawValue)

public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 {
  precondition(resource == RLIMIT_NOFILE, "the only limit that this package reads")
  var other = Glibc.rlimit()
  let result = Glibc.getrlimit(openFiles, &other)
  limit.pointee.rlim_cur = rlim_t(other.rlim_cur)
  limit.pointee.rlim_max = rlim_t(other.rlim_max)
  return result
}

public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 {
  precondition(resource == RLIMIT_NOFILE, "the only limit that this package changes")
  var other = Glibc.rlimit()
  other.rlim_cur = Glibc.rlim_t(limit.pointee.rlim_cur)
  other.rlim_max = Glibc.rlim_t(limit.pointee.rlim_max)
  return Glibc.setrlimit(openFiles, &other)
}

// MARK: - Terminals

public typealias tcflag_t = UInt
public typealias speed_t = UInt

public struct termios: Sendable {
  public var c_iflag: tcflag_t = 0
  public var c_oflag: tcflag_t = 0
  public var c_cflag: tcflag_t = 0
  public var c_lflag: tcflag_t = 0
  public var c_ispeed: speed_t = 0
  public var c_ospeed: speed_t = 0
  /// The attributes that Apple's structure arranges differently.
  fileprivate var other = Glibc.termios()

  public init() {}
}

public var TIOCGWINSZ: UInt { 0x5413 }

public func tcgetattr(_ descriptor: Int32, _ attributes: UnsafeMutablePointer<termios>!) -> Int32 {
  var other = Glibc.termios()
  let result = Glibc.tcgetattr(descriptor, &other)
  attributes.pointee.other = other
  attributes.pointee.c_iflag = tcflag_t(other.c_iflag)
  attributes.pointee.c_oflag = tcflag_t(other.c_oflag)
  attributes.pointee.c_cflag = tcflag_t(other.c_cflag)
  attributes.pointee.c_lflag = tcflag_t(other.c_lflag)
  return result
}

public func tcsetattr(_ descriptor: Int32, _ action: Int32, _ attributes: UnsafePointer<termios>!) -> Int32 {
  var other = attributes.pointee.other
  other.c_iflag = UInt32(attributes.pointee.c_iflag)
  other.c_oflag = UInt32(attributes.pointee.c_oflag)
  other.c_cflag = UInt32(attributes.pointee.c_cflag)
  other.c_lflag = UInt32(attributes.pointee.c_lflag)
  return Glibc.tcsetattr(descriptor, action, &other)
}

// MARK: - Signals

public typealias sigset_t = UInt32

@discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 {
  set.pointee = 0
  return 0
}

@discardableResult public func sigaddset(_ set: UnsafeMutablePointer<sigset_t>!, _ number: Int32) -> Int32 {
  set.pointee |= 1 << UInt32(number - 1)
  return 0
}

@discardableResult public func pthread_sigmask(
  _ how: Int32, _ set: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!
) -> Int32 {
  var other = Glibc.sigset_t()
  Glibc.sigemptyset(&other)
  for number in 1...32 where set.pointee & 1 << UInt32(number - 1) != 0 { Glibc.sigaddset(&other, Int32(number)) }
  return Glibc.pthread_sigmask(how, &other, nil)
}

// MARK: - Sockets: compiled, and never run

public typealias sa_family_t = UInt8

public struct sockaddr_in: Sendable {
  public var sin_len: UInt8 = 0
  public var sin_family: sa_family_t = 0
  public var sin_port: in_port_t = 0
  public var sin_addr = in_addr()
  public var sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar) = (0, 0, 0, 0, 0, 0, 0, 0)

  public init() {}
}

public var SOCK_STREAM: Int32 { 1 }
public var SHUT_WR: Int32 { 1 }
public var SHUT_RDWR: Int32 { 2 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }

// MARK: - What Apple does not have

@available(*, unavailable) public var MSG_NOSIGNAL: Int32 { 0 }
@available(*, unavailable) public func accept4(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!,
  _ flags: Int32
) -> Int32 { -1 }
@available(*, unavailable) public func fdatasync(_ descriptor: Int32) -> Int32 { -1 }
@available(*, unavailable) public func memrchr(
  _ bytes: UnsafeRawPointer!, _ byte: Int32, _ count: Int
) -> UnsafeMutableRawPointer! { nil }
@available(*, unavailable) public func pipe2(_ ends: UnsafeMutablePointer<Int32>!, _ flags: Int32) -> Int32 { -1 }
@available(*, unavailable) public func syncfs(_ descriptor: Int32) -> Int32 { -1 }
