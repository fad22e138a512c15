import Foundation

/// The content that the scripted server sends and the tests expect: the same bytes for the same seed, different at
/// each place.
public enum ScriptedContent {
    /// The bytes of a range.
    public static func bytes(_ range: Range<Int>, seed: Int = 1) -> Data {
        // Whole words with their ends cut off, because single bytes take seconds without optimisation.
        let words = (range.lowerBound >> 3)..<((range.upperBound + 7) >> 3)
        var content = [UInt64](repeating: 0, count: words.count)
        for index in 0..<words.count { content[index] = word(words.lowerBound + index, seed).littleEndian }
        let start = range.lowerBound - (words.lowerBound << 3)
        return content.withUnsafeBytes { Data($0[start..<start + range.count]) }
    }

    private static func word(_ index: Int, _ seed: Int) -> UInt64 {
        var value = UInt64(truncatingIfNeeded: index &+ seed &* 1_000_003) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
        value = value &* 0xBF58_476D_1CE4_E5B9
        return value ^ value >> 32
    }
}
