/// Whether a name from the device or the host may stand as the last component of a path on the device.
///
/// Names come from a database that any program may have written; one with a separator or `..` would leave its folder.
/// 255 bytes is the longest name of the device's file systems.
func isSafeName(_ name: String) -> Bool {
    let bytes = name.utf8
    return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
        && !bytes.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }
}

extension String {
    /// The text's UTF-8: the key of a path or file name in sets and dictionaries.
    ///
    /// To Swift two texts are equal if they look the same, however they are composed ("é" is one scalar or two). To a device
    /// they are two names of two files.
    var bytes: [UInt8] { Array(utf8) }
}
