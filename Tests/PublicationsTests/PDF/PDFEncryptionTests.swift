import Testing

@testable import Publications

@Suite("Encrypted PDF files that open without a password are read")
struct PDFEncryptionTests {
    /// Ways of `qpdf` to encrypt.
    static let ways: [[String]] = [
        ["40"], ["128", "--use-aes=n"], ["128", "--use-aes=y"],
        ["128", "--use-aes=y", "--cleartext-metadata"],
        ["128", "--force-V4"], ["256"], ["256", "--force-R5"], ["256", "--cleartext-metadata"],
    ]

    private static func encrypted(
        _ way: [String], user: String = "", _ more: [String] = []
    ) throws -> [UInt8] {
        let plain = pdf(
            packet: xmp("<dc:publisher>Häuser</dc:publisher>"), info: "/Title \(utf16Hex("日本")) /Author (Me)",
            dictionary: "")
        return try qpdf(["--allow-weak-crypto", "--encrypt", user, "owner"] + way + ["--"] + more, plain)
    }

    @Test("Each way of encryption is read", arguments: ways)
    func eachWay(way: [String]) throws {
        let bytes = try Self.encrypted(way)
        #expect(bytes.firstRange(of: "/Encrypt") != nil)
        let info = try readPDF(bytes)
        #expect(info.metadata.title == "日本")
        #expect(info.metadata.authors.map(\.name) == ["Me"])
        #expect(info.metadata.publisher == "Häuser")
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.isEmpty, "\(info.shortcomings)")
    }

    @Test("Encrypted files with object streams, and linearised ones, are read", arguments: ways)
    func packed(way: [String]) throws {
        for more in [["--object-streams=generate"], ["--linearize", "--object-streams=generate"]] {
            let info = try readPDF(try Self.encrypted(way, more))
            #expect(info.metadata.title == "日本")
            #expect(info.metadata.publisher == "Häuser")
            #expect(info.shortcomings.isEmpty, "\(info.shortcomings)")
        }
    }

    @Test("A file that needs a password says so, and gives no garbage", arguments: ways)
    func password(way: [String]) throws {
        let info = try readPDF(try Self.encrypted(way, user: "secret"), name: "locked.pdf")
        #expect(info.metadata.title == "locked")
        #expect(info.metadata.authors.isEmpty)
        #expect(info.metadata.pageCount == 1)
        #expect(info.metadata.publisher == (way.contains("--cleartext-metadata") ? "Häuser" : nil))
        #expect(info.shortcomings.first?.code == .encrypted)
        #expect(info.shortcomings.first?.message == "The file is encrypted with a password.")
    }

    @Test(
        "A damaged description of the encryption is a shortcoming",
        arguments: [
            "/V 9 /Filter /Standard", "/V 4 /R 4 /Filter /Standard /CF << >> /StmF /X", "/Filter /Other /V 2",
            "/Filter /Standard /V 2 /R 3 /Length 4000 /O (x) /U (y) /P 1",
        ])
    func damaged(entries: String) throws {
        var builder = PDFBuilder.simple(info: "/Title (garbage)")
        builder.object(8, "<< \(entries) >>")
        builder.table(PDFBuilder.trailer + " /Encrypt 8 0 R")
        let info = try readPDF(builder.bytes)
        #expect(info.metadata.title == nil)
        #expect(info.metadata.pageCount == 1)
        #expect(info.shortcomings.contains { $0.code == .encrypted })
    }

    @Test("RC4 gives the published result")
    func rc4() {
        let plain = Array("Plaintext".utf8)
        #expect(
            PDFCrypto.rc4(plain, key: Array("Key".utf8)) == [
                0xBB, 0xF3, 0x16, 0xE8, 0xD9, 0x40, 0xAF, 0x0A, 0xD3,
            ])
    }
}
