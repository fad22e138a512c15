import Foundation
import HostErrors
import JSON
import Preferences
import Testing
import OverlayTestSupport
import TestSupport

@testable import OverlayLoading

@Suite("Overlays are found in the folders, in order")
struct DiscoveryTests {
    @Test("A good overlay is ready, with its descriptor, methods and options")
    func ready() throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(world.file("good.so"))
        let found = try world.only()
        let overlay = try #require(found.overlay)
        #expect(found.file == world.file("good.so"))
        let descriptor = overlay.descriptor
        #expect(descriptor == found.descriptor)
        #expect(descriptor.id == "fixture")
        #expect(descriptor.name == "Fixture")
        #expect(descriptor.version == "1.0.0")
        #expect(descriptor.appName == "Fixture Reader")
        #expect(descriptor.appIDs == ["org.example.fixture"])
        #expect(descriptor.formats == ["epub"])
        #expect(descriptor.traits == .canFetch)
        #expect(descriptor.thumbnailHeight == 160)
        #expect(descriptor.plugboardName == nil)
        #expect(overlay.implementedMethods == ["eject"])
        let option = try #require(descriptor.options.first)
        #expect(option.key == "fixture_speed")
        #expect(option.type == .integer)
        #expect(option.fallback == .integer(3))
        #expect(option.range == 1...9)
        #expect(option.meaning == "How fast.")
        #expect(world.discover().schema["fixture_speed"] == option)
    }

    @Test("An overlay built with a larger, newer contract of the same major is ready")
    func newerMinor() throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(
            world.file("good.so"),
            [
                "ENTRY_SIZE=4096", "DESCRIPTOR_SIZE=4096", "METHODS_SIZE=4096", "OPTION_SIZE=4096",
                "OPTION_STRIDE=4096",
            ])
        #expect(try world.only().overlay != nil)
    }

    @Test("A historical key of the overlay's own app may be declared")
    func historicalKey() throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(
            world.file("good.so"),
            [
                #"APP_NAME="Marvin""#, #"OPTION_KEY="upload_batch_size""#, "OPTION_MAXIMUM=1000",
                #"OPTION_DEFAULT="100""#,
            ])
        #expect(try world.only().refusal == nil)
    }

    @Test(
        "The folders come from options, environment, preferences, user, installation and build, in this order"
    )
    func order() throws {
        let paths = HostPaths(
            environment: ["HOME": "/home/x", "OVERLAYHOST_PLUGINS": "/e1::/e2", "XDG_DATA_HOME": "/data"],
            executable: "/opt/.build/debug/overlayhost")
        let discovery = OverlayDiscovery(
            options: ["o"], preferences: ["/p", "~/q"], paths: paths, runner: InProcessRunner())
        #expect(
            discovery.folders.map(\.path) == [
                "o", "/e1", "/e2", "/p", "/home/x/q", "/data/overlayhost/plugins",
                "/opt/.build/lib/overlayhost/plugins",
                "/opt/.build/debug",
            ])
        #expect(
            discovery.folders.map(\.origin) == [
                .option, .environment, .environment, .preference, .preference, .user, .installed, .build,
            ])
    }

    @Test(
        "An installed program does not search its own folder; XDG variables that are not absolute do not count"
    )
    func installed() {
        let paths = HostPaths(
            environment: ["HOME": "/home/x", "XDG_DATA_HOME": "relative"], executable: "/usr/bin/overlayhost")
        #expect(
            OverlayDiscovery(paths: paths, runner: InProcessRunner()).folders.map(\.path) == [
                "/home/x/.local/share/overlayhost/plugins", "/usr/lib/overlayhost/plugins",
            ])
        #expect(paths.preferencesFile == "/home/x/.config/overlayhost/prefs.json")
    }

    @Test("A folder of --plugins without libraries is reported, and other empty folders are not")
    func emptyFolder() throws {
        let world = try PluginWorld()
        try Data("read me".utf8).write(to: URL(fileURLWithPath: world.file("README.md")))
        let problem = try #require(world.discover().problems.first)
        #expect(problem.subject == world.plugins)
        #expect(problem.message == "This folder contains no overlays.")
        let search = OverlayDiscovery(
            preferences: [world.plugins], paths: world.paths, runner: InProcessRunner())
        #expect(search.discover().problems.isEmpty)
    }

    @Test("The one of two overlays with one id in the earlier folder is used")
    func precedence() throws {
        let world = try PluginWorld()
        let other = world.folder.path("other")
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FixtureOverlay.build(world.file("z.so"), [#"NAME="First""#])
        try FixtureOverlay.build(other + "/a.so", [#"NAME="Second""#])
        let found = OverlayDiscovery(
            options: [world.plugins], preferences: [other], paths: world.paths, runner: InProcessRunner()
        )
        .discover()
        #expect(found.overlays.map(\.descriptor.name) == ["First"])
        #expect(found.found.last?.refusal?.code == .idTaken)
    }

    @Test("A file or folder that is reached twice counts once")
    func reachedTwice() throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(world.file("libgood.so.1"))
        try FileManager.default.createSymbolicLink(
            atPath: world.file("libgood.so"), withDestinationPath: "libgood.so.1")
        let link = world.folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "plugins")
        let found = OverlayDiscovery(
            options: [world.plugins, link], paths: world.paths, runner: InProcessRunner()
        ).discover()
        #expect(found.found.count == 1)
        #expect(found.overlays.count == 1)
    }

    @Test("A missing folder is a problem if it was named, and not if it is a standard folder")
    func missingFolders() throws {
        let world = try PluginWorld(environment: ["OVERLAYHOST_PLUGINS": "relative/folder"])
        let missing = world.folder.path("missing")
        let catalog = OverlayDiscovery(
            options: [missing], preferences: [missing + "2"], paths: world.paths, runner: InProcessRunner()
        )
        .discover()
        #expect(catalog.found.isEmpty)
        #expect(catalog.problems.map(\.subject) == [missing, "relative/folder", missing + "2"])
        #expect(catalog.problems.map(\.code) == [.inputUnreadable, .configuration, .configuration])
    }

    @Test("In a build folder only files that are named like overlays are examined")
    func buildFolder() throws {
        let world = try PluginWorld()
        let build = world.folder.path(".build")
        try FileManager.default.createDirectory(
            atPath: build, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FixtureOverlay.build(build + "/libFixtureOverlay.so")
        try Data("x".utf8).write(to: URL(fileURLWithPath: build + "/libOther.so"))
        let paths = HostPaths(
            environment: ["HOME": world.folder.path("home"), "XDG_RUNTIME_DIR": world.folder.path("run")],
            executable: build + "/overlayhost")
        let catalog = OverlayDiscovery(paths: paths, runner: InProcessRunner()).discover()
        #expect(catalog.found.map(\.file) == [build + "/libFixtureOverlay.so"])
        #expect(catalog.overlays.count == 1)
    }

    @Test("An overlay under development is loaded from anywhere, and refused as an error")
    func development() throws {
        let world = try PluginWorld()
        let discovery = OverlayDiscovery(paths: world.paths, runner: InProcessRunner())
        try FixtureOverlay.build(world.file("dev.so"))
        #expect(try discovery.load(world.file("dev.so")).descriptor.id == "fixture")
        let error = #expect(throws: HostError.self) { try discovery.load(world.file("none.so")) }
        #expect(error?.code == .overlayRefused)
        #expect(error?.subject == world.file("none.so"))
        #expect((error?.underlying as? OverlayRefusal)?.code == .unreadable)
    }

    @Test("Versions follow the grammar of semantic versions")
    func versions() {
        for text in ["0.0.0", "1.2.3", "1.0.0-alpha.1", "1.0.0-0a+b-1.007", "10.20.30+x"] {
            #expect(SemanticVersion.isValid(text), "\(text)")
        }
        for text in [
            "", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.-3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b",
            "v1.2.3",
        ] {
            #expect(!SemanticVersion.isValid(text), "\(text)")
        }
    }

    @Test("The first of two overlays for any app is used, and the other is refused with its file's name")
    func anyApp() throws {
        let world = try PluginWorld()
        let any = ["APP_COUNT=0", "TRAITS=OVL_TRAIT_ANY_FILE_SHARING_APP"]
        for name in ["a", "b", "c"] {
            let traits = name == "c" ? [] : any
            try FixtureOverlay.build(world.file("\(name).so"), ["ID=\"\(name)\"", "OPTION_COUNT=0"] + traits)
        }
        let catalog = world.discover()
        #expect(catalog.overlays.map(\.descriptor.id) == ["a", "c"])
        #expect(catalog.overlays.first?.descriptor.appIDs.isEmpty == true)
        let refusal = try #require(catalog.found.first { $0.descriptor?.id == "b" }?.refusal)
        #expect(refusal.code == .anyAppTaken)
        #expect(refusal.message.contains("a.so"))
    }
}
