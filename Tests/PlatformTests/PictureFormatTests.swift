import Platform
import Testing

@Suite("Pictures are recognised by their first bytes")
struct PictureFormatTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test(
        "A picture has the media type of its format",
        arguments: [
            ([0xFF, 0xD8, 0xFF], "image/jpeg"), (png, "image/png"), (png + [1], "image/png"),
            (Array("GIF87a".utf8), "image/gif"), (Array("GIF89a".utf8), "image/gif"),
            (Array("RIFFxxxxWEBP".utf8), "image/webp"), (Array("BM".utf8), "image/bmp"),
        ] as [([UInt8], String)])
    func known(bytes: [UInt8], mediaType: String) {
        #expect(PictureFormat(bytes)?.mediaType == mediaType)
    }

    @Test(
        "Other bytes are not recognised as a picture",
        arguments: [
            [], [0xFF, 0xD8], png.dropLast(), Array("GIF89".utf8), Array("GIF88a".utf8),
            Array("RIFFxxxxWAVE".utf8), [0, 0xFF, 0xD8, 0xFF],
        ] as [[UInt8]])
    func unknown(bytes: [UInt8]) {
        #expect(PictureFormat(bytes) == nil)
    }
}
