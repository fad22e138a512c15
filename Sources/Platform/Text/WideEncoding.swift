/// An encoding with units of two or four bytes: UTF-16 or UTF-32.
public struct WideEncoding: Sendable {
    /// The number of bytes of a unit, 2 or 4, and of a byte order mark.
    public let unitSize: Int
    private let isBigEndian: Bool

    /// UTF-16 with the low byte of a unit first.
    public static let utf16LittleEndian = WideEncoding(unitSize: 2, isBigEndian: false)
    /// UTF-16 with the high byte of a unit first.
    public static let utf16BigEndian = WideEncoding(unitSize: 2, isBigEndian: true)
    /// UTF-32 with the low byte of a unit first.
    public static let utf32LittleEndian = WideEncoding(unitSize: 4, isBigEndian: false)
    /// UTF-32 with the high byte of a unit first.
    public static let utf32BigEndian = WideEncoding(unitSize: 4, isBigEndian: true)

    /// The encoding that a byte order mark at the beginning of the bytes indicates; nil without such a mark.
    public static func marked(_ bytes: RawSpan) -> WideEncoding? {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= 2 else { return nil }
            switch (bytes[0], bytes[1]) {
            case (0xFF, 0xFE):
                // The mark of UTF-32 begins like that of UTF-16.
                let isLong = bytes.count >= 4 && bytes[2] == 0 && bytes[3] == 0
                return isLong ? .utf32LittleEndian : .utf16LittleEndian
            case (0xFE, 0xFF):
                return .utf16BigEndian
            case (0, 0):
                let isLong = bytes.count >= 4 && bytes[2] == 0xFE && bytes[3] == 0xFF
                return isLong ? .utf32BigEndian : nil
            default:
                return nil
            }
        }
    }

    /// The text. A unit that is not valid becomes U+FFFD, and bytes at the end that are not a whole unit are dropped.
    public func text(_ bytes: RawSpan) -> String {
        unitSize == 2
            ? String(decoding: units(bytes), as: UTF16.self)
            : String(decoding: units(bytes), as: UTF32.self)
    }

    /// The text; nil if a unit is not valid or not whole.
    public func validText(_ bytes: RawSpan) -> String? {
        guard bytes.byteCount.isMultiple(of: unitSize) else { return nil }
        return unitSize == 2
            ? String(validating: units(bytes), as: UTF16.self)
            : String(validating: units(bytes), as: UTF32.self)
    }

    /// The whole units of UTF-16.
    public func utf16Units(_ bytes: RawSpan) -> [UInt16] { units(bytes) }

    private func units<Unit: FixedWidthInteger & BitwiseCopyable>(_ bytes: RawSpan) -> [Unit] {
        let width = MemoryLayout<Unit>.size
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / width).map { index in
                let unit = bytes.loadUnaligned(fromByteOffset: index * width, as: Unit.self)
                return isBigEndian ? Unit(bigEndian: unit) : Unit(littleEndian: unit)
            }
        }
    }
}
