import Platform

/// The checksum in the first line of a manifest: the SHA-256 of the file without the member that has it.
///
/// The member is always written as `, "sha256": "…"`. Programs that do not know it ignore it and write a manifest
/// without it.
final class ManifestChecksum {
    private static let name = Array(", \"sha256\": \"".utf8)
    private static let digits = 64
    /// The number of bytes of the member.
    static let length = name.count + digits + 1

    private let digest = Digest(.sha256)
    private var isFirst = true
    /// The digits in the first line; nil if it has no checksum.
    private var wanted: [UInt8]?

    /// The member with a checksum of 32 bytes.
    static func member(_ checksum: [UInt8]) -> [UInt8] { name + Array((Hex.text(checksum) + "\"").utf8) }

    /// Adds the next line of a manifest, without its end.
    func add(_ line: ArraySlice<UInt8>) {
        if isFirst {
            isFirst = false
            // Within a text, quotes are escaped, so this is the member.
            guard let start = line.firstRange(of: Self.name)?.lowerBound, line.endIndex - start >= Self.length
            else { return }
            wanted = Array(line[start...].dropFirst(Self.name.count).prefix(Self.digits))
            digest.add(Array(line[..<start]) + Array(line[start...].dropFirst(Self.length)))
        } else if wanted != nil {
            digest.add(Array(line))
        } else {
            return
        }
        digest.add([UInt8(ascii: "\n")])
    }

    /// Whether the lines have the checksum that the first one names, or that one names none. Call this once, after the
    /// last line.
    func isRight() -> Bool {
        guard let wanted else { return true }
        return digest.finish().map { Hex.text($0).utf8.elementsEqual(wanted) } ?? false
    }
}
