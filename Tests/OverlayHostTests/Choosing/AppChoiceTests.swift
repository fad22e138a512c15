import JSON
import Testing

@testable import OverlayHost
@testable import OverlayLoading

@Suite("The reader app is chosen by option, preference, or because it is the only one")
struct AppChoiceTests {
    private static let marvin = OverlayDescription(
        id: "marvin", name: "Marvin", version: "1.0.0", appName: "Marvin",
        appIDs: ["com.appstafarian.MarvinIP", "com.appstafarian.MarvinIP-free", "com.appstafarian.Marvin"])
    private static let goodReader = OverlayDescription(
        id: "goodreader", name: "GoodReader", version: "1.0.0", appName: "GoodReader",
        appIDs: ["com.goodiware.GoodReaderIPad", "com.goodiware.GoodReader", "com.goodiware.goodreader4"])
    private static let nova = OverlayDescription(
        id: "nova", name: "Nova", version: "1.0.0", appName: "Nova Reader", appIDs: ["org.nova"])

    private func app(_ bundleID: String, _ name: String? = nil) -> AppChoiceFacts.InstalledApp {
        .init(bundleID: bundleID, name: name ?? bundleID)
    }

    private var full: [AppChoiceFacts.InstalledApp] {
        [
            app("com.appstafarian.Marvin", "Marvin"), app("com.appstafarian.MarvinIP", "Marvin 3"),
            app("com.goodiware.goodreader4", "GoodReader"), app("com.apple.iBooks", "Books"),
            app("org.other", "Other"),
        ]
    }

    private func choose(
        _ requested: String? = nil, preferred: String? = nil,
        development: AppChoiceFacts.Development = .init(),
        overlays: [OverlayDescription] = [marvin, goodReader],
        installed: [AppChoiceFacts.InstalledApp]?
    ) throws(HostError) -> AppChoice {
        try AppChoice.choose(
            AppChoiceFacts(
                requested: requested, preferred: preferred, development: development, overlays: overlays,
                installed: installed))
    }

    @Test("--app takes precedence over the preference, and the preference over the installed apps")
    func precedence() throws {
        let option = try choose("GoodReader 4", preferred: "Marvin", installed: full)
        #expect(option.overlay == .discovered(id: "goodreader"))
        #expect(option.reason == .option)
        let preference = try choose(preferred: "Marvin", installed: full)
        #expect(preference.overlay == .discovered(id: "marvin"))
        #expect(preference.reason == .preference)
        let only = try choose(preferred: "", installed: [app("com.appstafarian.Marvin"), app("org.other")])
        #expect(only.reason == .onlyServedApp)
        #expect(only.appName == "Marvin")
    }

