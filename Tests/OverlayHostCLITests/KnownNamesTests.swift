import Foundation
import OverlayHost
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Completion offers names from earlier commands, and does not ask a device")
struct KnownNamesTests {
    @Test("Names are kept in order, each once, and replaced where that is asked for")
    func keeping() throws {
        let folder = try TemporaryFolder()
        let known = KnownNames(
            HostPaths(environment: ["XDG_CACHE_HOME": folder.url.path], executable: nil))
        #expect(known.names(.apps) == [])
        known.keep(["Books", ""], .apps)
        known.keep(["Kindle", "Books"], .apps)
        #expect(known.names(.apps) == ["Kindle", "Books"])
        known.keep(["Emma"], .books, replacing: true)
        known.keep(["Dune"], .books, replacing: true)
        #expect(known.names(.books) == ["Dune"])
        let file = folder.path("overlayhost/names.json")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        #expect(known.names(.books) == [])
        known.keep((0..<6000).map { "\($0)" }, .books)
        #expect(known.names(.books).count == KnownNames.most)
    }

    @Test("Preferences and their values are offered as they are known")
    func preferences() {
        #expect(KnownNames.keys([], 0, "preferred_r") == ["preferred_reader_app"])
        #expect(
            KnownNames.values(["overlayhost", "prefs", "set", "development_mode", ""], 4, "")
                == ["true", "false"])
        #expect(
            KnownNames.values(["overlayhost", "prefs", "set", "preferred_reader_app", "K"], 4, "K")
                .contains("Kindle"))
        #expect(KnownNames.values(["overlayhost", "prefs", "set"], 3, "") == [])
    }

    @Test(
        "Completion prints a line for each name",
        arguments: [
            (
                [
                    "prefs", "set", "--", "positional@0", "3", "3", "overlayhost", "prefs", "set",
                    "development_",
                ],
                "development_mode"
            ),
            (["books", "--", "--app", "3", "2", "overlayhost", "books", "--app", "Ki"], "Kindle"),
        ])
    func asked(words: [String], name: String) throws {
        let run = try ProgramBench().run(["---completion"] + words)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.split(separator: "\n").contains(Substring(name)), "\(run.output)")
    }

    @Test("Styles follow --color, and by default the terminal")
    func styles() {
        var console = ProgramBench.Text().console()
        #expect(console.styled("x", .bold) == "x")
        console.isStyled = ColorChoice.always.isStyled(console)
        #expect(console.styled("x", .bold) == "\u{1B}[1mx\u{1B}[0m")
        console = ProgramBench.Text().console(width: 80)
        #expect(ColorChoice.auto.isStyled(console))
        #expect(!ColorChoice.never.isStyled(console))
        console.styling = false
        #expect(!ColorChoice.auto.isStyled(console))
    }
}
