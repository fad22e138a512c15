import Testing

@testable import CommandProtocol

@Suite("Covers are named by their MD5")
struct MD5Tests {
    @Test(
        "The digests of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func vectors(text: String, digest: String) {
        #expect(MD5.hex(Array(text.utf8)) == digest)
    }

    @Test("Lengths around a block", arguments: [55, 56, 57, 63, 64, 65, 119, 128])
    func lengths(count: Int) {
        let digest = MD5.hex([UInt8](repeating: 0x61, count: count))
        #expect(digest.utf8.count == 32)
        #expect(digest != MD5.hex([UInt8](repeating: 0x61, count: count + 1)))
    }
}
