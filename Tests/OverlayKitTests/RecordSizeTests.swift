import OverlayABI
import OverlayBridge
import OverlayKit
import Testing

@Suite("Records of older and newer writers are read as far as both sides know them")
struct RecordSizeTests {
    /// `count` copies of `records`, in the layout of a writer whose records are `size` bytes long.
    private func list<Record: ABIRecord>(_ records: [Record], size: Int, in arena: Arena) -> ovl_list {
        let stride = (size + 7) / 8 * 8
        let memory = arena.allocate(stride * records.count)
        memory.initializeMemory(as: UInt8.self, repeating: 0xEE, count: stride * records.count)
        for (index, record) in records.enumerated() {
            var record = record
            record.struct_size = UInt32(size)
            withUnsafeBytes(of: record) { bytes in
                (memory + index * stride).copyMemory(
                    from: bytes.baseAddress.unsafelyUnwrapped, byteCount: min(size, bytes.count))
            }
        }
        return ovl_list(items: UnsafeRawPointer(memory), count: UInt64(records.count), stride: UInt64(stride))
    }

    private func books(_ list: ovl_list) throws -> [Book] {
        try list.map(ovl_book.self, "books") { (record) throws(OverlayError) in try Book(record) }
    }

    @Test("The fields an older writer did not know are absent")
    func older() throws {
        let arena = Arena()
        let size = try #require(MemoryLayout<ovl_book>.offset(of: \.title_sort))
        let read = try books(
            list([Book.complete.record(in: arena), Book(path: "p").record(in: arena)], size: size, in: arena))
        #expect(read.map(\.path) == [Book.complete.path, "p"])
        #expect(read[0].title == Book.complete.title)
        #expect(read[0].titleSort == nil)
        #expect(read[0].authors == nil)
        #expect(read[0].coverData == nil)
        withExtendedLifetime(arena) {}
    }

    @Test("The fields a newer writer appended are passed over")
    func newer() throws {
        let arena = Arena()
        let size = MemoryLayout<ovl_book>.size + 24
        let read = try books(
            list([Book.complete.record(in: arena), Book(path: "p").record(in: arena)], size: size, in: arena))
        #expect(read == [.complete, Book(path: "p")])
        withExtendedLifetime(arena) {}
    }

    @Test("A book that ends an upload item is read as far as it was written")
    func nestedBooks() throws {
        let arena = Arena()
        var record = UploadItem(file: HostFile(rawValue: 9), name: "n.epub", book: .complete).record(
            in: arena)
        let bookOffset = try #require(MemoryLayout<ovl_upload_item>.offset(of: \.book))
        let titleSort = try #require(MemoryLayout<ovl_book>.offset(of: \.title_sort))

        record.book.struct_size = UInt32(titleSort)
        let older = try list([record], size: bookOffset + titleSort, in: arena)
            .map(ovl_upload_item.self, "items") { (record) throws(OverlayError) in try UploadItem(record) }
        #expect(older.first?.book.title == Book.complete.title)
        #expect(older.first?.book.titleSort == nil)

        record.book.struct_size = UInt32(MemoryLayout<ovl_book>.size + 16)
        let newer = try list([record], size: MemoryLayout<ovl_upload_item>.size + 16, in: arena)
            .map(ovl_upload_item.self, "items") { (record) throws(OverlayError) in try UploadItem(record) }
        #expect(newer.first?.book == .complete)

        record.book.struct_size = UInt32(MemoryLayout<ovl_book>.size)
        let cut = try list([record], size: bookOffset + titleSort, in: arena)
            .map(ovl_upload_item.self, "items") { (record) throws(OverlayError) in try UploadItem(record) }
        #expect(cut.first?.book.titleSort == nil)

        let without = try list([record], size: bookOffset, in: arena)
            .map(ovl_upload_item.self, "items") { (record) throws(OverlayError) in try UploadItem(record) }
        #expect(without.first?.name == "n.epub")
        #expect(without.first?.book == Book())
        withExtendedLifetime(arena) {}
    }

    @Test("A struct_size, stride or count that is not possible is reported", arguments: [0, 7, 1 << 20])
    func impossibleStructSize(_ size: UInt32) {
        let arena = Arena()
        var record = Book(path: "p").record(in: arena)
        record.struct_size = size
        let error = #expect(throws: OverlayError.self) {
            try withUnsafePointer(to: record) { pointer throws(OverlayError) in
                let stride = UInt64(MemoryLayout<ovl_book>.stride)
                try ovl_list(items: pointer, count: 1, stride: stride).forEach(ovl_book.self, "books") { _ in
                }
            }
        }
        #expect(error?.status == .contractBroken)
        withExtendedLifetime(arena) {}
    }

    @Test("A stride that is not possible is reported", arguments: [0, 4, 12, UInt64.max - 7])
    func impossibleStride(_ stride: UInt64) {
        let arena = Arena()
        let memory = arena.allocate(64)
        // At every possible place there is a record of 8 bytes.
        memory.initializeMemory(as: UInt32.self, repeating: 8, count: 16)
        let list = ovl_list(items: UnsafeRawPointer(memory), count: 2, stride: stride)
        let error = #expect(throws: OverlayError.self) {
            try list.forEach(ovl_pair.self, "pairs") { _ in }
        }
        #expect(error?.status == .contractBroken)
        withExtendedLifetime(arena) {}
    }
}
