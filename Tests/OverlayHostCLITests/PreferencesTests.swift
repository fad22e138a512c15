import JSON
import Foundation
import OverlayHost
import TestSupport
import Testing

@testable import OverlayHostCLI

@Suite("Wrong preferences can be mended with the program itself")
struct PreferencesTests {
    @Test(
        "With a wrong plugin_directories every other key is read and the key itself is listed with its problem"
    )
    func reading() throws {
        let bench = try ProgramBench(prefs: #"{"plugin_directories": "x"}"#)
        #expect(bench.withPrefs("prefs", "get", "upload_batch_size").output == "100\n")
        #expect(bench.withPrefs("prefs", "get", "plugin_directories").status == 78)
        let list = bench.withPrefs("prefs", "list", "--json")
        #expect(list.status == 78)
        let row = try list.rows("prefs").first { $0["key"] as? String == "plugin_directories" }
        #expect((row?["problem"] as? String)?.contains("list of absolute paths") == true)
    }

    @Test("A negative number is read as the value, and the message says which numbers are allowed")
    func negativeNumber() throws {
        let bench = try ProgramBench(prefs: "{}")
        let set = bench.withPrefs("prefs", "set", "upload_batch_size", "-1")
        #expect(set.status != 0 && set.errors.contains("from 1 to 100000, not -1"), "\(set.errors)")
    }

    @Test("A path that is written relative to the working directory is stored absolute")
    func relativePath() throws {
        let bench = try ProgramBench(prefs: "{}")
        let set = bench.withPrefs("prefs", "set", "development_overlay", "build/libNova.so", "--json")
        #expect(set.status == 0, "\(set.errors)")
        let folder = try #require(HostPaths.workingDirectory)
        #expect(
            bench.withPrefs("prefs", "get", "development_overlay").output == "\(folder)/build/libNova.so\n")
    }

