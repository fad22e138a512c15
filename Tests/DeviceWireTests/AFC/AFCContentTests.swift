import Testing

@testable import DeviceWire

@Suite("AFC answers become typed values, and nothing in them is lost or trusted")
struct AFCContentTests {
    private func fields(_ text: String) -> [UInt8] {
        Array(text.replacing("|", with: "\0").utf8)
    }

    @Test("File information is read regardless of the order of its keys")
    func fileInformation() throws {
        let info = try AFCFileInfo(
            decoding: fields(
                "st_birthtime|5|LinkTarget|/x|st_new|y|st_size|18446744073709551615|st_ifmt|S_IFLNK|st_mtime|-7|"
            ))
        #expect(
            info
                == AFCFileInfo(
                    kind: .symbolicLink, size: .max, blocks: 0, linkCount: 1, modified: -7, born: 5,
                    linkTarget: "/x"))
    }

    @Test(
        "Every kind of file survives encoding and decoding",
        arguments: [AFCFileInfo.Kind.file, .folder, .symbolicLink, .other("S_IFSOCK")])
    func kinds(kind: AFCFileInfo.Kind) throws {
        let info = AFCFileInfo(
            kind: kind, size: 1, blocks: 2, linkCount: 3, modified: 4, born: 5,
            linkTarget: kind == .symbolicLink ? "target" : nil)
        #expect(try AFCFileInfo(decoding: info.encode()) == info)
    }

    @Test(
        "File information without a kind or size, with a bad size or a lone key is malformed",
        arguments: [
            "", "st_size|1|", "st_ifmt|S_IFREG|", "st_size|x|st_ifmt|S_IFREG|", "st_size|+7|st_ifmt|S_IFREG|",
            "st_size|-1|st_ifmt|S_IFREG|",
            "st_size|1|st_ifmt|S_IFREG|st_mtime",
        ])
    func malformedFileInformation(text: String) {
        let error = #expect(throws: WireError.self) { try AFCFileInfo(decoding: fields(text)) }
        #expect(error?.code == .malformedReply)
    }

    @Test("A time that does not fit counts as not reported, and does not hide the file")
    func oddTimes() throws {
        for time in ["99999999999999999999", "-99999999999999999999", "x", ""] {
            let text = "st_size|7|st_ifmt|S_IFREG|st_mtime|\(time)|st_birthtime|\(time)|"
            let info = try AFCFileInfo(decoding: fields(text + "st_nlink|x|st_blocks|x|"))
            #expect(info == AFCFileInfo(kind: .file, size: 7, modified: 0))
        }
        let early = try AFCFileInfo(decoding: fields("st_size|7|st_ifmt|S_IFREG|st_mtime|-5|"))
        #expect(early.modified == -5)
    }

    @Test("The first value of a repeated key that can be read counts")
    func repeatedKeys() throws {
        let info = try AFCFileInfo(
            decoding: fields("st_size|7|st_size|8|st_ifmt|S_IFREG|st_ifmt|S_IFDIR|st_mtime|x|st_mtime|5|"))
        #expect(info == AFCFileInfo(kind: .file, size: 7, modified: 5))
    }

    @Test("Device information survives encoding and decoding, and needs its two sizes")
    func deviceInformation() throws {
        let info = AFCDeviceInfo(model: "iPad4,2", totalBytes: 64, freeBytes: 32, blockSize: 4096)
        #expect(try AFCDeviceInfo(decoding: info.encode()) == info)
        #expect(throws: WireError.self) { try AFCDeviceInfo(decoding: fields("Model|x|FSTotalBytes|1|")) }
    }

    @Test("Names that could lead elsewhere are left out and reported, the others are kept")
    func listing() {
        let bytes: [UInt8] =
            fields(".|..|good|") + [0] + fields("../up|") + [0xFF, 0xFE, 0] + fields("Grüße.epub|last")
        let listing = AFCDirectoryListing(decoding: bytes)
        #expect(listing.names == ["good", "Grüße.epub", "last"])
        #expect(
            listing.rejected == [
                .init(bytes: [], reason: .empty), .init(bytes: Array("../up".utf8), reason: .slash),
                .init(bytes: [0xFF, 0xFE], reason: .notUTF8),
            ])
        #expect(AFCDirectoryListing(decoding: []).names.isEmpty)
    }

    @Test("A slash is seen even where it forms one character with the mark after it")
    func combinedSlash() {
        let listing = AFCDirectoryListing(decoding: Array("a/\u{301}b\0".utf8))
        #expect(listing.names.isEmpty)
        #expect(listing.rejected.map(\.reason) == [.slash])
    }

    @Test("Names are kept byte for byte, decomposed ones too")
    func decomposed() {
        let listing = AFCDirectoryListing(decoding: Array("e\u{301}\0\u{E9}\0".utf8))
        #expect(listing.names.map { Array($0.utf8) } == [Array("e\u{301}".utf8), Array("\u{E9}".utf8)])
    }

    @Test("Every status code has its own name and a sentence")
    func statusTable() {
        #expect(AFCStatus.all.map(\.rawValue) == Array(0...23) + Array(30...33))
        #expect(Set(AFCStatus.all.map(\.name)).count == AFCStatus.all.count)
        for status in AFCStatus.all {
            #expect(!status.name.hasPrefix("status-"))
            #expect(status.meaning.hasSuffix("."))
            #expect(!status.meaning.contains("unknown status"))
        }
        #expect(AFCStatus(rawValue: 99).name == "status-99")
    }

    @Test("Operations have the protocol's names, and unknown ones their number")
    func operationNames() {
        let named = AFCOperation.requests + AFCOperation.replies
        #expect(Set(named.map(\.name)).count == named.count)
        #expect(named.allSatisfy { !$0.name.hasPrefix("0x") })
        #expect(AFCOperation(rawValue: 0x16).name == "0x16")
    }

    @Test("Bytes can be put straight into a DATA packet, fewer than announced or none when it fails")
    func dataInPlace() throws {
        let packet = AFCReply.encodeData(length: 10, packetNumber: 4) { buffer in
            buffer.copyBytes(from: [1, 2, 3])
            return 3
        }
        #expect(packet == AFCReply.data([1, 2, 3]).encode(packetNumber: 4))
        #expect(throws: WireError.self) {
            try AFCReply.encodeData(length: 10, packetNumber: 4) {
                (_: UnsafeMutableRawBufferPointer) throws(WireError) in
                throw WireError(.truncated, "Nothing to read.")
            }
        }
    }
}
