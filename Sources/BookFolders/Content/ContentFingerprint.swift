import OverlayKit
import Platform

/// Identifies the content of a file without reading all of it, by its size and a digest of a few ranges.
///
/// Two files of the same size that differ only outside the ranges have the same fingerprint. Book formats have
/// identifying data at their beginning (MOBI) or end (ZIP directories with checksums, PDF trailers), and the ranges
/// include both. A fingerprint is enough to find a file again. Before a book counts as one already on the device,
/// `ContentDigests` compares all bytes.
public struct ContentFingerprint: Hashable, Sendable {
    /// A library has a fingerprint for each book, so the usual form does not allocate memory.
    private enum Content: Hashable {
        /// A size and the sixteen bytes of a digest, most significant first.
        case usual(size: UInt64, UInt64, UInt64)
        /// Any other text, as it was read.
        case other(String)
    }

    private let content: Content

    /// The fingerprint as letters, digits and `-`, usable as a key.
    public var text: String {
        switch content {
        case .usual(let size, let one, let two): "\(size)-\(Hex.text(one))\(Hex.text(two))"
        case .other(let text): text
        }
    }

    /// Reads a fingerprint from its text; nil if it is not one.
    public init?(_ text: String) {
        guard (3...64).contains(text.utf8.count),
            text.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        content = Self.usual(text) ?? .other(text)
    }

    /// The content of a text in the usual form: a size without leading zeros, `-`, and 32 digits of a digest; nil for
    /// any other text.
    private static func usual(_ text: String) -> Content? {
        var text = text
        return text.withUTF8 { bytes in
            guard let end = bytes.firstIndex(of: UInt8(ascii: "-")), bytes.count == end + 33,
                end == 1 || bytes.first != UInt8(ascii: "0"), let size = number(bytes[..<end], base: 10),
                let one = number(bytes[(end + 1)...].prefix(16), base: 16),
                let two = number(bytes[(end + 1)...].dropFirst(16), base: 16)
            else { return nil }
            return .usual(size: size, one, two)
        }
    }

    /// The number that digits form; nil if there are none, if one is not a digit of this base, or if the number is too
    /// large.
    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, base: UInt64) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard let value = Hex.value(of: digit).map({ UInt64($0) }), value < base else { return nil }
            let (product, isLarge) = number.multipliedReportingOverflow(by: base)
            let (sum, isLarger) = product.addingReportingOverflow(value)
            guard !isLarge, !isLarger else { return nil }
            number = sum
        }
        return number
    }

    private init(content: Content) { self.content = content }

    /// The size of the file in bytes.
    var size: UInt64? {
        switch content {
        case .usual(let size, _, _): size
        case .other(let text): UInt64(text.prefix { $0 != "-" })
        }
    }

    /// The fingerprint of a file with this size and these bytes in its ranges.
    init(size: UInt64, _ parts: [[UInt8]]) throws(OverlayError) {
        let digest = Digest(.sha256)
        for part in parts { digest.add(part) }
        self.init(size: size, digest: try digest.finished())
    }

    /// The fingerprint of a file with this size and this digest of its ranges.
    init(size: UInt64, digest: [UInt8]) {
        guard digest.count >= 16 else {
            self.init(content: .other("\(size)-\(Hex.text(digest))"))
            return
        }
        let words = [digest.prefix(8), digest.dropFirst(8).prefix(8)].map { bytes in
            bytes.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        }
        self.init(content: .usual(size: size, words[0], words[1]))
    }

    /// Whether the fingerprint of a file with this size covers all its bytes.
    static func isWhole(size: UInt64) -> Bool { size <= wholeSize }

    /// The largest file whose fingerprint covers all bytes.
    private static let wholeSize: UInt64 = 6144

    /// The ranges that count for a file of this size.
    static func ranges(size: UInt64) -> [Range<UInt64>] {
        let (head, middle, tail): (UInt64, UInt64, UInt64) = (1024, 2048, 2048)
        if size == 0 { return [] }
        // A smaller file is read whole, because its middle range would overlap the others.
        guard size > wholeSize else { return [0..<size] }
        let start = size / 2 - middle / 2
        return [0..<head, start..<(start + middle), (size - tail)..<size]
    }
}

