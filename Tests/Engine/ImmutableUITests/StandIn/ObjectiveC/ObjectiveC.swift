// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A substitute for the names that Apple's Foundation, Dispatch and SwiftUI export from the Objective-C runtime and from MacTypes.h.
// A file that imports one of these modules sees them in addition to the names of this package, so a name that both declare must be
// qualified.

public struct Selector: Hashable, Sendable {
  public init(_ name: String) {}
}

public typealias Category = OpaquePointer
public typealias Ivar = OpaquePointer
public typealias Method = OpaquePointer
public typealias IMP = OpaquePointer
public class Protocol {}
public struct NSZone {}

// MARK: - MacTypes.h

public struct Point {}
public struct Rect {}
public struct FixedPoint {}
public struct FixedRect {}
public struct ProcessSerialNumber {}
public struct NumVersion {}
public struct VersRec {}
public struct TimeRecord {}
public typealias AbsoluteTime = UInt64
public typealias Boolean = UInt8
public typealias Byte = UInt8
public typealias ByteCount = UInt
public typealias ByteOffset = UInt
public typealias CharParameter = Int16
public typealias CompTimeValue = Int64
public typealias FourCharCode = UInt32
public typealias Fixed = Int32
public typealias Fract = Int32
public typealias Handle = UnsafeMutablePointer<Ptr?>
public typealias ItemCount = UInt
public typealias LangCode = Int16
public typealias LogicalAddress = UnsafeMutableRawPointer
public typealias OSErr = Int16
public typealias OSStatus = Int32
public typealias OSType = UInt32
public typealias OptionBits = UInt32
public typealias PBVersion = UInt32
public typealias PhysicalAddress = UnsafeMutableRawPointer
public typealias Ptr = UnsafeMutablePointer<CChar>
public typealias RegionCode = Int16
public typealias ResType = UInt32
public typealias ScriptCode = Int16
public typealias ShortFixed = Int16
public typealias SignedByte = Int8
public typealias Size = Int
public typealias Style = UInt8
public typealias StyleField = UInt8
public typealias StyleParameter = Int16
public typealias TimeBase = OpaquePointer
public typealias TimeScale = Int32
public typealias TimeValue = Int32
public typealias UniChar = UInt16
public typealias UnsignedFixed = UInt32
public typealias wide = Int64
