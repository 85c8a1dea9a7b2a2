/// The address of an object as `0x` and 16 hexadecimal digits, to tell instances apart in debug output.
package func address(of object: AnyObject) -> String {
  let digits = String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
}
