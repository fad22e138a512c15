import Foundation
import OverlayTestSupport
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("The options of the overlay under development are preferences like any others")
struct DevelopmentOptionTests {
    /// A bench in whose preferences an overlay is under development.
    private struct Workshop {
        let bench: ProgramBench
        /// The folder of the overlay.
        let folder: TemporaryFolder

        /// - Parameter macros: those of the overlay; nil for a file that is no overlay.
        init(_ macros: [String]? = [], isOn: Bool = true) throws {
            folder = try FixtureOverlay.privateFolder()
            let library = folder.path("fixture.so")
            if let macros {
                try FixtureOverlay.build(library, macros)
            } else {
                try Data("no library".utf8).write(to: URL(fileURLWithPath: library))
            }
            bench = try ProgramBench(
                prefs: #"{"development_mode": \#(isOn), "development_overlay": "\#(library)"}"#)
        }

        /// The words that name the preferences file.
        var file: [String] { ["--prefs", bench.folder.path("prefs.json")] }

        func prefs(_ words: String..., more: [String] = []) -> ProgramBench.Run {
            bench.run(["prefs"] + words + ["--in-process"] + file + more)
        }
    }

    @Test("They are listed, checked when they are set, read, and unset")
    func known() throws {
        let shop = try Workshop()
        let rows = try shop.prefs("list", "--json").rows("prefs")
        let row = try #require(rows.first { $0["key"] as? String == "fixture_speed" })
        #expect(row["overlay"] as? String == "fixture")
        #expect(row["default"] as? Int == 3)
        #expect(shop.prefs("list").output.contains("How fast."))
        let wrong = shop.prefs("set", "fixture_speed", "10")
        #expect(wrong.status != 0 && wrong.errors.contains("from 1 to 9"), "\(wrong.errors)")
        #expect(shop.prefs("set", "fixture_speed", "4").status == 0)
        #expect(shop.prefs("get", "fixture_speed").output == "4\n")
        #expect(shop.prefs("unset", "fixture_speed").status == 0)
        #expect(shop.prefs("get", "fixture_speed").output == "3\n")
    }

    @Test("They are unknown while development_mode is off")
    func off() throws {
        let set = try Workshop(isOn: false).prefs("set", "fixture_speed", "4", "--json")
        #expect(set.status == 78)
        #expect(try set.error("code") == "prefs_unknown_key")
    }

    @Test("If the overlay cannot be loaded, an unknown key says so, and other keys can be changed")
    func broken() throws {
        let shop = try Workshop(nil)
        let set = shop.prefs("set", "fixture_speed", "4", "--json")
        #expect(try set.error("code") == "prefs_unknown_key")
        let hint = try #require(try set.error("hint"))
        #expect(hint.contains("fixture.so' are unknown because it cannot be used."), "\(hint)")
        let other = shop.prefs("set", "upload_batch_size", "7")
        #expect(other.status == 0 && !other.errors.contains("fixture"), "\(other.errors)")
    }

    @Test("Its declaration of an option takes precedence over that of an installed overlay with the same id")
    func precedence() throws {
        let shop = try Workshop(["OPTION_MAXIMUM=20"])
        let plugins = try FixtureOverlay.privateFolder()
        try FixtureOverlay.build(plugins.path("installed.so"))
        let more = ["--plugins", plugins.path]
        #expect(shop.prefs("set", "fixture_speed", "15", more: more).status == 0)
        #expect(shop.prefs("set", "fixture_speed", "21", more: more).status != 0)
        let words = ["overlays", "fixture", "--json", "--in-process"] + shop.file + more
        let options = try shop.bench.run(words).rows("options")
        #expect((options.first?["range"] as? [String: Any])?["maximum"] as? Int == 20)
    }
}
