import Diagnostics
import HostErrors
import Foundation
import Testing
import OverlayTestSupport
import TestSupport

@testable import OverlayLoading

@Suite("A file that cannot be used as an overlay is refused with the one reason")
struct RefusalTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let macros: [String]
        let code: OverlayRefusal.Code
        let words: [String]

        init(_ name: String, _ macros: [String], _ code: OverlayRefusal.Code, _ words: String...) {
            testDescription = name
            self.macros = macros
            self.code = code
            self.words = words
        }
    }

    static let entryFaults: [Fault] = [
        Fault("no entry", ["ENTRY_NAME=something_else"], .noEntry, "ovl_entry_v1"),
        Fault("entry of a newer major", ["ENTRY_NAME=ovl_entry_v7"], .newerABI, "version 7", "version 1"),
        Fault("entry of an older major", ["ENTRY_NAME=ovl_entry_v0"], .olderABI, "version 0", "version 1"),
        Fault("newer major in the record", ["MAJOR=2"], .newerABI, "version 2", "version 1"),
        Fault("older major in the record", ["MAJOR=0"], .olderABI, "version 0", "version 1"),
        Fault("missing symbol", ["MISSING_SYMBOL"], .missingSymbol, "ovl_fixture_nobody_has_this"),
        Fault("null entry record", ["NO_RECORD"], .incompleteEntry, "ovl_entry_v1 returned"),
        Fault(
            "entry too small for its versions", ["ENTRY_SIZE=8"], .structTooSmall, "ovl_entry", "8 bytes",
            "16"),
        Fault("entry without size", ["ENTRY_SIZE=0"], .structTooSmall, "ovl_entry", "0 bytes"),
        Fault("entry too small", ["ENTRY_SIZE=40"], .structTooSmall, "ovl_entry", "40 bytes", "48"),
        Fault("descriptor too small", ["DESCRIPTOR_SIZE=64"], .structTooSmall, "ovl_descriptor", "64 bytes"),
        Fault("methods too small", ["METHODS_SIZE=16"], .structTooSmall, "ovl_methods", "16 bytes", "136"),
        Fault("no descriptor", ["DESCRIPTOR=NULL"], .incompleteEntry, "no descriptor"),
        Fault("no methods", ["METHODS=NULL"], .incompleteEntry, "no methods"),
        Fault("no create", ["CREATE=NULL"], .incompleteEntry, "no create"),
        Fault("no destroy", ["DESTROY=NULL"], .incompleteEntry, "no destroy"),
    ]

    static let descriptorFaults: [Fault] = [
        Fault("id in upper case", [#"ID="Fixture""#], .invalidDescriptor, "id \"Fixture\""),
        Fault("id beginning with a dash", [#"ID="-x""#], .invalidDescriptor, "id \"-x\""),
        Fault("empty id", [#"ID="""#], .invalidDescriptor, "id is missing"),
        Fault(
            "long id", ["ID=\"" + String(repeating: "a", count: 65) + "\""], .invalidDescriptor, "65 bytes"),
        Fault("empty name", [#"NAME="""#], .invalidDescriptor, "name is missing"),
        Fault("name that is not UTF-8", [#"NAME="\xff""#], .invalidDescriptor, "name is not UTF-8"),
        Fault("name that steers terminals", [#"NAME="\x1b[2J""#], .invalidDescriptor, "control character"),
        Fault("no semantic version", [#"VERSION="1.0""#], .invalidDescriptor, "version \"1.0\""),
        Fault("no app name", [#"APP_NAME="""#], .invalidDescriptor, "app_name is missing"),
        Fault("no apps", ["APP_COUNT=0"], .invalidDescriptor, "app_ids is empty"),
        Fault("too many apps", ["APP_COUNT=100000"], .invalidDescriptor, "app_ids has 100000"),
        Fault("strange bundle id", [#"APP_ID="a/b""#], .invalidDescriptor, "\"a/b\""),
        Fault("format with a dot", [#"FORMAT=".epub""#], .invalidDescriptor, "\".epub\""),
        Fault("format in upper case", [#"FORMAT="EPUB""#], .invalidDescriptor, "\"EPUB\""),
        Fault(
            "option of another overlay", [#"OPTION_KEY="other_speed""#], .invalidDescriptor,
            "begin with fixture_"),
        Fault("option of the host", [#"OPTION_KEY="debug_plugin""#], .invalidDescriptor, "debug_plugin"),
        Fault(
            "option of another app", [#"OPTION_KEY="marvin_protect_rb""#], .invalidDescriptor,
            "marvin_protect_rb"),
        Fault("option of an unknown type", ["OPTION_TYPE=9"], .invalidDescriptor, "unknown type 9"),
        Fault(
            "default of another type", [#"OPTION_DEFAULT="true""#], .invalidDescriptor,
            "a whole number from 1 to 9"),
        Fault(
            "default outside the range", [#"OPTION_DEFAULT="10""#], .invalidDescriptor,
            "a whole number from 1 to 9"),
        Fault("default that is not JSON", [#"OPTION_DEFAULT="x""#], .invalidDescriptor, "not JSON"),
        Fault("range upside down", ["OPTION_MAXIMUM=0"], .invalidDescriptor, "range"),
        Fault(
            "folder to sync that is not a text", ["OPTION_FLAGS=OVL_OPTION_SYNC_FOLDER"], .invalidDescriptor,
            "must be a text"),
        Fault(
            "default folder to sync",
            [
                "OPTION_TYPE=OVL_OPTION_TEXT", "OPTION_FLAGS=OVL_OPTION_SYNC_FOLDER",
                #"OPTION_DEFAULT="\"~/Documents\"""#,
            ], .invalidDescriptor, "must not have a default"),
        Fault(
            "two folders to sync",
            [
                "OPTION_TYPE=OVL_OPTION_TEXT", "OPTION_FLAGS=OVL_OPTION_SYNC_FOLDER",
                #"OPTION_DEFAULT="null""#, "OPTION_COUNT=2", #"SECOND_OPTION_KEY="fixture_other""#,
                "SECOND_OPTION_FLAGS=OVL_OPTION_SYNC_FOLDER",
            ], .invalidDescriptor, "several options"),
        Fault("option declared twice", ["OPTION_COUNT=2"], .invalidDescriptor, "twice"),
        Fault("option too small", ["OPTION_SIZE=64"], .structTooSmall, "ovl_option", "64 bytes"),
        Fault("options too near", ["OPTION_STRIDE=64"], .structTooSmall, "64 bytes apart"),
        Fault(
            "option larger than its stride", ["OPTION_SIZE=4096"], .structTooSmall, "ovl_option", "4096 bytes"
        ),
        Fault(
            "options out of step", ["OPTION_STRIDE=sizeof(ovl_option)+4"], .structTooSmall, "in steps of 8"),
    ]

    private func check(_ fault: Fault) throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(world.file("faulty.so"), fault.macros)
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == fault.code, "\(refusal)")
        for words in fault.words { #expect(refusal.message.contains(words), "\(refusal)") }
        #expect(refusal.message.first?.isUppercase == true || refusal.message.hasPrefix("ovl_"), "\(refusal)")
        #expect(refusal.message.hasSuffix("."), "\(refusal)")
    }

    @Test("Faults of symbols and tables are refused", arguments: entryFaults)
    func entries(fault: Fault) throws { try check(fault) }

    @Test("Faults of the descriptor are refused", arguments: descriptorFaults)
    func descriptors(fault: Fault) throws { try check(fault) }

    @Test("A library that needs a missing library is refused")
    func missingLibrary() throws {
        let world = try PluginWorld()
        let needed = world.folder.path("libovlneeded.so")
        let code = world.folder.path("needed.c")
        try Data("int ovl_fixture_needed(void) { return 1; }\n".utf8).write(to: URL(fileURLWithPath: code))
        #expect(try runProgram("cc", ["-shared", "-fPIC", "-o", needed, code]).status == 0)
        try FixtureOverlay.build(
            world.file("faulty.so"), ["MISSING_LIBRARY"],
            flags: ["-shared", "-L", world.folder.path, "-lovlneeded"])
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == .missingLibrary)
        #expect(refusal.message.contains("libovlneeded.so"))
    }

    @Test("Files that are not libraries are refused")
    func notLibraries() throws {
        let world = try PluginWorld()
        try Data("hello".utf8).write(to: URL(fileURLWithPath: world.file("a-text.so")))
        try Data().write(to: URL(fileURLWithPath: world.file("b-empty.so")))
        try FixtureOverlay.build(world.file("c-object.so"), flags: ["-c"])
        try FixtureOverlay.build(world.file("whole"))
        let whole = try Data(contentsOf: URL(fileURLWithPath: world.file("whole")))
        try whole.prefix(3000).write(to: URL(fileURLWithPath: world.file("d-cut.so")))
        try FileManager.default.removeItem(atPath: world.file("whole"))
        #expect(mkfifo(world.file("e-pipe.so"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: world.file("f-dangling.so"), withDestinationPath: "nowhere")
        for name in ["a-text.so", "b-empty.so", "c-object.so", "d-cut.so"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: world.file(name))
        }
        try FileManager.default.createDirectory(
            atPath: world.file("g-folder.so"), withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: world.file(".hidden.so")))
        let found = world.discover().found
        #expect(
            found.map { $0.refusal?.code } == [
                .notALibrary, .notALibrary, .notALibrary, .notALibrary, .notALibrary, .unreadable,
            ])
        let error = world.discover().noOverlay
        #expect(error.code == .noOverlay)
        #expect(error.message.contains("a-text.so' was refused: "), "\(error)")
        #expect((error.underlying as? OverlayRefusal)?.code == .notALibrary)
        let messages = found.compactMap { $0.refusal?.message }
        #expect(messages.count == 6)
        for (message, words) in zip(
            messages,
            ["not a library", "not a library", "object file", "truncated", "special file", "No such file"])
        {
            #expect(message.contains(words), "\(message)")
        }
    }

    @Test(
        "A file that others can write is refused",
        arguments: [(0o775, "group"), (0o757, "everyone"), (0o777, "everyone")])
    func writableFile(mode: Int, words: String) throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(world.file("good.so"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: world.file("good.so"))
        let refusal = try #require(try world.only().refusal)
        #expect(refusal.code == .writableByOthers)
        #expect(refusal.message.contains(words))
        #expect(refusal.message.hasPrefix("The file"))
    }

    @Test("A folder that others can write is refused, also when a link in a good folder leads there")
    func writableFolder() throws {
        let world = try PluginWorld()
        let open = world.folder.path("open")
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
        try FixtureOverlay.build(open + "/good.so")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
        let direct = OverlayDiscovery(options: [open], paths: world.paths, runner: InProcessRunner())
            .discover()
        #expect(direct.found.map { $0.refusal?.code } == [.writableByOthers])
        #expect(direct.found.first?.refusal?.message.contains(open) == true)
        try FileManager.default.createSymbolicLink(
            atPath: world.file("link.so"), withDestinationPath: open + "/good.so")
        #expect(try world.only().refusal?.code == .writableByOthers)
    }

    @Test("Owner and mode decide who may have written a file")
    func trust() {
        #expect(FileTrust.problem(mode: 0o755, owner: 1000, user: 1000) == nil)
        #expect(FileTrust.problem(mode: 0o755, owner: 0, user: 1000) == nil)
        #expect(FileTrust.problem(mode: 0o755, owner: 1001, user: 1000) == .owner(1001))
        #expect(FileTrust.problem(mode: 0o755, owner: 1001, user: 0) == .owner(1001))
        #expect(FileTrust.problem(mode: 0o775, owner: 0, user: 0) == .group(0o775))
        #expect(FileTrust.problem(mode: 0o100757, owner: 0, user: 0) == .everyone(0o100757))
        let texts = [FileTrust.Problem.owner(1001), .group(0o775), .everyone(0o100757)].map {
            $0.message("The file")
        }
        #expect(
            texts == [
                "The file belongs to another user (1001), so its code cannot be trusted.",
                "The file is writable by its group (mode 775), so its code cannot be trusted.",
                "The file is writable by everyone (mode 757), so its code cannot be trusted.",
            ])
    }

    @Test("An id that another file has is refused with that file's name")
    func idTaken() throws {
        let world = try PluginWorld()
        try FixtureOverlay.build(world.file("a.so"))
        try FixtureOverlay.build(world.file("b.so"), [#"NAME="Second""#])
        let found = world.discover().found
        #expect(found.map { $0.refusal?.code } == [nil, .idTaken])
        #expect(found.last?.refusal?.message.contains(world.file("a.so")) == true)
        #expect(found.last?.descriptor?.name == "Second")
    }

    @Test("The dynamic linker's other sentences are passed on without the private path")
    func otherLinkFailures() {
        let refusal = LinkFailure.refusal(
            "/run/x.so: version `GLIBC_9' not found (required by y)", copy: "/run/x.so")
        #expect(refusal.code == .notLoadable)
        #expect(
            refusal.message
                == "The dynamic linker cannot load it: version `GLIBC_9' not found (required by y).")
        let versioned = LinkFailure.refusal("/run/x.so: undefined symbol: f, version V1", copy: "/run/x.so")
        #expect(versioned.message.contains("symbol f,"))
    }
}
