import DeviceTransport
import JSON
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("An overlay for any app with file sharing serves those apps that have no overlay of their own")
struct AnyAppChoiceTests {
    private static let marvin = OverlayDescription(
        id: "marvin", name: "Marvin", version: "1.0.0", appName: "Marvin", appIDs: ["com.appstafarian.Marvin"]
    )
    private static let documents = OverlayDescription(
        id: "documents", name: "Documents", version: "1.0.0", appName: "Documents", appIDs: [],
        traits: .anyFileSharingApp)

    private func app(_ bundleID: String, _ name: String, shares: Bool = true) -> AppChoiceFacts.InstalledApp {
        .init(bundleID: bundleID, name: name, sharesFiles: shares)
    }

    private var reader: AppChoiceFacts.InstalledApp { app("org.reader", "Good Reader") }
    private var player: AppChoiceFacts.InstalledApp { app("org.player", "Player") }
    private var closed: AppChoiceFacts.InstalledApp { app("org.closed", "Closed", shares: false) }
    private var own: AppChoiceFacts.InstalledApp { app("com.appstafarian.Marvin", "Marvin") }

    private func choose(
        _ requested: String? = nil, preferred: String? = nil,
        overlays: [OverlayDescription] = [documents, marvin], on installed: AppChoiceFacts.InstalledApp...
    ) throws(HostError) -> AppChoice {
        try AppChoice.choose(
            AppChoiceFacts(
                requested: requested, preferred: preferred, overlays: overlays, installed: installed))
    }

