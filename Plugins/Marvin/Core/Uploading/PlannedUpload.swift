import OverlayKit

/// One item that goes to Marvin.
struct PlannedUpload: Equatable {
    /// Which input item.
    var index: Int
    var file: HostFile
    /// Name of the staged file, and of the book's file when Marvin has it.
    var name: String
    /// Whether the library has the book already and it is to be replaced.
    var replaces: Bool
    /// Collections and flags the book shall be in.
    var collections: [String]
    /// Bytes of the file.
    var size: UInt64
    var uuid: String
}
