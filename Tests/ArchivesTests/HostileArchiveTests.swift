import Archives
import Foundation
import TestSupport
import Testing

@Suite("Hostile archives get a clear error")
struct HostileArchiveTests {
    private let two: ZipBuilder = ZipBuilder(["first": "content one", "second": "content two"], method: 0)

    @Test("An archive cut short at any length is refused or loses nothing")
    func truncated() throws {
        var builder = two
        builder.isZip64 = true
        builder.entries[0].isZip64 = true
        for data in [two.data(), builder.data()] {
            for length in 0..<data.count {
                let code = code { try ZipArchive.open(source: DataByteSource(data.prefix(length))) }
                #expect(code == .notAnArchive || code == .malformed, "\(length) of \(data.count)")
            }
        }
    }

    @Test("An archive without its end is reported as damaged; other bytes are not an archive")
    func cutShort() throws {
        let noise = ZipBuilder.Entry("noise", Data(repeating: 1, count: 100_000))
        var builder = two
        builder.entries.append(noise)
        for length in [30, 4000, 20_000, 90_000] {
            let source = DataByteSource(builder.data().prefix(length))
            let error = #expect(throws: ArchiveError.self) { try ZipArchive.open(source: source) }
            #expect(error?.code == .malformed)
            #expect(error?.message.contains("truncated") == true)
            #expect(error?.hint != nil)
        }
        let text = DataByteSource(Data(repeating: 0x41, count: 100_000))
        #expect(code { try ZipArchive.open(source: text) } == .notAnArchive)
    }

