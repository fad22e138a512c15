import Foundation
import HostErrors
import JSON
import Testing
import TestSupport

@testable import Preferences

@Suite("The preferences file keeps what it holds and is never half written")
struct PreferencesTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.path("prefs.json")
    }

    private var preferences: Preferences { Preferences(file: file) }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }

    private func content() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("A missing file is an empty one, and the first set makes it and its folders, for this user alone")
    func firstSet() throws {
        let deep = Preferences(file: folder.path("a/b/prefs.json"))
        #expect(try deep.read().bool("debug_plugin") == false)
        try deep.set("debug_plugin", to: "true")
        #expect(try deep.read().bool("debug_plugin") == true)
        #expect(try mode(deep.file) == 0o600)
        #expect(try mode(folder.path("a/b")) == 0o700)
    }

    /// Weakness 12 in docs/weaknesses.md.
    @Test(
        "Unknown keys, order and digits survive a set; the layout is two spaces and UTF-8"
    )
    func unknownKeys() throws {
        try write(#"{"zebra": {"x": 1.10}, "debug_plugin": false, "größe": [1,2]}"#)
        try preferences.set("debug_plugin", to: "true")
        try preferences.set("upload_batch_size", to: "7")
        #expect(
            try content() == """
                {
                  "zebra": {
                    "x": 1.10
                  },
                  "debug_plugin": true,
                  "größe": [
                    1,
                    2
                  ],
                  "upload_batch_size": 7
                }

                """)
    }

    @Test("Unset removes a key, known or not, and says whether it was there")
    func unset() throws {
        try write(#"{"debug_plugin": true, "stranger": 1}"#)
        #expect(try preferences.unset("debug_plugin"))
        #expect(try preferences.unset("stranger"))
        #expect(try !preferences.unset("debug_plugin"))
        #expect(try content() == "{}\n")
        let error = #expect(throws: HostError.self) { try preferences.unset("stranger") }
        #expect(error?.code == .prefsUnknownKey)
    }

    @Test("Unknown and obsolete keys cannot be set")
    func unsettable() throws {
        #expect(
            #expect(throws: HostError.self) { try preferences.set("nonsense", to: "1") }?.code
                == .prefsUnknownKey)
        #expect(
            #expect(throws: HostError.self) { try preferences.set("marvin_collection_field", to: "x") }?.code
                == .prefsUnknownKey)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A value an overlay stores is checked like one a person sets")
    func store() throws {
        try preferences.store(.integer(5), for: "upload_batch_size")
        #expect(try preferences.read().integer("upload_batch_size") == 5)
        #expect(throws: HostError.self) { try preferences.store(.string("5"), for: "upload_batch_size") }
        #expect(throws: HostError.self) { try preferences.store(.integer(5), for: "stranger") }
    }

    @Test("Null means not set, and a text that is empty means none")
    func null() throws {
        try write(#"{"preferred_reader_app": null, "upload_batch_size": null, "development_app_id": ""}"#)
        let values = try preferences.read()
        #expect(try values.text("preferred_reader_app") == nil)
        #expect(try values.integer("upload_batch_size") == 100)
        #expect(try values.text("development_app_id") == nil)
        #expect(try values.texts("kindle_enabled_formats") == ["MOBI", "PDF"])
    }

    @Test("A value of the wrong type is refused with key, value and expectation, and others still answer")
    func wrongType() throws {
        try write(#"{"debug_plugin": "yes", "upload_batch_size": 5}"#)
        let values = try preferences.read()
        let error = #expect(throws: HostError.self) { try values.bool("debug_plugin") }
        #expect(error?.code == .prefsInvalidValue)
        #expect(error?.subject == "debug_plugin")
        #expect(error?.message == "The value must be true or false, not \"yes\".")
        #expect(error?.hint?.contains(file) == true)
        #expect(try values.integer("upload_batch_size") == 5)
        #expect(values.rows.first { $0.key == "debug_plugin" }?.problem == "it must be true or false")
    }

    @Test("A relative path is made absolute from the working directory, and refused without one")
    func paths() throws {
        for (text, path) in [
            ("build/x.so", "/home/shop/build/x.so"), ("./x.so", "/home/shop/x.so"),
            ("../x.so", "/home/x.so"), ("../../../x.so", "/x.so"), ("./..//.././x.so", "/x.so"),
            ("/abs/../x.so", "/abs/../x.so"), ("~/x.so", "~/x.so"), ("a/../x.so", "/home/shop/a/../x.so"),
            ("..", "/home"), (".", "/home/shop"),
        ] {
            #expect(
                try preferences.set("development_overlay", to: text, relativeTo: "/home/shop")
                    == .string(path), "\(text)")
            #expect(try preferences.read().text("development_overlay") == path)
        }
        try preferences.set("plugin_directories", to: "one, /two", relativeTo: "/home")
        #expect(try preferences.read().texts("plugin_directories") == ["/home/one", "/two"])
        for key in ["development_overlay", "plugin_directories"] {
            let error = #expect(throws: HostError.self) { try preferences.set(key, to: "rel/path") }
            #expect(error?.code == .prefsInvalidValue)
            #expect(error?.message.contains("absolute path") == true)
        }
        try preferences.set("development_overlay", to: "", relativeTo: "/home/shop")
        #expect(try preferences.read().text("development_overlay") == nil)
    }

    @Test("A relative development_overlay in the file is refused with what it must be")
    func relativeInFile() throws {
        try write(#"{"development_overlay": "build/x.so"}"#)
        let error = #expect(throws: HostError.self) { try preferences.read().text("development_overlay") }
        #expect(error?.code == .prefsInvalidValue)
        #expect(error?.message.contains("must be an absolute path") == true)
        #expect(error?.exitStatus.rawValue == 78)
        let row = try preferences.read().rows.first { $0.key == "development_overlay" }
        #expect(row?.problem == "it must be an absolute path")
    }

    @Test("The list shows value and default, obsolete keys as having no effect, and unknown ones at the end")
    func rows() throws {
        try write(##"{"stranger": 1, "marvin_word_count_field": "#x", "debug_plugin": true}"##)
        let rows = try preferences.read().rows
        let debug = try #require(rows.first { $0.key == "debug_plugin" })
        #expect(debug.value == .bool(true))
        #expect(debug.preference?.fallback == .bool(false))
        #expect(rows.first { $0.key == "upload_batch_size" }?.value == .integer(100))
        let obsolete = rows.filter { !$0.hasEffect }
        #expect(obsolete.count == 8)
        #expect(obsolete.allSatisfy { $0.preference?.meaning.hasPrefix("No effect") == true })
        #expect(obsolete.first { $0.key == "marvin_word_count_field" }?.value == .string("#x"))
        #expect(obsolete.contains { $0.key == "marvin_collection_field" && $0.stored == nil })
        #expect(rows.last?.key == "stranger")
        #expect(rows.last?.preference == nil)
    }

    /// Weakness 12 in docs/weaknesses.md.
    @Test(
        "A damaged file is reported with line and column and never overwritten",
        arguments: [
            ("{\n  \"debug_plugin\": tru\n}\n", "line 2, column 19"), ("[]", "line 1, column 1"),
            ("", "line 1, column 1"),
            ("{\"a\": 1, \"a\": 2}", "line 1, column 10"), ("{\"a\": 1", "line 1, column 8"),
        ])
    func damaged(text: String, place: String) throws {
        try write(text)
        for action: (Preferences) throws -> Void in [
            { _ = try $0.read() }, { try $0.set("debug_plugin", to: "true") },
            { try $0.unset("debug_plugin") },
        ] {
            let error = #expect(throws: HostError.self) { try action(preferences) }
            #expect(error?.code == .prefsDamaged)
            #expect(error?.exitStatus.rawValue == 78)
            #expect(error?.subject == file)
            #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
        }
        #expect(try content() == text)
    }

    @Test("A file that is not an ordinary file, or is too large, is refused without waiting for it")
    func unreadable() throws {
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(#expect(throws: HostError.self) { try preferences.read() }?.code == .prefsUnreadable)
        let pipe = Preferences(file: folder.path("pipe"))
        #expect(mkfifo(pipe.file, 0o600) == 0)
        #expect(#expect(throws: HostError.self) { try pipe.read() }?.code == .prefsUnreadable)
        let large = Preferences(file: folder.path("large"))
        try Data(count: PreferenceFile.largest + 1).write(to: URL(fileURLWithPath: large.file))
        #expect(#expect(throws: HostError.self) { try large.read() }?.code == .prefsUnreadable)
    }

    @Test("A file in a place that cannot be written is reported and leaves nothing behind")
    func unwritable() throws {
        try write("x")
        let inside = Preferences(file: file + "/prefs.json")
        #expect(
            #expect(throws: HostError.self) { try inside.set("debug_plugin", to: "1") }?.code
                == .prefsUnwritable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["prefs.json"])
    }

    @Test("The mode is kept, and no temporary file stays")
    func modeKept() throws {
        try write("{}")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        try preferences.set("debug_plugin", to: "true")
        #expect(try mode(file) == 0o640)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == [".prefs.json.lock", "prefs.json"])
    }

    @Test("A symbolic link stays one, and the file it leads to is replaced")
    func symbolicLink() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("real"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "real/there.json")
        try preferences.set("debug_plugin", to: "true")
        try preferences.set("upload_batch_size", to: "3")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == "real/there.json")
        #expect(
            try Preferences(file: folder.path("real/there.json")).read().integer("upload_batch_size") == 3)
        let circle = folder.path("circle")
        try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: "circle")
        #expect(throws: HostError.self) { try Preferences(file: circle).set("debug_plugin", to: "1") }
    }

    @Test("A set to the value that is there writes nothing")
    func unchanged() throws {
        try write("{\"debug_plugin\":true}")
        try preferences.set("debug_plugin", to: "true")
        #expect(try content() == "{\"debug_plugin\":true}")
    }
}
