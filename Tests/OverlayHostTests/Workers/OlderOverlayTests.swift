import OverlayTestSupport
import Foundation
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost
@testable import OverlayLoading

@Suite("An overlay that was built with minor version 1 works as before")
struct OlderOverlayTests {
    /// Lists a book, and inserts it. The bytes after each record are invalid and must not be read.
    private static let source = #"""
        #include <string.h>
        #include "overlay_abi.h"

        #define VIEW(text) {text, sizeof text - 1}
        _Static_assert(OVL_ABI_MINOR == 1u, "minor version");
        _Static_assert(sizeof(ovl_book) == 288, "ovl_book of minor version 1");
        _Static_assert(sizeof(ovl_booklist_edit) == 344, "ovl_booklist_edit of minor version 1");
        _Static_assert(sizeof(ovl_methods) == 136, "ovl_methods of minor version 1");
        _Static_assert(sizeof(ovl_device) == 120, "ovl_device of minor version 1");
        _Static_assert(sizeof(ovl_descriptor) == 200, "ovl_descriptor of minor version 1");

        struct ovl_instance { int unused; };
        static struct ovl_instance only;

        static ovl_book book(void) {
            ovl_book book = {.struct_size = sizeof book, .flags = OVL_BOOK_HAS_SIZE, .path = VIEW("old.epub"),
                             .title = VIEW("Older"), .size = 12};
            return book;
        }

        static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                                const ovl_error_sink *error) {
            (void)instance, (void)options, (void)error;
            struct { ovl_book book; unsigned char beyond[96]; } place;
            memset(&place, 0xEE, sizeof place);
            place.book = book();
            return sink->put(sink->ctx, &place.book);
        }

        static ovl_status add(ovl_instance *instance, const ovl_list *added, const ovl_list *snapshot,
                              const ovl_edit_sink *sink, const ovl_error_sink *error) {
            (void)instance, (void)added, (void)snapshot, (void)error;
            struct { ovl_booklist_edit edit; unsigned char beyond[96]; } place;
            memset(&place, 0xEE, sizeof place);
            memset(&place.edit, 0, sizeof place.edit);
            place.edit.struct_size = sizeof place.edit;
            place.edit.kind = OVL_EDIT_INSERT;
            place.edit.book = book();
            return sink->put(sink->ctx, &place.edit);
        }

        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            (void)host, (void)error;
            *instance = &only;
            return OVL_OK;
        }
        static void destroy(ovl_instance *instance) { (void)instance; }

        static const ovl_text app_ids[] = {VIEW("org.example.older")};
        static const ovl_descriptor descriptor = {
            .struct_size = sizeof descriptor, .id = VIEW("older"), .name = VIEW("Older"), .version = VIEW("1.0.0"),
            .app_name = VIEW("Older"), .app_ids = {app_ids, 1}};
        static const struct { ovl_methods methods; void *beyond[8]; } table = {
            {.struct_size = sizeof(ovl_methods), .books = books, .add_books_to_metadata = add},
            {(void *)1, (void *)1, (void *)1, (void *)1, (void *)1, (void *)1, (void *)1, (void *)1}};
        static const ovl_entry entry = {
            .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
            .descriptor = &descriptor, .methods = &table.methods, .create = create, .destroy = destroy};
        const ovl_entry *ovl_entry_v1(void) { return &entry; }
        """#

    private static var headers: URL {
        URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Sources/OverlayABI/include")
            .standardized
    }

    /// Writes the old headers, without the fields that minor version 2 appended.
    private func writeOlderHeaders(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in try FileManager.default.contentsOfDirectory(
            at: Self.headers, includingPropertiesForKeys: nil)
        where file.pathExtension == "h" {
            var text = try String(contentsOf: file, encoding: .utf8)
            text = text.replacing(#/#define OVL_ABI_MINOR [0-9]+u/#, with: "#define OVL_ABI_MINOR 1u")
            for record in ["ovl_book", "ovl_device", "ovl_methods", "ovl_descriptor"] {
                guard let end = text.range(of: "\n} \(record);") else { continue }
                let head = text[..<end.lowerBound]
                let start = try #require(head.range(of: "typedef struct \(record) {", options: .backwards))
                let body = text[start.upperBound..<end.lowerBound]
                let note = try #require(
                    body.firstMatch(
                        of: #/Since\s+(?:\*\s+)?minor version [23], like all (?:fields|functions) below/#))
                let comment = try #require(
                    text[..<note.range.lowerBound].range(of: "/**", options: .backwards))
                text.removeSubrange(comment.lowerBound..<end.lowerBound)
            }
            try text.write(
                to: folder.appendingPathComponent(file.lastPathComponent), atomically: true, encoding: .utf8)
        }
    }

    @Test("An older overlay's books and edits are taken, without the fields they lack")
    func older() throws {
        let folder = try FixtureOverlay.privateFolder()
        try writeOlderHeaders(to: folder.url.appendingPathComponent("include"))
        let (code, library) = (folder.path("older.c"), folder.path("older.so"))
        try Self.source.write(toFile: code, atomically: true, encoding: .utf8)
        let result = try runProgram(
            "cc",
            [
                "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-I", folder.path("include"), "-o",
                library,
                code,
            ])
        try #require(result.status == 0, "\(result.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library)

        let paths = HostPaths(
            environment: ["HOME": folder.path, "TMPDIR": folder.path], executable: nil)
        let overlay = try OverlayDiscovery(paths: paths).load(library)
        #expect(overlay.abiMinor == 1)
        #expect(overlay.implementedMethods == ["books", "add_books_to_metadata"])

        let environment = try FakeEnvironment()
        let instance = try environment.instance(of: overlay)
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        var book = BookRecord(path: "old.epub")
        book.title = "Older"
        book.size = 12
        #expect(Array(try instance.books(withAnnotations: true)) == [book])
        #expect(try instance.addBooksToMetadata([], snapshot: []) == [.insert(book.book)])
        #expect(try instance.settings() == AppAbilities(overlay.descriptor))
        instance.destroy()
    }

    @Test(
        "A record of minor version 1 or 3 is taken, and one that is a byte shorter than the first is refused")
    func sizes() throws {
        let memory = Arena()
        var full = BookRecord(path: "/a")
        full.isLocked = true
        full.wordCount = 5
        full.progress = 0.5
        full.contentID = "0b5c1d34-8a55-8f3e-9c41-2f7a6d1e0c98"
        for (size, isFine) in [(288, true), (287, false), (336, true), (352, true)] {
            var record = memory.book(full)
            record.struct_size = UInt32(size)
            // An older writer does not set flags that it does not know.
            if size < 336 { record.flags = 0 }
            do {
                let read = try withUnsafePointer(to: record) { try ovl_book.read($0) }
                #expect(isFine)
                #expect(read.word_count == (size >= 336 ? 5 : 0))
                #expect(read.locked == (size >= 336 ? 1 : 0))
                #expect((read.content_id.data != nil) == (size == 352))
            } catch {
                #expect(!isFine)
            }
        }
        withExtendedLifetime(memory) {}
    }
}