/// Reads the ranges for the fingerprints of many files at once.
public struct FingerprintReader {
    /// The number of files in a batch.
    private static let batch = 500

    private let host: HostServices
    private let place: BookPlace

    /// Reads files in a place.
    public init(_ host: HostServices, _ place: BookPlace) {
        self.host = host
        self.place = place
    }

    /// The fingerprint of each file on the device, or why it could not be read. Five kilobytes of each file are read.
    ///
    /// The fingerprint of a package consists of the names and sizes of its parts; nothing is read for it.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - precedesMetadata: whether the metadata of the files is read next, so that the host can read that data too.
    public func read(
        _ files: [FoundFile], precedesMetadata: Bool = false
    ) throws(OverlayError) -> [Result<ContentFingerprint, OverlayError>] {
        var results: [Result<ContentFingerprint, OverlayError>] = []
        results.reserveCapacity(files.count)
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            try host.cancellation.check()
            results += try read(batch: Array(files[start...].prefix(Self.batch)), precedesMetadata)
        }
        return results
    }

    private func read(
        batch: [FoundFile], _ precedesMetadata: Bool
    ) throws(OverlayError) -> [Result<ContentFingerprint, OverlayError>] {
        var requests: [ReadRequest] = []
        var places: [Range<Int>] = []
        for file in batch {
            let first = requests.count
            if !file.isPackage {
                for range in ContentFingerprint.ranges(size: file.size) {
                    requests.append(
                        ReadRequest(
                            place.path(file.path), offset: range.lowerBound,
                            length: range.upperBound - range.lowerBound,
                            precedesMetadata: precedesMetadata && range.upperBound == file.size))
                }
            }
            places.append(first..<requests.count)
        }
        let answers = requests.isEmpty ? [] : try host.transport.readMany(place.root, requests)
        return zip(batch, places).map { file, place in
            Result { () throws(OverlayError) in
                if let parts = file.parts { return try Self.fingerprint(parts, size: file.size) }
                var bytes: [[UInt8]] = []
                for index in place {
                    let part = try answers[index].get()
                    guard UInt64(part.count) == requests[index].length else {
                        throw OverlayError(
                            .verificationFailed, "The file changed while it was being read.",
                            subject: file.path.text, retryable: true)
                    }
                    bytes.append(part)
                }
                return try ContentFingerprint(size: file.size, bytes)
            }
        }
    }

    /// The fingerprint of a file of the host.
    public func read(_ file: HostFile, size: UInt64) throws(OverlayError) -> ContentFingerprint {
        var parts: [[UInt8]] = []
        for range in ContentFingerprint.ranges(size: size) {
            var bytes: [UInt8] = []
            try host.transport.localRead(
                file, offset: range.lowerBound, length: range.upperBound - range.lowerBound
            ) { chunk, _, _ in
                bytes.append(contentsOf: chunk)
            }
            parts.append(bytes)
        }
        return try ContentFingerprint(size: size, parts)
    }

    private static func fingerprint(
        _ parts: [FoundFile.Part], size: UInt64
    ) throws(OverlayError) -> ContentFingerprint {
        try ContentFingerprint(size: size, parts.map { Array("\($0.path)\u{0}\($0.size)\u{0}".utf8) })
    }
}

extension Digest {
    /// Returns the digest and ends it.
    package func finished() throws(OverlayError) -> [UInt8] {
        guard let digest = finish() else {
            throw OverlayError(
                .failed, "Cannot compute a digest: libcrypto does not provide the algorithm.",
                hint: "Install OpenSSL's usual algorithms.")
        }
        return digest
    }
}
