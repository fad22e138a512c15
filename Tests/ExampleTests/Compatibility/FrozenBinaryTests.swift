import Foundation
import TestSupport
import Testing

@Suite("An overlay that was built once works forever")
struct FrozenBinaryTests {
    /// The minor versions that have a kept binary.
    static let versions = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]
    #if arch(x86_64)
    private static let isHere = true
    #else
    private static let isHere = false
    #endif

    @Test(
        "The binary of each kept minor version lists, adds and fetches",
        .enabled(if: isHere, "the kept binaries are for x86_64"), arguments: versions)
    func works(_ version: String) throws {
        let shop = try Workshop()
        try FileManager.default.createDirectory(
            at: shop.folder.url.appendingPathComponent("plugins"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: sourceFolder.appendingPathComponent(
                "Tests/ExampleTests/Fixtures/binaries/satchel-\(version)-x86_64.so"),
            to: shop.folder.url.appendingPathComponent("plugins/satchel.so"))
        try SatchelDevice.tryOut(shop)
    }

    @Test("A binary is kept of the newest minor version")
    func newest() throws {
        let header = try String(
            contentsOf: sourceFolder.appendingPathComponent("Sources/OverlayABI/include/overlay_types.h"),
            encoding: .utf8)
        let minor = try #require(header.firstMatch(of: #/#define OVL_ABI_MINOR (\d+)u/#)?.1)
        #expect(
            Self.versions.last == "1.\(minor)",
            "Build one as Fixtures/binaries/README.md says, and name it here.")
    }
}
