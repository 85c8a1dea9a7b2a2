package import ActionLog
package import Foundation

/// Where a store of this device lies.
package struct StorePlace: Sendable {
  /// What the standard place of a product is called in its folder.
  package static let standardName = "default.store"

  /// The path of the log.
  package let path: String
  /// Whether the folders on the way to it are made; otherwise its parent must exist.
  package let makesFolders: Bool
  /// The disk, or memory.
  package let fileSystem: any LogFileSystem

  /// The place that an address names; its parent must exist.
  ///
  /// - Returns: `nil` when it is not the address of a file.
  package init?(url: URL) {
    guard url.isFileURL else { return nil }
    (path, makesFolders, fileSystem) = (url.path, false, POSIXFileSystem())
  }

  /// The standard place of a product: in a folder of its own among the support files of applications, which programs of other
  /// products share on some platforms.
  ///
  /// - Parameters:
  ///   - product: The name of the product, and of the folder.
  ///   - isStoredInMemoryOnly: Whether everything is forgotten with the store.
  /// - Returns: `nil` when there is no folder for such files.
  package init?(standardOf product: String, isStoredInMemoryOnly: Bool) {
    guard !isStoredInMemoryOnly else {
      (path, makesFolders, fileSystem) = (Self.standardName, false, MemoryFileSystem())
      return
    }
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    guard let folder = folders.first else { return nil }
    path = folder.appending(path: "\(product)/\(Self.standardName)").path
    (makesFolders, fileSystem) = (true, POSIXFileSystem())
  }
}