    @Test("A relative path in the file ends with 78 and says what it must be")
    func relativePathInFile() throws {
        let bench = try ProgramBench(
            prefs: #"{"development_mode": true, "development_overlay": "build/libNova.so"}"#)
        let run = bench.withPrefs("overlays", "--json")
        #expect(run.status == 78)
        #expect(try run.error("subject") == "development_overlay")
        #expect(try run.error("message")?.contains("an absolute path") == true)
    }

    @Test(
        "Unknown members and formats are reported with what was probably meant, and kept",
        arguments: [
            (
                #"{"L": {"marvin_colections": {}}}"#,
                ["'L.marvin_colections' is unknown", "'marvin_collections'?"]
            ),
            (
                ##"{"L": {"marvin_locked": {"feild": "#x"}, "xyz": 1}}"##,
                ["'L.marvin_locked.feild' is unknown", "'field'?", "'L.xyz' is unknown."]
            ),
            (
                ##"{"L": {"marvin_locked": "#x"}}"##,
                ["'L.marvin_locked' must be an object with field, combobox."]
            ),
            (#"{"L": []}"#, ["'L' must be an object"]),
            (#"{"L": {"marvin_locked": {"field": 1}}}"#, ["'L.marvin_locked.field' must be a string."]),
            (
                ##"{"L": {"marvin_locked": {"field": "#x"}, "marvin_collections": {"combobox": "C"}}}"##, []
            ),
        ] as [(String, [String])])
    func slips(value: String, words: [String]) throws {
        let bench = try ProgramBench(prefs: "{}")
        let set = bench.withPrefs("prefs", "set", "cc_mappings", value)
        #expect(set.status == 0)
        #expect(set.errors.isEmpty == words.isEmpty, "\(set.errors)")
        let list = bench.withPrefs("prefs", "list")
        for word in words {
            #expect(set.errors.contains(word), "\(set.errors)")
            #expect(list.output.contains(word))
        }
        let rows = try bench.withPrefs("prefs", "list", "--json").rows("prefs")
        let row = rows.first { $0["key"] as? String == "cc_mappings" }
        #expect(((row?["remarks"] as? [String]) ?? []).isEmpty == words.isEmpty)
    }

    @Test("Unknown formats are reported; those that a reader app may know are taken")
    func formats() {
        let list = Preference("documents_formats", .texts, "")
        #expect(
            list.remarks(on: .texts(["epbu"])) == [
                "'epbu' is not a known book format. Did you mean 'epub'?"
            ])
        #expect(list.remarks(on: .texts(["qqqqqq"])) == ["'qqqqqq' is not a known book format."])
        #expect(list.remarks(on: .texts(["EPUB", ".pdf", "cbz", "kfx", "odt", "jpg", "mp3"])) == [])
        #expect(Preference("documents_ignore_folders", .texts, "").remarks(on: .texts(["epbu"])) == [])
    }

    @Test("Obsolete keys are listed as having no effect")
    func obsolete() throws {
        let bench = try ProgramBench(prefs: "{}")
        let rows = try bench.withPrefs("prefs", "list", "--json").rows("prefs")
        let idle = rows.filter { $0["has_effect"] as? Bool == false }.compactMap { $0["key"] as? String }
        #expect(
            idle == [
                "plugin_version", "plugin_diagnostics", "ibooks_override",
                "marvin_enabled_collection_fields", "marvin_collection_field", "marvin_collection_lookup",
                "marvin_word_count_field", "marvin_word_count_lookup",
            ])
        let text = bench.withPrefs("prefs", "list").output
        #expect(text.components(separatedBy: "No effect").count == 9)
    }

    @Test("Only a folder that is set now is reported as missing, never one that another command does not use")
    func missingFolders() throws {
        let bench = try ProgramBench(prefs: #"{"plugin_directories": ["/nonexistent-old"]}"#)
        for words in [["list"], ["get", "upload_batch_size"], ["path"], ["set", "upload_batch_size", "7"]] {
            let run = bench.run(["prefs"] + words + ["--prefs", bench.folder.path("prefs.json")])
            #expect(run.status == 0)
            #expect(run.errors.isEmpty, "\(words): \(run.errors)")
        }
        let set = bench.withPrefs("prefs", "set", "plugin_directories", "/nonexistent-new")
        #expect(set.status == 0)
        #expect(set.errors.contains("/nonexistent-new"))
        #expect(!set.errors.contains("/nonexistent-old"))
        #expect(bench.withPrefs("prefs", "unset", "plugin_directories").errors.isEmpty)
    }

    @Test("The wrong value can be set or unset, as the hint says", arguments: [true, false])
    func mending(setting: Bool) throws {
        let bench = try ProgramBench(prefs: #"{"plugin_directories": "x"}"#)
        let hint = try #require(try bench.withPrefs("overlays", "--json").error("hint"))
        #expect(hint.contains("overlayhost prefs set plugin_directories"))
        let run =
            setting
            ? bench.withPrefs("prefs", "set", "plugin_directories", "[]")
            : bench.withPrefs("prefs", "unset", "plugin_directories")
        #expect(run.status == 0, "\(run.errors)")
        #expect(bench.withPrefs("overlays").status == 0)
    }

    @Test(
        "The doctor reports wrong preferences as a failed check, with status 78",
        arguments: [#"{"plugin_directories": "x"}"#, #"{"debug_plugin": 3}"#, "{"])
    func doctor(prefs: String) throws {
        let bench = try ProgramBench(prefs: prefs)
        let json = bench.withPrefs("doctor", "--json")
        #expect(json.status == 78)
        let checks = try json.rows("checks")
        #expect(checks.map { $0["check"] as? String } == ["preferences"])
        #expect(checks.first?["ok"] as? Bool == false)
        let text = bench.withPrefs("doctor")
        #expect(text.status == 78)
        #expect(text.output.contains("✗ preferences"))
        #expect(text.output.split(separator: "\n").first?.contains(". ") == true)
    }
}

@Suite("Folders of overlays are checked")
struct PluginFolderTests {
    @Test("A --plugins folder that cannot be searched ends with 66")
    func missingFolder() throws {
        let bench = try ProgramBench()
        let run = bench.run(["overlays", "--plugins", bench.folder.path("missing"), "--json"])
        #expect(run.status == 66)
        #expect(try run.error("code") == "input_unreadable")
    }

    @Test("A --plugins folder without overlays is noted by commands that use overlays")
    func emptyFolder() throws {
        let bench = try ProgramBench()
        let plugins = ["--plugins", bench.folder.path]
        let run = bench.run(["overlays"] + plugins)
        #expect(run.status == 0)
        #expect(run.errors.contains("'\(bench.folder.path)': This folder contains no overlays."))
        #expect(bench.run(["prefs", "get", "watch"] + plugins).errors.isEmpty)
    }

    @Test("A file that is not named like a library is not listed as refused")
    func otherFiles() throws {
        let bench = try ProgramBench()
        let plugins = bench.folder.path("plugins")
        try FileManager.default.createDirectory(
            atPath: plugins, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for name in ["README.md", "notes", "libx.so.txt", "so", "libx.so", "liby.so.1"] {
            try Data("no library".utf8).write(to: URL(fileURLWithPath: plugins + "/" + name))
        }
        let rows = try bench.run(["overlays", "--plugins", plugins, "--json"]).rows("overlays")
        #expect(
            rows.compactMap { ($0["file"] as? String)?.split(separator: "/").last } == [
                "libx.so", "liby.so.1",
            ])
    }

    @Test("A cancel while overlays are looked for ends prefs, which else would know only some of the options")
    func cancelled() throws {
        let bench = try ProgramBench(prefs: "{}")
        let prefs = ["--prefs", bench.folder.path("prefs.json")]
        for words in [["list"], ["get", "watch"], ["set", "watch", "true"], ["unset", "watch"]] {
            let run = bench.run(["prefs"] + words + prefs, isCancelled: true)
            #expect(run.status == 130, "\(words): \(run.output)")
            #expect(run.output.isEmpty)
        }
        #expect(try String(contentsOfFile: bench.folder.path("prefs.json"), encoding: .utf8) == "{}")
    }

    @Test("A folder of the preferences that cannot be searched is only a note")
    func missingPreferredFolder() throws {
        let bench = try ProgramBench(prefs: #"{"plugin_directories": ["/nonexistent-folder"]}"#)
        let run = bench.withPrefs("overlays")
        #expect(run.status == 0)
        #expect(run.errors.contains("/nonexistent-folder"))
    }

    @Test("Without any overlay apps says so, with status 69")
    func noOverlay() throws {
        let run = try ProgramBench().run(["apps", "--json"])
        #expect(run.status == 69)
        #expect(try run.error("code") == "no_overlay")
    }

    @Test(
        "overlays shows the overlay under development, and only in development mode",
        arguments: [true, false])
    func development(isOn: Bool) throws {
        let bench = try ProgramBench(
            prefs: #"{"development_mode": \#(isOn), "development_overlay": "/nonexistent.so"}"#)
        let run = bench.withPrefs("overlays", "--json")
        #expect(run.status == 0)
        let rows = try run.rows("overlays")
        #expect(rows.count == (isOn ? 1 : 0))
        let reason = isOn ? "development_app_id is missing" : "development_mode is off"
        #expect(run.errors.contains("development_overlay is not used because \(reason)."))
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        if isOn {
            #expect(rows[0]["state"] as? String == "refused")
            #expect(rows[0]["file"] as? String == "/nonexistent.so")
            #expect(rows[0]["development"] as? Bool == true)
        }
    }
}
