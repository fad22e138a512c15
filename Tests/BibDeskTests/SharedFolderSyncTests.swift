import OverlayKitTesting
import OverlayKit
import Testing

@testable import BibDesk

@Suite("BibDesk is synced through its shared folder alone")
struct SharedFolderSyncTests {
    private let device: ReferenceDevice

    init() throws {
        device = ReferenceDevice(.documents)
        device.device.appID = "com.example.reader"
        device.roots = [
            RootAccess(root: .container, granted: false, reason: "It is not signed for development."),
            RootAccess(root: .documents, granted: true),
        ]
        device.source.put(
            "refs.bib", Array("@misc{k,\n\ttitle = {T},\n\tbdsk-file-1 = {k.pdf}}\n".utf8))
        device.source.put("k.pdf", Array("first".utf8))
    }

    private func sync(deletes: Bool = false) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try device.overlay().syncSource(
            SourceSyncOptions(deletes: deletes), plan: { _ in }, report: { rows.append($0) })
        return rows
    }

    private func text(_ path: String) -> String? {
        device.files[path].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("A paper that the app saves while another version is copied is not overwritten")
    func savedMeanwhile() throws {
        #expect(try sync().allSatisfy { $0.outcome != .failed })
        #expect(text("/Documents/k.pdf") == "first")
        device.source.put("k.pdf", Array("second".utf8))
        var isSaved = false
        device.before = { [unowned device] operation, _ in
            guard operation == "push", !isSaved else { return }
            isSaved = true
            device.add(Array("with notes".utf8), at: "/Documents/k.pdf")
        }
        let rows = try sync()
        #expect(isSaved && rows.map(\.status) == [.changed])
        #expect(text("/Documents/k.pdf") == "with notes")
    }

    @Test("The share of entries that a sync may delete is a setting")
    func deleteShare() throws {
        let rest = "@misc{b,\n\ttitle = {B}}\n@misc{c,\n\ttitle = {C}}\n"
        device.source.put("refs.bib", Array(("@misc{a,\n\ttitle = {A}}\n" + rest).utf8))
        _ = try sync()
        device.source.put("refs.bib", Array(rest.utf8))
        let error = #expect(throws: OverlayError.self) { try sync(deletes: true) }
        #expect(error?.status == .needsConsent)
        device.integers[BibDeskSettings.Key.deleteShare] = 40
        #expect(try sync(deletes: true).contains { $0.outcome == .deleted })
        #expect(text("/Documents/refs.bib") == rest)
    }

    @Test("Nothing unfinished stays in the folder that people see")
    func tidy() throws {
        _ = try sync()
        #expect(!device.files.keys.contains { $0.contains("overlayhost-unfinished") })
        #expect(!device.folders.contains { $0.contains("overlayhost-unfinished") })
        #expect(device.operations.contains { $0.hasPrefix("rename /Documents/.overlayhost-unfinished/") })
    }
}
