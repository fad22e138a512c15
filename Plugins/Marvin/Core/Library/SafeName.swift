/// Whether a name from the device or the host may stand as the last component of a path on the device.
///
/// Names come from a database that anybody may have written; one with a separator or `..` would leave its folder.
/// 255 bytes is the longest name of the device's file systems.
func isSafeName(_ name: String) -> Bool {
    let bytes = name.utf8
    return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
        && !bytes.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }
}