    @Test("An end record whose comment does not fit does not count")
    func commentCutShort() throws {
        var builder = two
        builder.comment = Data("comment".utf8)
        let data = builder.data()
        for missing in 1...7 {
            #expect(
                code { try ZipArchive.open(source: DataByteSource(data.dropLast(missing))) } == .malformed)
        }
    }

    @Test("An archive with any one byte changed is read or refused, and never crashes the program")
    func mutated() throws {
        var builder = ZipBuilder(["first": "content one, content one", "se/cond": "content two"])
        builder.isZip64 = true
        builder.entries[1].isZip64 = true
        let data = builder.data()
        var opened = 0
        for place in data.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, data[place] ^ 1] {
                var changed = data
                changed[place] = value
                opened += readAll(changed)
            }
        }
        #expect(opened > 0)
    }

    @Test("An archive with many bytes changed never crashes the program", arguments: 0..<200)
    func scrambled(_ seed: Int) throws {
        var randomness = SeededGenerator(seed: UInt64(seed))
        var data = ZipBuilder(["first": "content one, content one", "se/cond": "content two"]).data()
        for _ in 0..<Int.random(in: 1...12, using: &randomness) {
            data[Int.random(in: data.indices, using: &randomness)] = UInt8.random(
                in: 0...255, using: &randomness)
        }
        #expect(readAll(data) >= 0)
    }

    /// Opens an archive and reads it completely and by ranges; returns 1 if it opened.
    private func readAll(_ data: Data) -> Int {
        let archive: ZipArchive
        do throws(ArchiveError) {
            archive = try ZipArchive.open(source: DataByteSource(data))
        } catch {
            #expect(!error.message.isEmpty)
            return 0
        }
        for entry in archive.entries {
            let whole = code { try archive.read(entry) }
            let part = code { try archive.read(entry, range: 3..<9) }
            #expect(whole == nil || whole?.rawValue.contains(" ") == false)
            #expect(part == nil || part?.rawValue.contains(" ") == false)
        }
        return 1
    }

    @Test("Entries that share bytes are refused, in any order of the directory")
    func overlapping() throws {
        var builder = two
        builder.entries[1].offset = 0
        #expect(code { try open(builder) } == .malformed)
        builder.entries.reverse()
        builder.entries[0].offset = 20
        builder.entries[1].offset = nil
        #expect(code { try open(builder) } == .malformed)
    }

    @Test("A directory in another order than the data is not an overlap")
    func reordered() throws {
        var builder = two
        let second = UInt64(30 + 5 + 11)
        builder.entries[0].offset = second
        builder.entries[0].localName = Array("second".utf8)
        builder.entries[1].offset = 0
        #expect(code { try open(builder) } == nil)
    }

    @Test("Data that reach into the directory are refused")
    func overDirectory() throws {
        var builder = two
        builder.entries[1].storedLength = 18
        #expect(code { try open(builder) } == .malformed)
        builder = two
        builder.entries[1].offset = 0x7FFF_FFFF
        #expect(code { try open(builder) } == .malformed)
        builder = two
        builder.entries[1].isZip64 = true
        builder.entries[1].offset = .max
        #expect(code { try open(builder) } == .malformed)
        builder.entries[1].offset = UInt64(Int64.max)
        #expect(code { try open(builder) } == .malformed)
    }

    @Test("A local header whose names push the data into the directory is refused when read")
    func localHeaderOverDirectory() throws {
        var data = two.data()
        data[46 + 28] = 1
        let archive = try ZipArchive.open(source: DataByteSource(data))
        #expect(code { try archive.read(try #require(archive.entry("second"))) } == .malformed)
        #expect(code { try archive.read(try #require(archive.entry("first"))) } == nil)
    }

    @Test("A directory outside the archive, or of another length than its entries, is refused")
    func directoryLies() throws {
        for change: (inout ZipBuilder) -> Void in [
            { $0.directoryStart = 0xFFFF_FFF0 }, { $0.directoryLength = 0xFFFF_FFF0 },
            { $0.directoryStart = 1 },
            { $0.count = 1 }, { $0.count = 3 }, { $0.count = 0xFFFE }, { $0.directoryLength = 50 },
        ] {
            var builder = two
            change(&builder)
            #expect(code { try open(builder) } == .malformed)
            builder.isZip64 = true
            #expect(code { try open(builder) } == .malformed)
        }
    }

    @Test("ZIP64 numbers beyond 63 bits are refused")
    func hugeZip64() throws {
        for change: (inout ZipBuilder) -> Void in [
            { $0.directoryStart = .max }, { $0.directoryLength = .max }, { $0.count = .max },
            { $0.count = 1 << 62 }, { $0.directoryLength = 1 << 62 },
        ] {
            var builder = two
            builder.isZip64 = true
            change(&builder)
            #expect(code { try open(builder) } == .malformed)
        }
    }

    @Test("An archive on several disks is refused")
    func severalDisks() throws {
        for isZip64 in [false, true] {
            var builder = two
            builder.isZip64 = isZip64
            builder.disk = 1
            #expect(code { try open(builder) } == .unsupported)
        }
        var builder = two
        builder.entries[0].disk = 1
        #expect(code { try open(builder) } == .unsupported)
    }

    @Test("Data before the archive are refused, with offsets adjusted or not")
    func prefixed() throws {
        var builder = two
        builder.prefix = Data("#!/bin/sh\n".utf8)
        #expect(code { try open(builder) } == .notAnArchive)
        let unadjusted = DataByteSource(builder.prefix + two.data())
        #expect(code { try ZipArchive.open(source: unadjusted) } == .malformed)
        var empty = ZipBuilder()
        empty.prefix = Data("text".utf8)
        #expect(code { try open(empty) } == .notAnArchive)
    }

    @Test("The signatures, and the marker of a spanned archive in one piece, are recognised")
    func signatures() throws {
        var builder = two
        builder.prefix = Data([0x50, 0x4B, 7, 8])
        #expect(try open(builder).entries.count == 2)
        for last in [[3, 4], [5, 6], [7, 8]] as [[UInt8]] {
            #expect(ZipArchive.isSignature([0x50, 0x4B] + last + [0]))
        }
        #expect(!ZipArchive.isSignature([0x50, 0x4B, 3] as [UInt8]))
        #expect(!ZipArchive.isSignature(Array("Rar!".utf8)))
    }

    @Test(
        "Encrypted entries are forbidden, and the others stay readable",
        arguments: [UInt16(1), 1 << 6 | 1, 1 << 13] as [UInt16])
    func encrypted(_ flags: UInt16) throws {
        var builder = two
        builder.entries[0].flags = flags
        let archive = try open(builder)
        let entry = try #require(archive.entry("first"))
        #expect(entry.isEncrypted)
        #expect(code { try archive.read(entry) } == .encrypted)
        #expect(code { try archive.read(entry, range: 0..<1) } == .encrypted)
        #expect(code { try archive.read(try #require(archive.entry("second"))) } == nil)
    }

    @Test(
        "Other methods than stored and deflate are refused", arguments: [UInt16(1), 6, 9, 12, 14, 93, 95, 99])
    func unknownMethod(_ method: UInt16) throws {
        var builder = two
        builder.entries[0].method = method
        let archive = try open(builder)
        #expect(code { try archive.read(try #require(archive.entry("first"))) } == .unsupported)
    }

    @Test("A ratio that deflate cannot reach is refused before anything is inflated")
    func ratio() throws {
        var builder = ZipBuilder(["bomb": "0"])
        builder.entries[0].length = 1 << 31
        let archive = try open(builder)
        let entry = try #require(archive.entry("bomb"))
        let before = archive.readCalls
        #expect(code { try archive.read(entry) } == .corruptEntry)
        #expect(code { try archive.read(entry, range: 0..<1) } == .corruptEntry)
        #expect(archive.readCalls == before)
    }

    @Test("An honest bomb is read by ranges and refused as a whole")
    func bomb() throws {
        var builder = ZipBuilder()
        builder.entries = [ZipBuilder.Entry("zeros", Data(count: 8 << 20), method: 8)]
        var limits = ZipLimits()
        limits.wholeEntry = 4 << 20
        let archive = try open(builder, limits: limits)
        let entry = try #require(archive.entry("zeros"))
        #expect(code { try archive.read(entry) } == .tooLarge)
        #expect(try archive.read(entry, range: (6 << 20)..<(6 << 20 + 10)) == Data(count: 10))
    }

    @Test(
        "An entry that holds more or fewer bytes than it declares is refused",
        arguments: [UInt64(10), 12, 22, 24], [UInt16(0), 8])
    func wrongLength(_ length: UInt64, _ method: UInt16) throws {
        var builder = ZipBuilder(["a": "content one"], method: method)
        builder.entries[0].length = length
        let archive = try open(builder)
        #expect(code { try archive.read(try #require(archive.entry("a"))) } == .corruptEntry)
    }

    @Test("A large entry that holds more or fewer bytes than it declares is refused", arguments: [-1, 1])
    func wrongLengthOfLarge(_ difference: Int) throws {
        let content = noise(3 << 20)
        var builder = ZipBuilder()
        builder.entries = [ZipBuilder.Entry("a", content, method: 8)]
        builder.entries[0].length = UInt64(content.count + difference)
        let archive = try open(builder)
        let entry = try #require(archive.entry("a"))
        #expect(code { try archive.read(entry) } == .corruptEntry)
        // A range never goes beyond the declared length, and fails if its data are missing.
        let all = code { try archive.read(entry, range: 0..<Int64.max) }
        #expect(all == (difference > 0 ? .corruptEntry : nil))
    }

    @Test("A wrong checksum fails the whole read and no range")
    func wrongChecksum() throws {
        for method: UInt16 in [0, 8] {
            var builder = ZipBuilder(["a": "content one"], method: method)
            builder.entries[0].checksum = 1
            let archive = try open(builder)
            let entry = try #require(archive.entry("a"))
            #expect(try archive.read(entry, range: 0..<7) == Data("content".utf8))
            #expect(code { try archive.read(entry) } == .corruptEntry)
            let reader = archive.reader(entry)
            #expect(try reader.read(range: 0..<7) == Data("content".utf8))
            #expect(code { try reader.read() } == .corruptEntry)
        }
    }

    @Test("Damaged deflate data fail the read")
    func damagedData() throws {
        var builder = ZipBuilder(["a": "content one"])
        builder.entries[0].stored = Data(repeating: 0xFF, count: 12)
        let archive = try open(builder)
        let entry = try #require(archive.entry("a"))
        #expect(code { try archive.read(entry) } == .corruptEntry)
        #expect(code { try archive.read(entry, range: 0..<4) } == .corruptEntry)
    }

    @Test("A missing local header fails the read")
    func missingLocalHeader() throws {
        var data = two.data()
        data[0] = 0
        let archive = try ZipArchive.open(source: DataByteSource(data))
        #expect(code { try archive.read(try #require(archive.entry("first"))) } == .malformed)
    }

    @Test("The path of the entry is in its errors")
    func subject() throws {
        var builder = two
        builder.entries[0].checksum = 0
        let archive = try open(builder)
        let entry = try #require(archive.entry("first"))
        let error = #expect(throws: ArchiveError.self) { try archive.read(entry) }
        #expect(error?.subject == "first")
    }
}
