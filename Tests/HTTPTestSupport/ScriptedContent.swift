import Foundation

/// The content that the scripted server serves and the tests expect: the same bytes for the same seed, unlike at each place.
public enum ScriptedContent {
    /// The byte at a position.
    public static func byte(_ position: Int, seed: Int) -> UInt8 {
        var value = UInt64(truncatingIfNeeded: position &+ seed &* 1_000_003) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
        return UInt8(truncatingIfNeeded: value &* 0xBF58_476D_1CE4_E5B9 >> 40)
    }

    /// The bytes of a range.
    public static func bytes(_ range: Range<Int>, seed: Int = 1) -> Data {
        Data(range.map { byte($0, seed: seed) })
    }
}
