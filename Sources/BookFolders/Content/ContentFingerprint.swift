import OverlayKit
import Platform

/// What identifies the content of a file without reading all of it: its size and a digest of a few ranges.
///
/// Two files of the same size that differ only outside the ranges have the same fingerprint. Formats of books keep what
/// identifies them at their beginning (MOBI) or end (ZIP directories with checksums, PDF trailers), which are in the ranges.
/// So it finds a file again, and before a book is taken for one that is there, ``ContentDigests`` compare all of both.
public struct ContentFingerprint: Hashable, Sendable {
    /// Letters, digits and `-`, fit for a key.
    public let text: String

    /// A fingerprint by its text; nil if it is none.
    public init?(_ text: String) {
        guard (3...64).contains(text.utf8.count),
            text.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        self.text = text
    }

    /// Bytes of the file.
    var size: UInt64? { UInt64(text.prefix { $0 != "-" }) }

    /// The fingerprint of a file of that size, whose ranges hold those bytes.
    init(size: UInt64, _ parts: [[UInt8]]) throws(OverlayError) {
        let digest = Digest(.sha256)
        for part in parts { digest.add(part) }
        self.init(size: size, digest: try digest.finished())
    }

    /// The fingerprint of a file of that size, whose ranges have that digest.
    init(size: UInt64, digest: [UInt8]) { text = "\(size)-" + Hex.text(digest.prefix(16)) }

    /// Whether the fingerprint of a file of that size is made of all its bytes.
    static func isWhole(size: UInt64) -> Bool { size <= wholeSize }

    /// Bytes of the largest file of which all count.
    private static let wholeSize: UInt64 = 6144

    /// Which bytes of a file of that size count.
    static func ranges(size: UInt64) -> [Range<UInt64>] {
        let (head, middle, tail): (UInt64, UInt64, UInt64) = (1024, 2048, 2048)
        if size == 0 { return [] }
        // Smaller files are read whole, for the middle would reach into the other ranges.
        guard size > wholeSize else { return [0..<size] }
        let start = size / 2 - middle / 2
        return [0..<head, start..<(start + middle), (size - tail)..<size]
    }
}
