import OverlayTestSupport
import Foundation
import TestSupport
import Testing

@testable import OverlayWorkers
@testable import OverlayHost
@testable import OverlayLoading

@Suite("Many overlays can share one folder")
struct ManyOverlaysTests {
    /// More than the limit of descriptors allows if each overlay kept two.
    private static let count = 150

    @Test("Overlays are not refused for lack of descriptors")
    func fewDescriptors() throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(world.folder.path("model.so"), [#"ID="fixture-000""#, "OPTION_COUNT=0"])
        let model = try Data(contentsOf: URL(fileURLWithPath: world.folder.path("model.so")))
        let id = try #require(model.range(of: Data("fixture-000".utf8)))
        for number in 0..<Self.count {
            let name = "fixture-\(String(number + 1000).dropFirst())"
            var library = model
            library.replaceSubrange(id, with: Data(name.utf8))
            let file = world.file(name + ".so")
            try library.write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        }
        let result = try ProgramUser(id: geteuid()).run(
            ["overlays", "--plugins", world.plugins, "--json"],
            environment: ["HOME": world.folder.path, "XDG_RUNTIME_DIR": world.folder.path("run")],
            descriptors: 256)
        #expect(result.status == 0, "\(result.errors)")
        let ready = result.output.components(separatedBy: "\"state\": \"ready\"").count - 1
        #expect(ready >= Self.count, "\(result.output.suffix(2000))")
    }
}