    @Test("An app that is part of iOS is chosen automatically only if there is no other app")
    func partOfIOS() throws {
        let books = OverlayDescription(
            id: "ibooks", name: "Books", version: "1.0.0", appName: "Books", appIDs: ["com.apple.iBooks"])
        let overlays = [books, Self.marvin]
        #expect(try choose(overlays: overlays, installed: full).appName == "Marvin")
        for name in ["Books", "books", "iBooks"] {
            #expect(
                try choose(name, overlays: overlays, installed: full + [app("com.apple.iBooks")]).appName
                    == "Books")
        }
        let alone = [app("com.apple.iBooks", "Books"), app("org.other")]
        #expect(try choose(overlays: overlays, installed: alone).overlay == .discovered(id: "ibooks"))
        #expect(
            try choose("iBooks", overlays: overlays, installed: full).overlay == .discovered(id: "ibooks"))
        #expect(try choose(preferred: "ibooks", overlays: overlays, installed: full).appName == "Books")
    }

    @Test(
        "A named app, or a single overlay, decides on the overlay before the device has listed its apps"
    )
    func certain() {
        func certain(
            _ requested: String? = nil, _ preferred: String? = nil,
            _ overlays: [OverlayDescription] = [Self.marvin, Self.goodReader],
            _ development: AppChoiceFacts.Development = .init()
        ) -> AppChoice.Source? {
            AppChoice.certainOverlay(
                AppChoiceFacts(
                    requested: requested, preferred: preferred, development: development, overlays: overlays,
                    installed: []))
        }
        #expect(certain("GoodReader 4", "Marvin") == .discovered(id: "goodreader"))
        #expect(certain("com.appstafarian.marvin") == .discovered(id: "marvin"))
        #expect(certain("", "marvin") == .discovered(id: "marvin"))
        #expect(certain(nil, nil, [Self.marvin]) == .discovered(id: "marvin"))
        // The device decides, or a name that is only on its home screen.
        #expect(certain() == nil)
        #expect(certain("My reader", "Marvin") == nil)
        #expect(certain("Nova Reader") == nil)
        let nova = AppChoiceFacts.Development(isOn: true, appID: "org.nova", overlay: "/nova.so")
        #expect(certain(nil, "Marvin", [Self.marvin], nova) == .development(file: "/nova.so"))
        #expect(certain("org.nova", nil, [Self.marvin], nova) == .development(file: "/nova.so"))
        // An app may have that name on the home screen.
        #expect(certain("Marvin", nil, [Self.marvin], nova) == nil)
        let half = AppChoiceFacts.Development(isOn: true, appID: "org.nova")
        #expect(certain("Marvin", nil, [Self.marvin], half) == .discovered(id: "marvin"))
    }

    @Test("Bundle ids come in the overlay's order of preference, only those on the device")
    func order() throws {
        #expect(
            try choose("marvin", installed: full).bundleIDs == [
                "com.appstafarian.MarvinIP", "com.appstafarian.Marvin",
            ])
        #expect(try choose("Marvin", installed: nil).bundleIDs == Self.marvin.appIDs)
    }

    @Test(
        "An app is named by its name, a bundle id, or its name on the home screen",
        arguments: [
            ("MARVIN", ["com.appstafarian.MarvinIP", "com.appstafarian.Marvin"]),
            ("com.appstafarian.Marvin", ["com.appstafarian.Marvin"]),
            ("COM.APPSTAFARIAN.MARVIN", ["com.appstafarian.Marvin"]),
            ("Marvin 3", ["com.appstafarian.MarvinIP"]), ("GoodReader 4", ["com.goodiware.goodreader4"]),
        ])
    func names(name: String, bundleIDs: [String]) throws {
        #expect(try choose(name, installed: full).bundleIDs == bundleIDs)
    }

    @Test("Several bundle ids of one app are one app")
    func family() throws {
        let installed = [app("com.appstafarian.Marvin"), app("com.appstafarian.MarvinIP-free")]
        #expect(
            try choose(installed: installed).bundleIDs == [
                "com.appstafarian.MarvinIP-free", "com.appstafarian.Marvin",
            ])
    }

    @Test("Several served apps are an error that lists them and says how to choose")
    func ambiguous() throws {
        let error = #expect(throws: HostError.self) { try choose(installed: full) }
        #expect(error?.code == .appNotChosen)
        #expect(error?.exitStatus.rawValue == 69)
        #expect(error?.message == "The device has several supported reader apps: Marvin, GoodReader 4.")
        #expect(error?.hint?.contains("--app NAME") == true)
        #expect(error?.hint?.contains("prefs set preferred_reader_app") == true)
    }

    @Test("A choice that is not possible gives the reason and the alternatives")
    func unmet() throws {
        let missing = #expect(throws: HostError.self) {
            try choose("Nova Reader", overlays: [Self.marvin, Self.nova], installed: full)
        }
        #expect(missing?.code == .appNotInstalled)
        #expect(missing?.subject == "Nova Reader")
        #expect(missing?.hint == "Supported apps on this device: Marvin.")
        let unserved = #expect(throws: HostError.self) { try choose("iBooks", installed: full) }
        #expect(unserved?.code == .noOverlay)
        #expect(unserved?.subject == "Books")
        #expect(unserved?.hint?.contains("overlayhost overlays") == true)
        #expect(#expect(throws: HostError.self) { try choose("Kindle", installed: full) }?.code == .noOverlay)
        let other = #expect(throws: HostError.self) { try choose("org.other", installed: full) }
        #expect(other?.message == "No usable overlay serves this app.")
        let unknown = #expect(throws: HostError.self) { try choose("Marvim", installed: full) }
        #expect(unknown?.message == "No reader app has that name.")
        #expect(unknown?.hint?.hasPrefix("Did you mean Marvin?") == true)
    }

    @Test("A preferred app that is not possible says how to change the preference")
    func unmetPreference() throws {
        let error = #expect(throws: HostError.self) { try choose(preferred: "Kindle", installed: full) }
        #expect(error?.hint?.contains("overlayhost prefs set preferred_reader_app NAME") == true)
    }

    @Test("Without an overlay or an app that one serves, there is nothing to choose from")
    func nothing() throws {
        #expect(
            #expect(throws: HostError.self) { try choose(overlays: [], installed: full) }?.code == .noOverlay)
        let error = #expect(throws: HostError.self) { try choose(installed: [app("org.other")]) }
        #expect(error?.code == .appNotInstalled)
        #expect(error?.hint?.contains("Marvin, GoodReader, GoodReader 4") == true)
    }

    @Test("An unknown name says whether it is from the preference")
    func unknownPreference() {
        let error = #expect(throws: HostError.self) { try choose(preferred: "Marvim", installed: full) }
        #expect(error?.message == "No reader app has the name that is set in preferred_reader_app.")
        #expect(error?.subject == "Marvim" && error?.hint?.hasPrefix("Did you mean Marvin?") == true)
    }

    @Test("The first of two overlays for one app is used, and a note says so")
    func rivals() throws {
        var second = Self.marvin
        second.id = "marvin-plus"
        let choice = try choose("Marvin", overlays: [Self.marvin, second], installed: full)
        #expect(choice.overlay == .discovered(id: "marvin"))
        #expect(choice.notes == ["Both the overlays marvin and marvin-plus serve Marvin. Using marvin."])
        #expect(
            try choose(overlays: [Self.marvin, second], installed: full).overlay == .discovered(id: "marvin"))
    }

    @Test("An overlay for apps that an earlier one serves makes no second choice, but can be named")
    func shadowed() throws {
        var mine = Self.marvin
        mine.id = "mine"
        mine.appName = "My Marvin"
        let overlays = [Self.marvin, mine]
        let installed = [app("com.appstafarian.Marvin")]
        #expect(try choose(overlays: overlays, installed: installed).overlay == .discovered(id: "marvin"))
        #expect(
            try choose("My Marvin", overlays: overlays, installed: installed).overlay
                == .discovered(id: "mine"))
    }

    private static let complete = AppChoiceFacts.Development(
        isOn: true, appID: "org.other", overlay: "/x/dev.so")

    @Test("A complete development setting overrides preference and device")
    func development() throws {
        let choice = try choose(preferred: "Marvin", development: Self.complete, installed: full)
        #expect(choice.overlay == .development(file: "/x/dev.so"))
        #expect(choice.bundleIDs == ["org.other"])
        #expect(choice.appName == "Other")
        #expect(choice.reason == .development)
        #expect(choice.notes.isEmpty)
        #expect(try choose("Other", development: Self.complete, installed: full).reason == .development)
        #expect(try choose("org.other", development: Self.complete, installed: nil).reason == .development)
    }

    @Test("--app that names another app beats the development setting")
    func developmentAndOption() throws {
        let choice = try choose("Marvin", development: Self.complete, installed: full)
        #expect(choice.overlay == .discovered(id: "marvin"))
    }

    @Test("A development app that is not on the device is an error")
    func developmentMissing() throws {
        let error = #expect(throws: HostError.self) {
            try choose(development: Self.complete, installed: [app("com.appstafarian.Marvin")])
        }
        #expect(error?.code == .appNotInstalled)
        #expect(error?.subject == "org.other")
    }

    @Test(
        "A development setting that is not complete is not used, and a note says what is missing",
        arguments: [
            (.init(isOn: true, appID: "org.other", overlay: nil), "development_overlay is missing"),
            (.init(isOn: true, appID: "", overlay: "/x"), "development_app_id is missing"),
            (.init(isOn: true), nil), (.init(isOn: false), nil),
            (
                .init(isOn: false, appID: "org.other", overlay: "/x"),
                "development_app_id and development_overlay are not used because development_mode is off"
            ),
            (
                .init(isOn: false, appID: "org.other"),
                "development_app_id is not used because development_mode is"
            ),
            (
                .init(isOn: false, overlay: "/x"),
                "development_overlay is not used because development_mode is off"
            ),
        ] as [(AppChoiceFacts.Development, String?)])
    func halfDevelopment(development: AppChoiceFacts.Development, note: String?) throws {
        let choice = try choose(preferred: "Marvin", development: development, installed: full)
        #expect(choice.overlay == .discovered(id: "marvin"))
        #expect(choice.notes.count == (note == nil ? 0 : 1))
        if let note { #expect(choice.notes.first?.contains(note) == true) }
    }

    @Test("If an overlay could not be copied, the error for an app without an overlay names the reason")
    func uncopied() throws {
        let refusal = OverlayRefusal(
            .copyFailed, "Cannot create a private copy of the library: no space.", hint: "Free some space.")
        func found(_ file: String, _ refusal: OverlayRefusal) -> DiscoveredOverlay {
            DiscoveredOverlay(
                file: file, folder: PluginFolder(path: "/plugins", origin: .user), state: .refused(refusal),
                descriptor: nil)
        }
        let catalog = OverlayCatalog(found: [
            found("/plugins/a.so", OverlayRefusal(.notALibrary, "It is not a library.")),
            found("/plugins/b.so", refusal),
        ])
        for (requested, overlays) in [("Marvin", []), ("Other", [Self.goodReader]), (nil, [])]
            as [(String?, [OverlayDescription])]
        {
            let error = #expect(throws: HostError.self) {
                try AppChoice.choose(
                    AppChoiceFacts(
                        requested: requested, overlays: overlays, noOverlay: catalog.noOverlay,
                        installed: full))
            }
            #expect(error?.code == .noOverlay)
            #expect(error?.message.contains("'/plugins/b.so' could not be loaded.") == true)
            #expect(error?.message.contains("no space") == true)
            #expect(error?.hint == "Free some space.")
        }
        #expect(
            try AppChoice.choose(
                AppChoiceFacts(
                    requested: "GoodReader 4", overlays: [Self.goodReader], noOverlay: catalog.noOverlay,
                    installed: full)
            ).appName == "GoodReader 4")
    }

    @Test("The facts are read from the preferences")
    func facts() throws {
        let json =
            #"{"preferred_reader_app": "Kindle", "development_mode": true, "development_app_id": "a.b"}"#
        let stored = try #require(try JSONValue(parsing: json).object)
        let values = PreferenceValues(file: "prefs.json", schema: .builtIn, stored: stored)
        let facts = try AppChoiceFacts(
            requested: nil, preferences: values, catalog: OverlayCatalog(), installed: nil)
        #expect(facts.preferred == "Kindle")
        #expect(facts.development == .init(isOn: true, appID: "a.b", overlay: nil))
    }
}
