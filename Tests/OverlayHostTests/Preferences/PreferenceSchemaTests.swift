import JSON
import Testing

@testable import OverlayHost

@Suite("Every switch of the calibre plugin is known with its type, default and meaning")
struct PreferenceSchemaTests {
    static let expected: [(key: String, type: Preference.ValueType, fallback: String?)] = [
        ("preferred_reader_app", .text, "\"\""), ("plugin_directories", .texts, "[]"),
        ("web_overlays", .texts, "[]"),
        ("development_mode", .bool, "false"), ("development_app_id", .text, nil),
        ("development_overlay", .text, nil), ("watch", .bool, "false"),
        ("allow_weaker_isolation", .bool, "false"),
        ("debug_plugin", .bool, "false"), ("debug_libimobiledevice", .bool, "false"),
        ("debug_can_handle", .bool, "false"), ("marvin_protect_rb", .bool, "true"),
        ("marvin_update_rb", .bool, "false"), ("marvin_replace_rb", .bool, "false"),
        ("marvin_edit_collections_cb", .bool, "true"), ("marvin_merge_collections", .bool, "true"),
        ("upload_batch_size", .integer, "100"), ("booklist_caching", .bool, "true"),
        ("device_booklist_caching", .bool, "false"), ("device_booklist_cache_limit", .number, "10"),
        ("cc_mappings", .object, "{}"), ("goodreader_caching_disabled", .bool, "false"),
        ("kindle_caching_disabled", .bool, "false"),
        ("kindle_enabled_formats", .texts, "[\"MOBI\", \"PDF\"]"),
        ("kindle_supported_formats", .texts, "[\"MOBI\", \"PDF\"]"),
    ]

    @Test("The live keys have their types and defaults")
    func live() {
        let live = PreferenceSchema.builtIn.preferences.filter { $0.owner != .obsolete }
        #expect(live.map(\.key) == Self.expected.map(\.key))
        for (preference, row) in zip(live, Self.expected) {
            #expect(preference.type == row.type, "\(row.key)")
            #expect(preference.fallback?.text() == row.fallback, "\(row.key)")
            #expect(!preference.meaning.isEmpty)
            if let fallback = preference.fallback { #expect(preference.acceptsNew(fallback), "\(row.key)") }
        }
    }

    @Test("Each of the host's own keys has a label in words")
    func labels() throws {
        for preference in PreferenceSchema.builtIn.preferences where preference.owner == .host {
            let label = try #require(preference.label, "\(preference.key)")
            #expect(!label.isEmpty && !label.contains("_"), "\(preference.key)")
        }
    }

    @Test("The obsolete keys are known as such")
    func obsolete() {
        let keys = PreferenceSchema.builtIn.preferences.filter { $0.owner == .obsolete }.map(\.key)
        #expect(
            Set(keys) == [
                "plugin_version", "plugin_diagnostics", "ibooks_override",
                "marvin_enabled_collection_fields", "marvin_collection_field", "marvin_collection_lookup",
                "marvin_word_count_field", "marvin_word_count_lookup",
            ])
    }

    @Test("An overlay's options and app name join the schema; built-in keys keep their meaning")
    func merging() throws {
        let option = Preference(
            "nova_speed", .integer, default: .integer(3), owner: .overlay("nova"), "Speed.")
        let takeover = Preference("debug_plugin", .text, owner: .overlay("nova"), "Mine now.")
        let merged = PreferenceSchema.builtIn.merging(
            OverlayDescription(
                id: "nova", name: "Nova", version: "1.0.0", appName: "Nova Reader", appIDs: ["org.nova"],
                options: [option, takeover]))
        #expect(merged["nova_speed"] == option)
        #expect(merged["debug_plugin"]?.type == .bool)
        #expect(merged["preferred_reader_app"]?.allowed?.contains("Nova Reader") == true)
        #expect(merged["preferred_reader_app"]?.allowed?.contains("Marvin") == true)
    }

    @Test("With an overlay for any app each name is accepted, and only a likely typo is remarked")
    func anyApp() throws {
        var anyApp = OverlayDescription(
            id: "any", name: "Any", version: "1.0.0", appName: "Documents", appIDs: [], options: [])
        anyApp.traits = .anyFileSharingApp
        let nova = OverlayDescription(
            id: "nova", name: "Nova", version: "1.0.0", appName: "Nova Reader", appIDs: ["org.nova"],
            options: [])
        let merged = PreferenceSchema.builtIn.merging(anyApp).merging(nova)
        let preference = try #require(merged["preferred_reader_app"])
        #expect(try preference.value(fromText: "goodreader").string == "GoodReader")
        for (text, remarks) in [
            ("org.example.paperback", []), ("Marvin", []), ("", []), ("Nova Reader", []),
            ("Paperback", []),
            ("Marvn", ["No overlay is made for an app named 'Marvn'. Did you mean 'Marvin'?"]),
            (
                "Nova Raeder",
                ["No overlay is made for an app named 'Nova Raeder'. Did you mean 'Nova Reader'?"]
            ),
        ] {
            let value = try preference.value(fromText: text)
            #expect(value.string == text)
            #expect(preference.remarks(on: value) == remarks)
        }
    }

