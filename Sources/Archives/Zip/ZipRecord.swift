/// One record of a central directory, without its name, which stays in the directory's bytes.
struct ZipRecord: Sendable {
    /// Where the local header is.
    var offset: Int64
    /// Bytes in the archive.
    var storedLength: Int64
    /// Bytes when read.
    var length: Int64
    /// Where the name begins, in the directory's bytes or among the rewritten names.
    var nameStart: Int
    /// Bytes of the name.
    var nameLength: Int
    /// Bytes of the name as it is in the archive.
    var rawNameLength: Int
    var crc32: UInt32
    var method: UInt16
    var flags: UInt16
    /// Whether the name is among those that had to be rewritten as UTF-8 with slashes.
    var isRewritten: Bool

    /// The bytes of the name, where the parser put it.
    func name(
        in directory: UnsafeRawBufferPointer, rewritten: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let range = nameStart..<(nameStart + nameLength)
        return UnsafeRawBufferPointer(rebasing: isRewritten ? rewritten[range] : directory[range])
    }
}
