import OverlayKit
import Testing

@testable import BookFolders

@Suite("Files are known by their content")
struct FingerprintTests {
    @Test(
        "SHA-256 gives the digests of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(text: String, expected: String) {
        var whole = SHA256()
        whole.add(Array(text.utf8))
        #expect(hex(whole.finish()) == expected)
        var bytewise = SHA256()
        for byte in text.utf8 { bytewise.add([byte]) }
        #expect(hex(bytewise.finish()) == expected)
    }

    @Test("A million letters a have their digest")
    func million() {
        var digest = SHA256()
        for _ in 0..<1000 { digest.add([UInt8](repeating: 0x61, count: 1000)) }
        #expect(hex(digest.finish()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("The ranges lie within the file, apart, and cover a small file whole")
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

    @Test("A fingerprint is fit for a key, and nothing else is a fingerprint")
    func text() throws {
        let fingerprint = ContentFingerprint(size: 12_345, [[1, 2, 3]])
        #expect(fingerprint.text.hasPrefix("12345-"))
        #expect(ContentFingerprint(fingerprint.text) == fingerprint)
        #expect(ContentFingerprint("../../etc") == nil)
        #expect(ContentFingerprint("") == nil)
    }
}