    @Test("A missing overlay can be allowed to use the web, with a remark")
    func webOverlays() throws {
        let nova = OverlayDescription(
            id: "nova", name: "Nova", version: "1.0.0", appName: "Nova Reader", appIDs: ["org.nova"],
            options: [])
        let preference = try #require(PreferenceSchema.builtIn.merging(nova)["web_overlays"])
        #expect(try preference.value(fromText: "Nova").strings == ["nova"])
        for (text, remarks) in [
            ("", []), ("nova", []),
            (
                "nosuch,nova",
                ["No overlay has the id 'nosuch'. List the overlays with 'overlayhost overlays'."]
            ),
            ("nvoa", ["No overlay has the id 'nvoa'. Did you mean 'nova'?"]),
        ] {
            #expect(preference.remarks(on: try preference.value(fromText: text)) == remarks)
        }
    }

    @Test(
        "A text on the command line becomes a value of the key's type",
        arguments: [
            ("debug_plugin", "true", "true"), ("debug_plugin", "YES", "true"), ("debug_plugin", "0", "false"),
            ("debug_plugin", "off", "false"), ("upload_batch_size", "50", "50"),
            ("device_booklist_cache_limit", "12.5", "12.5"), ("preferred_reader_app", "Marvin", "\"Marvin\""),
            ("preferred_reader_app", "goodreader 4", "\"GoodReader 4\""),
            ("preferred_reader_app", "", "\"\""),
            ("kindle_enabled_formats", "PDF, MOBI", "[\"PDF\", \"MOBI\"]"),
            ("marvin_enabled_collection_fields", "[\"A,B\"]", "[\"A,B\"]"),
            ("kindle_enabled_formats", "", "[]"),
            ("kindle_enabled_formats", "PDF,MOBI,PDF", "[\"PDF\", \"MOBI\"]"),
            ("upload_batch_size", "100.0", "100"), ("device_booklist_cache_limit", "1e-400", "0"),
            ("development_app_id", "  ", "\"\""), ("development_app_id", " org.nova ", "\"org.nova\""),
            ("cc_mappings", "{\"L\": {}}", "{\"L\": {}}"), ("development_overlay", "/a b/c", "\"/a b/c\""),
        ])
    func parsing(key: String, text: String, json: String) throws {
        let preference = try #require(PreferenceSchema.builtIn[key])
        #expect(try preference.value(fromText: text).text() == json)
    }

    @Test(
        "A value of another type or outside the range is refused with what is allowed",
        arguments: [
            ("debug_plugin", "maybe", "true or false"),
            ("upload_batch_size", "0", "a whole number from 1 to 100000"),
            ("upload_batch_size", "many", "a whole number from 1 to 100000"),
            ("upload_batch_size", "1.5", "a whole number from 1 to 100000"),
            ("device_booklist_cache_limit", "101", "a number from 0 to 100"),
            ("preferred_reader_app", "Marvn", "\"Marvin\""),
            ("kindle_enabled_formats", "[1]", "a list of strings"),
            ("cc_mappings", "[]", "a JSON object"), ("cc_mappings", "{", "a JSON object"),
        ])
    func refusing(key: String, text: String, expectation: String) throws {
        let preference = try #require(PreferenceSchema.builtIn[key])
        let error = #expect(throws: HostError.self) { try preference.value(fromText: text) }
        #expect(error?.code == .prefsInvalidValue)
        #expect(error?.exitStatus.rawValue == 78)
        #expect(error?.subject == key)
        #expect(error?.message.contains(expectation) == true, "\(error?.message ?? "")")
    }

    @Test("A mistyped value is answered with the nearest allowed one, and a missing file with a remark")
    func nearestValue() throws {
        for (key, text, hint) in [
            ("preferred_reader_app", "Marvn", "Did you mean 'Marvin'?")
        ] {
            let preference = try #require(PreferenceSchema.builtIn[key])
            let error = #expect(throws: HostError.self) { try preference.value(fromText: text) }
            #expect(error?.hint == hint)
        }
        for key in ["kindle_enabled_formats", "kindle_supported_formats"] {
            let formats = try #require(PreferenceSchema.builtIn[key])
            let value = try formats.value(fromText: "pdf,MOIB,LIT")
            #expect(value.strings == ["pdf", "MOIB", "LIT"])
            #expect(
                formats.remarks(on: value) == [
                    "'MOIB' is not a known book format. Did you mean 'mobi'?"
                ])
        }
        let overlay = try #require(PreferenceSchema.builtIn["development_overlay"])
        #expect(overlay.remarks(on: .string("/no/such/file.so")) == ["This file does not exist."])
        #expect(overlay.remarks(on: .string("/")) == [])
        #expect(overlay.remarks(on: .string("")) == [])
    }

    @Test("A mistyped key is answered with the nearest valid one")
    func nearest() {
        #expect(PreferenceSchema.builtIn.unknown("debug_plugni").hint == "Did you mean debug_plugin?")
        #expect(
            PreferenceSchema.builtIn.unknown("xyzzy").hint
                == "List the preferences with: overlayhost prefs list")
    }
}
