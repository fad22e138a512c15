import Platform

/// The form of texts in the index: without differences of case, accents, ligatures and compatible spellings.
public enum SearchText {
    /// Changes whenever `folded` changes; an index of another version is rebuilt.
    public static let version = 2

    /// Characters that are not on keyboards.
    private static let marks: [Unicode.Scalar: Unicode.Scalar] = [
        "’": "'", "‘": "'", "ʼ": "'", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"",
        "‐": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    ]

    /// The text for the index and for queries. A run of white space or control characters becomes one space.
    public static func folded(_ text: String) -> String {
        var text = text
        if let plain = text.withUTF8(plain) { return plain }
        var scalars = String.UnicodeScalarView()
        var isGap = false
        for scalar in text.compatiblyDecomposed.folded.unicodeScalars where !isIgnored(scalar) {
            if scalar.properties.isWhitespace || scalar.isControl {
                isGap = true
                continue
            }
            if isGap, !scalars.isEmpty { scalars.append(" ") }
            isGap = false
            if scalar.isASCII {
                scalars.append(scalar)
            } else if let letters = scalar.plainLetters {
                scalars.append(contentsOf: letters.unicodeScalars)
            } else {
                scalars.append(marks[scalar] ?? scalar)
            }
        }
        return String(scalars).composed
    }

    /// The same form for ASCII only; nil if a byte is not ASCII.
    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard !bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        return String(unsafeUninitializedCapacity: bytes.count) { room in
            var count = 0
            var isGap = false
            for byte in bytes {
                if byte <= 0x20 || byte == 0x7F {
                    isGap = true
                    continue
                }
                // There is room, because a space replaces at least one byte.
                if isGap, count > 0 {
                    room[count] = 0x20
                    count += 1
                }
                isGap = false
                room[count] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                count += 1
            }
            return count
        }
    }

    /// Characters that users do not type: soft hyphens, joiners, and the vowel points of Arabic and Hebrew. In other
    /// scripts, marks distinguish words.
    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x200B...0x200F, 0x2060, 0xFEFF, 0xFE00...0xFE0F: true
        case 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7: true
        case 0x0640, 0x064B...0x065F, 0x0670: true
        default: false
        }
    }
}
