/// Whether a name from the device or the host is safe as the last component of a path on the device.
///
/// Names come from a database that any program may have written; a name with a separator or `..` would leave its
/// folder. The device's file systems allow names of up to 255 bytes.
func isSafeName(_ name: String) -> Bool {
    let bytes = name.utf8
    return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
        && !bytes.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }
}

extension String {
    /// The text's UTF-8, as a key for a path or file name in sets and dictionaries.
    ///
    /// Swift treats texts that look the same as equal, however they are composed ("é" is one scalar or two). A device
    /// may treat them as the names of two files.
    var bytes: [UInt8] { Array(utf8) }
}
