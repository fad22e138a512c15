import OverlayABI
import OverlayBridge
import OverlayKit
import Testing

@Suite("Values survive the way into a record and back")
struct ConversionTests {
    let arena = Arena()

    @Test("A book with all values and a book without any survive the conversion")
    func books() throws {
        #expect(try Book(Book.complete.record(in: arena)) == .complete)
        #expect(try Book(Book().record(in: arena)) == Book())
    }

    @Test("A scalar counts only if its flag is set")
    func presenceFlags() throws {
        var record = Book.complete.record(in: arena)
        record.flags = OVL_BOOK_HAS_RATING
        let book = try Book(record)
        #expect(book.rating == 4.5)
        #expect(book.seriesIndex == nil && book.dateAdded == nil && book.size == nil && book.coverSize == nil)
        #expect(book.isLocked == nil && book.wordCount == nil && book.progress == nil)
    }

    @Test("Options of listings and uploads survive the conversion")
    func options() throws {
        for options in [
            BooksOptions(), BooksOptions(withCovers: true, volume: .cardB),
            BooksOptions(withAnnotations: true), BooksOptions(wanted: ["A/Emma.epub", "é"], unread: true),
        ] {
            #expect(try BooksOptions(options.record(in: arena)) == options)
        }
        for options in [
            UploadOptions(),
            UploadOptions(
                volume: .cardA, onConflict: .replace, collections: ["Neu", ""], mayLoseMarks: true),
        ] {
            #expect(try UploadOptions(options.record(in: arena)) == options)
        }
    }

    @Test("Settings survive the conversion, with absent lists and empty lists")
    func settings() throws {
        for settings in [
            OverlaySettings(), OverlaySettings(formats: [], settableMetadata: []),
            OverlaySettings(
                formats: ["epub"], settableMetadata: ["title", "cover"],
                missing: [
                    .init(.books, reason: "Zu.", hint: "Auf.", hintKind: .replace),
                    .init(.init(rawValue: "x"), reason: "Nein."),
                ]),
        ] {
            #expect(try OverlaySettings(settings.record(in: arena)) == settings)
        }
    }

    @Test("Upload items and their rows survive the conversion")
    func items() throws {
        let item = UploadItem(file: HostFile(rawValue: 1 << 40), name: "a b.epub", book: .complete)
        #expect(try UploadItem(item.record(in: arena)) == item)
        for row in [
            ItemResult.done(0, .added, path: "p"),
            ItemResult.failed(7, OverlayError(.noSpace, "Full.", hint: "Delete something."), path: "q"),
            ItemResult.failed(3, OverlayError(.needsConsent, "No.", hint: "Use --yes.", hintKind: .consent)),
            .failed(
                8, OverlayError(.deviceIO, "Broke.", domain: .afc, nativeCode: -3, retryable: true),
                path: "r"),
            ItemResult.done(2, .fetched, file: HostFile(rawValue: 5)),
        ] {
            #expect(try ItemResult(row.record(in: arena)) == row)
        }
    }

    @Test("A row that failed with status ok has the status failed")
    func failedRow() {
        let row = ItemResult.failed(
            1, OverlayError(.ok, "Odd.", subject: "a.epub", domain: .sqlite, nativeCode: 11))
        #expect(row.status == .failed)
        #expect(row.message == "Odd. (a.epub)")
        #expect(row.domain == .sqlite && row.nativeCode == 11)
    }

    @Test("A row or edit with a negative index is refused before it crosses")
    func negativeIndex() {
        #expect(throws: OverlayError.self) { try ItemResult.done(-1, .added).record(in: arena) }
        #expect(throws: OverlayError.self) { try BooklistEdit.remove(-1).record(in: arena) }
    }

    @Test("Booklist edits survive the conversion")
    func edits() throws {
        for edit in [BooklistEdit.insert(.complete), .replace(3, Book(path: "x")), .remove(12)] {
            #expect(try BooklistEdit(edit.record(in: arena)) == edit)
        }
        var unknown = try BooklistEdit.remove(1).record(in: arena)
        unknown.kind = 9
        #expect(throws: OverlayError.self) { try BooklistEdit(unknown) }
    }

    @Test("Fingerprints, presences, devices and roots survive the conversion")
    func devices() throws {
        let fingerprint = Fingerprint(
            vendorID: 0x5AC, productID: 0x12AB, deviceRelease: 1, product: "iPad", serial: "u")
        #expect(try Fingerprint(fingerprint.record(in: arena)) == fingerprint)
        for presence in [
            Presence.yes(appVersion: "3.1"), .no(.appMissing, "Gone."),
            .notNow(.appOffline, "Off.", hint: "Start it."),
        ] {
            #expect(try Presence(presence.record(in: arena)) == presence)
        }
        let device = DeviceInfo(
            udid: "u", name: "Ünal’s iPad", model: "iPad2,5", iosVersion: "8.1.3", appVersion: "")
        #expect(try DeviceInfo(device.record(in: arena)) == device)
        let root = RootAccess(root: .container, granted: false, reason: "iOS 9", hint: "Use documents.")
        #expect(try RootAccess(root.record(in: arena)) == root)
    }

    @Test("Files, reads and pushes survive the conversion")
    func files() throws {
        let file = FileInfo(name: "a", kind: .folder, size: .max, modified: -1, created: .max)
        #expect(try FileInfo(file.record(in: arena)) == file)
        let request = ReadRequest("/a", offset: 5, length: 6)
        #expect(try ReadRequest(request.record(in: arena)) == request)
        let item = PushItem(HostFile(rawValue: 3), to: "/b")
        #expect(try PushItem(item.record(in: arena)) == item)
    }

    @Test("A descriptor survives the conversion with its options")
    func descriptor() throws {
        let descriptor = ScriptedOverlay.descriptor
        #expect(try OverlayDescriptor(descriptor.record(in: arena)) == descriptor)
        #expect(descriptor.options[2].fallbackJSON == #""a\"b\\\u0001""#)
        #expect(descriptor.options[3].fallbackJSON == #"["é", ""]"#)
    }

    @Test("Errors survive the conversion, and damaged texts are repaired rather than lost")
    func errors() {
        let error = OverlayError(
            .deviceIO, "It broke.", subject: "/a", hint: "Again.", hintKind: .protect, domain: .afc,
            nativeCode: -4,
            retryable: true)
        #expect(OverlayError(error.record(in: arena)) == error)
        var record = error.record(in: arena)
        let bytes = arena.bytes([0x41, 0xFF])
        bytes.data?.withMemoryRebound(to: CChar.self, capacity: 2) {
            record.message = ovl_text(data: $0, size: 2)
        }
        #expect(OverlayError(record).message == "A\u{FFFD}")
    }

    @Test("A known status has a name, and an unknown one its number")
    func statusNames() {
        #expect(OverlayStatus.stopped.description == "stopped")
        #expect(OverlayStatus.deviceIO.description == "device-io")
        #expect(OverlayStatus.needsConsent.description == "needs-consent")
        #expect(OverlayStatus.changed.description == "changed")
        #expect(OverlayStatus(rawValue: 26).description == "status-26")
        #expect(OverlayStatus(rawValue: -1).description == "status--1")
    }
}
