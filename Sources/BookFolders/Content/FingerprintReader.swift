import OverlayKit

/// Reads the ranges of files that their fingerprints need, many files at once.
public struct FingerprintReader {
    /// Files whose ranges are asked for in one batch.
    private static let batch = 500

    private let host: HostServices
    private let place: BookPlace

    /// A reader of the files in a place.
    public init(_ host: HostServices, _ place: BookPlace) {
        self.host = host
        self.place = place
    }

    /// The fingerprint of each file on the device, or why there is none: five kilobytes are read of each.
    ///
    /// A package has the fingerprint of the names and sizes of its parts, for which nothing is read.
    public func read(
        _ files: [FoundFile]
    ) throws(OverlayError) -> [Result<ContentFingerprint, OverlayError>] {
        var results: [Result<ContentFingerprint, OverlayError>] = []
        results.reserveCapacity(files.count)
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            try host.cancellation.check()
            results += try read(batch: Array(files[start...].prefix(Self.batch)))
        }
        return results
    }

    private func read(
        batch: [FoundFile]
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
                            length: range.upperBound - range.lowerBound))
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

    /// The fingerprint of a lent file of the host.
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