    @Test("The other apps on the device are known, without those of iOS, and by a name that chooses them")
    func others() throws {
        let books = OverlayDescription(
            id: "ibooks", name: "Books", version: "1.0.0", appName: "Books", appIDs: ["com.apple.iBooks"])
        let kindle = OverlayDescription(
            id: "kindle", name: "Kindle", version: "1.0.0", appName: "Kindle", appIDs: ["org.kindle"],
            formats: ["mobi", "pdf"])
        let copies = [app("org.one", "Copy"), app("org.two", "Copy"), app("org.marvin", "Marvin")]
        let facts = AppChoiceFacts(
            overlays: [Self.documents, Self.marvin, books, kindle],
            installed: [
                own, reader, closed, app("org.kindle", "Kindle"),
                app("com.apple.iBooks", "Books", shares: false),
            ] + copies)
        var marvin = facts
        marvin.requested = "com.appstafarian.Marvin"
        #expect(
            try AppChoice.choose(marvin).others(facts) == [
                OtherApp(name: "Kindle", argument: "Kindle", formats: ["mobi", "pdf"]),
                OtherApp(name: "Copy", argument: "org.one", formats: []),
                OtherApp(name: "Copy", argument: "org.two", formats: []),
                OtherApp(name: "Good Reader", argument: "Good Reader", formats: []),
                OtherApp(name: "Marvin", argument: "org.marvin", formats: []),
            ])
    }

    @Test("The only app that shares its files is chosen, if no app has its own overlay")
    func only() throws {
        let choice = try choose(on: closed, reader)
        #expect(choice.overlay == .discovered(id: "documents"))
        #expect(choice.bundleIDs == ["org.reader"])
        #expect(choice.appName == "Good Reader")
        #expect(choice.reason == .onlyServedApp)
    }

    @Test("An app with its own overlay goes before all others, wherever its overlay stands")
    func dedicated() throws {
        for overlays in [[Self.documents, Self.marvin], [Self.marvin, Self.documents]] {
            #expect(
                try choose(overlays: overlays, on: reader, own, player).overlay == .discovered(id: "marvin"))
        }
    }

    @Test("An app that another overlay names is served by that overlay, also by name")
    func named() throws {
        #expect(try choose("Marvin", on: own, reader).overlay == .discovered(id: "marvin"))
        #expect(try choose("com.appstafarian.Marvin", on: own).overlay == .discovered(id: "marvin"))
        #expect(
            AnyAppOverlay([Self.documents, Self.marvin])?.apps([own, reader, closed]).map(\.bundleIDs) == [
                ["org.reader"]
            ])
        #expect(AnyAppOverlay([Self.marvin]) == nil)
    }

    @Test(
        "An app is named by its name on the home screen or its bundle id, by option and by preference",
        arguments: ["good reader", "ORG.READER", "Good Reader"])
    func byName(_ name: String) throws {
        #expect(try choose(name, on: reader, player, own).bundleIDs == ["org.reader"])
        let preferred = try choose(preferred: name, on: reader, player, own)
        #expect(preferred.bundleIDs == ["org.reader"])
        #expect(preferred.reason == .preference)
    }

    @Test("The overlay's own name means the only app it serves, and none of several")
    func byOverlay() throws {
        #expect(try choose("documents", on: reader, own).bundleIDs == ["org.reader"])
        let error = hostError { () throws(HostError) in _ = try choose("documents", on: reader, player) }
        #expect(error?.code == .appNotChosen)
        #expect(error?.message.contains("Good Reader, Player") == true)
    }

    @Test("If several apps have overlays of their own, the hint also names apps without one")
    func furtherNames() throws {
        let nova = OverlayDescription(
            id: "nova", name: "Nova", version: "1.0.0", appName: "Nova", appIDs: ["org.nova"])
        let error = hostError { () throws(HostError) in
            _ = try choose(
                overlays: [Self.documents, Self.marvin, nova], on: own, app("org.nova", "Nova"), reader)
        }
        #expect(error?.message == "The device has several supported reader apps: Marvin, Nova.")
        #expect(error?.hint?.hasSuffix("NAME can also be: Good Reader.") == true)
    }

    @Test("Several apps must be chosen from, and a long list of them is shortened")
    func several() throws {
        let error = hostError { () throws(HostError) in _ = try choose(on: player, reader) }
        #expect(error?.code == .appNotChosen)
        #expect(error?.message == "The device has several supported reader apps: Good Reader, Player.")
        let many = (10..<40).map { app("org.a\($0)", "App \($0)") }
        let long = hostError { () throws(HostError) in
            _ = try AppChoice.choose(AppChoiceFacts(overlays: [Self.documents], installed: many))
        }
        #expect(long?.message.contains("App 19, and 20 more") == true)
        #expect(long?.message.contains("App 20") == false)
    }

    @Test("Two apps of one name are distinguished by their ids")
    func sameName() throws {
        let error = hostError { () throws(HostError) in
            _ = try choose("Player", on: player, app("org.player2", "Player"))
        }
        #expect(error?.code == .appNotChosen)
        #expect(error?.hint?.contains("org.player, org.player2") == true)
    }

    @Test("An app that does not share its files is refused with that reason")
    func closedApp() throws {
        let error = hostError { () throws(HostError) in _ = try choose("Closed", on: closed, reader) }
        #expect(error?.code == .noOverlay)
        #expect(error?.message.contains("does not share its files") == true)
        let none = hostError { () throws(HostError) in _ = try choose(on: closed) }
        #expect(none?.code == .appNotInstalled)
        #expect(none?.message.contains("none shares its files") == true)
    }

    @Test(
        "A name that is misspelt leads to the app on the device that is meant, whether it can be served or not",
        arguments: [("Good Raeder", "Good Reader"), ("closd", "Closed"), ("Marvn", "Marvin")])
    func misspelt(wanted: String, meant: String) throws {
        let error = hostError { () throws(HostError) in
            _ = try choose(preferred: wanted, on: closed, reader, own)
        }
        #expect(error?.code == .noOverlay)
        #expect(error?.message == "No reader app has the name that is set in preferred_reader_app.")
        #expect(error?.hint?.hasPrefix("Did you mean \(meant)?") == true)
        #expect(error?.hint?.contains("Supported apps on this device: Marvin, Good Reader.") == true)
        #expect(error?.hint?.contains("prefs set preferred_reader_app NAME") == true)
    }

    @Test("The preference may name any app once there is such an overlay")
    func preference() throws {
        let plain = PreferenceSchema.builtIn.merging(Self.marvin)
        let any = plain.merging(Self.documents).merging(Self.marvin)
        #expect(plain["preferred_reader_app"]?.acceptsNew(.string("Good Reader")) == false)
        #expect(any["preferred_reader_app"]?.acceptsNew(.string("Good Reader")) == true)
        let remarks = any["preferred_reader_app"]?.remarks(on: .string("Marvn"))
        #expect(remarks?.first?.hasPrefix("No overlay is made for an app named 'Marvn'.") == true)
        for name in ["", "Marvin", "org.example.nosuch", "Paperback"] {
            #expect(any["preferred_reader_app"]?.remarks(on: .string(name)) == [])
        }
    }

    @Test("The device is asked for all its apps only where that can help")
    func asked() throws {
        let environment = try FakeEnvironment()
        environment.fake.descriptor.appIDs = []
        environment.fake.descriptor.traits = .anyFileSharingApp
        func installed(_ id: String, _ name: String) -> InstalledApp {
            InstalledApp(
                bundleID: id,
                attributes: ["CFBundleDisplayName": .string(name), "UIFileSharingEnabled": .bool(true)])
        }
        environment.device.set(apps: [
            installed("org.reader", "Good Reader"), installed("org.player", "Player"),
        ])
        var request = try environment.request()
        let context = OperationContext()
        #expect(
            hostError { () throws(HostError) in
                _ = try ReaderTarget.choose(request, on: environment.device, context)
            }?.code == .appNotChosen)
        request.app = "player"
        #expect(
            try ReaderTarget.choose(request, on: environment.device, context).bundleIDs == ["org.player"])
        request.app = nil
        environment.device.set(apps: [installed("org.reader", "Good Reader")])
        let choice = try ReaderTarget.choose(request, on: environment.device, context)
        #expect(choice.bundleIDs == ["org.reader"])
        #expect(try ReaderTarget.app(choice, on: environment.device, context).0.name == "Good Reader")
    }

    @Test("The survey names the overlay of each app, those with one of their own first")
    func survey() throws {
        let device = FakeDevice()
        func installed(_ id: String, _ name: String, shares: Bool = true) -> InstalledApp {
            InstalledApp(
                bundleID: id,
                attributes: ["CFBundleDisplayName": .string(name), "UIFileSharingEnabled": .bool(shares)])
        }
        device.set(apps: [
            installed("org.player", "Player"), installed("org.closed", "Closed", shares: false),
            installed("org.reader", "good reader"), installed("com.appstafarian.Marvin", "Marvin"),
        ])
        let survey = try ReaderAppSurvey.run(
            on: device, try device.information(OperationContext()), overlays: [Self.documents, Self.marvin],
            OperationContext())
        #expect(
            survey.apps.map { [$0.name, $0.overlay] } == [
                ["Marvin", "marvin"], ["good reader", "documents"], ["Player", "documents"],
            ])
    }
}
