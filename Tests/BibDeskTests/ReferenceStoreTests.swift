import OverlayKitTesting
import OverlayKit
import Testing

@testable import BibDesk

@Suite("The folders on the device tell the generation of the app")
struct ReferenceStoreTests {
    @Test("Each generation is known by its folders, the newest first")
    func generations() throws {
        for (layout, expected) in [
            (ReferenceStore.Layout.linkedFiles, ReferenceStore.Layout.linkedFiles), (.flat, .flat),
            (.documents, .documents),
        ] {
            let device = ReferenceDevice(layout)
            device.library("@misc{a, title = {A}}")
            let store = try ReferenceStore.find(device.services())
            #expect(store.layout == expected)
            #expect(store.root == .container)
            #expect(store.isBibDesk)
        }
    }

    @Test("A new app counts as the latest generation, with empty folders or without any")
    func newApp() throws {
        let new = ReferenceDevice()
        #expect(try ReferenceStore.find(new.services()).layout == .linkedFiles)
        let unopened = ReferenceDevice(.documents)
        #expect(try ReferenceStore.find(unopened.services()).layout == .linkedFiles)
    }

    @Test("Any app with file sharing keeps libraries below its shared folder, with links as they are")
    func otherApp() throws {
        let device = ReferenceDevice(.documents)
        device.device.appID = "org.example.references"
        device.roots = [
            RootAccess(root: .container, granted: false), RootAccess(root: .documents, granted: true),
        ]
        device.library("@misc{a, file = {:x.pdf:PDF}}", named: "Work/refs.bib")
        device.paper("Work/x.pdf")
        #expect(try device.books().map(\.path) == ["Work/x.pdf"])
        let store = try ReferenceStore.find(device.services())
        #expect(store.root == .documents && !store.isBibDesk)
    }

    @Test("If iOS opens neither the container nor the shared folder, the reason says what would help")
    func refused() throws {
        let device = ReferenceDevice()
        device.device.iosVersion = "18.6"
        device.roots = [
            RootAccess(root: .container, granted: false, reason: "InstallationLookupFailed."),
            RootAccess(root: .documents, granted: false),
        ]
        let presence = try device.overlay().canHandle(Fingerprint())
        #expect(presence.answer == .no && presence.reason == .accessRefused)
        #expect(presence.message?.contains("iOS 18.6 does not open the files of BibDesk") == true)
        #expect(presence.message?.contains("signed for development") == true)
        #expect(presence.hint?.contains("your own developer identity") == true)
        #expect(presence.hint?.contains("InstallationLookupFailed") == true)
    }

    @Test("Without the app's settings a paper is found by the end of its path, if only one fits")
    func noSettings() throws {
        let device = ReferenceDevice(dropboxFolder: nil)
        device.library(
            """
            @misc{one, bdsk-file-1 = {\(link("PDFs/x.pdf"))}}
            @misc{two, bdsk-file-1 = {\(link("y.pdf"))}}
            """)
        device.paper("Papers/PDFs/x.pdf")
        device.paper("A/y.pdf")
        device.paper("B/y.pdf")
        let books = try device.books()
        #expect(books.map(\.path) == ["Papers/PDFs/x.pdf", "References.bib#two"])
    }
}
