/// What the system that wrote an entry means by its name and attributes (ZIP specification 4.4.2, 4.4.15).
struct ZipHost {
    private let system: UInt8
    private let attributes: UInt32

    /// The two fields of a directory record.
    init(madeBy: UInt16, attributes: UInt32) {
        system = UInt8(truncatingIfNeeded: madeBy >> 8)
        self.attributes = attributes
    }

    /// DOS, OS/2, NTFS and VFAT, whose programs write backslashes between segments.
    var separatesByBackslash: Bool { [0, 6, 10, 14].contains(system) }

    /// Whether the attributes are those of a folder: the DOS bit, or the file type of Unix and macOS.
    var isFolder: Bool {
        if separatesByBackslash { return attributes & 0x10 != 0 }
        return [3, 19].contains(system) && attributes >> 16 & 0o170000 == 0o040000
    }
}
