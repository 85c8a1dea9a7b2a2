// The names that `import Foundation` exports on Apple platforms. The build makes this module a cross-import overlay: each
// file that imports Foundation imports it, too.

@_exported import Dispatch
@_exported import Foundation
@_exported import ObjectiveC
