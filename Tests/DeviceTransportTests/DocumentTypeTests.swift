import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("The types that an app opens are read from its declarations")
struct DocumentTypeTests {
    private func extensions(_ attributes: [String: DeviceValue]) -> [String] {
        InstalledApp(bundleID: "com.example.reader", attributes: attributes).documentExtensions
    }

    private func types(_ identifiers: String...) -> DeviceValue {
        .array(identifiers.map { .dictionary(["LSItemContentTypes": .array([.string($0)])]) })
    }

    private func declaration(_ type: String, _ tag: DeviceValue) -> DeviceValue {
        .array([
            .dictionary([
                "UTTypeIdentifier": .string(type),
                "UTTypeTagSpecification": .dictionary(["public.filename-extension": tag]),
            ])
        ])
    }

    @Test("An app's document types come over the wire, in the app's order, each extension once")
    func device() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = [
            SimulatedApp(
                bundleID: "com.example.reader", name: "Reader",
                documentTypes: [
                    .init(["com.adobe.pdf"]),
                    .init(["org.idpf.epub-container"], extensions: ["EPUB", "pdf"]),
                    .init(["com.example.book"], declaration: .exported, declaredExtensions: ["xbk", "xb2"]),
                    .init(["org.other.comic"], declaration: .imported, declaredExtensions: ["cbz"]),
                    .init(["public.data"], extensions: ["*"]),
                ]),
            SimulatedApp(bundleID: "com.example.plain", name: "Plain"),
        ]
        try withSimulatedDevice(settings) { device in
            let session = try DeviceSession(DeviceCatalog().device(matching: device.settings.udid))
            defer { session.close() }
            let apps = try session.apps(bundleIDs: ["com.example.reader", "com.example.plain"])
            #expect(
                apps["com.example.reader"]?.documentExtensions
                    == ["pdf", "epub", "xbk", "xb2", "cbz"])
            #expect(apps["com.example.plain"]?.documentExtensions == [])
            #expect(
                try session.roots(for: "com.example.reader").app?.documentExtensions.count == 5)
            // It would make the list of all apps long.
            let listed = try session.apps()
            #expect(listed.count == 2)
            #expect(listed.allSatisfy { $0.attributes["CFBundleDocumentTypes"] == nil })
        }
    }

    @Test(
        "Types that iOS knows stand for their extensions",
        arguments: [
            ("org.idpf.epub-container", ["epub"]), ("com.adobe.pdf", ["pdf"]), ("public.plain-text", ["txt"]),
            ("public.html", ["html", "htm"]), ("com.amazon.mobi", ["mobi"]),
            ("ORG.IDPF.EPUB-CONTAINER", ["epub"]),
            ("public.data", []), ("public.item", []), ("com.example.unknown", []),
        ])
    func known(_ type: String, _ expected: [String]) {
        #expect(extensions(["CFBundleDocumentTypes": types(type)]) == expected)
    }

    @Test("A tag may be a text or a list, and a declaration does not change what iOS knows")
    func tags() {
        #expect(
            extensions([
                "CFBundleDocumentTypes": types("a.b"),
                "UTExportedTypeDeclarations": declaration("a.b", .string("one")),
            ]) == ["one"])
        #expect(
            extensions([
                "CFBundleDocumentTypes": types("com.adobe.pdf"),
                "UTImportedTypeDeclarations": declaration("com.adobe.pdf", .array([.string("exe")])),
            ]) == ["pdf"])
    }

    @Test("Values that are not a list, not an extension or too long are left out")
    func hostile() {
        #expect(extensions([:]) == [])
        #expect(extensions(["CFBundleDocumentTypes": .string("epub")]) == [])
        let many = (0..<2000).map { DeviceValue.string("e\($0)") }
        #expect(
            extensions([
                "CFBundleDocumentTypes": .array([.dictionary(["CFBundleTypeExtensions": .array(many)])])
            ]).count == DocumentTypes.most)
        let strange = ["", "a b", "../x", "a.b", "ü", String(repeating: "x", count: 17), "*", "ok"]
        #expect(
            extensions([
                "CFBundleDocumentTypes": .array([
                    .integer(3), .dictionary(["CFBundleTypeExtensions": .array(strange.map { .string($0) })]),
                    .dictionary(["CFBundleTypeExtensions": .integer(1)]),
                ]), "UTExportedTypeDeclarations": .array([.bool(true), .dictionary([:])]),
            ]) == ["ok"])
    }
}
