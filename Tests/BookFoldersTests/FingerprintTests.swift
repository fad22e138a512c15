import OverlayKit
import Testing

@testable import BookFolders

@Suite("Files are known by their content")
struct FingerprintTests {
    @Test("The ranges are inside the file, do not overlap, and cover all of a small file")
    func ranges() {
        #expect(ContentFingerprint.ranges(size: 0).isEmpty)
        for size: UInt64 in [1, 1023, 5120, 5121, 5122, 10_000, .max] {
            let ranges = ContentFingerprint.ranges(size: size)
            #expect(ranges.first?.lowerBound == 0)
            #expect(ranges.last?.upperBound == size)
            for (left, right) in zip(ranges, ranges.dropFirst()) {
                #expect(left.upperBound <= right.lowerBound)
            }
            #expect(ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } <= 6144)
        }
    }

    @Test("A fingerprint can be used as a key, and other text is not a fingerprint")
    func text() throws {
        let fingerprint = try ContentFingerprint(size: 12_345, [[1, 2, 3]])
        #expect(fingerprint.text.hasPrefix("12345-"))
        #expect(ContentFingerprint(fingerprint.text) == fingerprint)
        let digits = "00f3456789abcdef0123456789abcde0"
        for text in [
            "12345-\(digits)", "0-\(digits)", "012345-\(digits)", "99999999999999999999-\(digits)",
            "-\(digits)",
            "1-2-3", "5-00", "abc", "12345-\(digits)0",
        ] {
            #expect(ContentFingerprint(text)?.text == text)
        }
        #expect(ContentFingerprint("12345-\(digits)")?.size == 12_345)
        #expect(ContentFingerprint("12345-\(digits)") != ContentFingerprint("012345-\(digits)"))
        #expect(ContentFingerprint("../../etc") == nil)
        #expect(ContentFingerprint("") == nil)
    }
}
