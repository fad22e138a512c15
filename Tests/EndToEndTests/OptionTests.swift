import Foundation
import TestSupport
import Testing

@Suite("Options and help of overlays are shown")
struct OptionTests {
    @Test("overlays shows what one overlay can do, its options with their values, and its help")
    func overlay() throws {
        let bench = try ReaderBench(attached: false)
        #expect(try bench.run("prefs", "set", "upload_batch_size", "25").status == 0)
        for name in ["marvin", "Marvin", "MARVIN"] {
            let marvin = try bench.json("overlays", name)
            #expect(marvin.status == 0)
            #expect(marvin["id"] as? String == "marvin")
            #expect((marvin["abilities"] as? [String])?.contains("upload") == true)
            #expect((marvin["help"] as? String)?.isEmpty == false)
            let option = try #require(
                marvin.rows("options").first { $0["key"] as? String == "upload_batch_size" })
            #expect(option["value"] as? Int == 25)
            #expect(option["default"] as? Int == 100)
            #expect(option["type"] as? String == "integer")
            #expect((option["range"] as? [String: Any])?["minimum"] as? Int == 1)
            for member in ["label", "help"] {
                #expect((option[member] as? String)?.isEmpty == false, "\(member)")
            }
        }
        let text = try bench.run("overlays", "marvin").output
        for words in [
            "Bundle ids", "com.appstafarian.MarvinIP", "Options", "upload_batch_size", "Takes", "from 1 to",
        ] {
            #expect(text.contains(words), "\(text)")
        }
        let unknown = try bench.json("overlays", "marvn")
        #expect(unknown.status == 69)
        #expect(unknown.error("hint") == "Did you mean marvin?")
    }

    @Test(
        "A wrong value is refused with what is allowed",
        arguments: [
            ("upload_batch_size", "0", "a whole number from 1 to 100000"),
            ("marvin_protect_rb", "maybe", "true or false"),
            ("device_booklist_cache_limit", "500", "a number from 0 to 100"),
            ("goodreader_formats", "pdf,xyz", #"each one of "pdf", "txt","#),
        ])
    func refused(key: String, value: String, allowed: String) throws {
        let bench = try ReaderBench(attached: false)
        let set = try bench.json("prefs", "set", key, value)
        #expect(set.status == 78)
        #expect(set.error("code") == "prefs_invalid_value")
        #expect(set.error("message")?.contains(allowed) == true, "\(set.error("message") ?? "")")
        #expect(set.error("subject") == key)
        // A refused value is not stored.
        #expect(try bench.json("prefs", "get", key)["value"] as? String != value)
    }

    @Test("Every overlay has an option schema with every part, and a help text with headings")
    func everyOverlay() throws {
        let bench = try ReaderBench(attached: false)
        let ids = try bench.json("overlays").texts("overlays", "id")
        #expect(Set(ids).isSuperset(of: ["marvin", "goodreader", "kindle", "documents", "ibooks"]))
        for id in ids {
            let overlay = try bench.json("overlays", id)
            #expect((overlay["help"] as? String)?.contains("# ") == true, "\(id)")
            let options = overlay.rows("options")
            #expect(!options.isEmpty, "\(id)")
            for option in options {
                let key = option["key"] as? String ?? "?"
                for member in ["key", "type", "label", "help"] {
                    #expect((option[member] as? String)?.isEmpty == false, "\(id): \(key): \(member)")
                }
                #expect(option.keys.contains("default"), "\(id): \(key)")
                if let type = option["type"] as? String, ["integer", "number"].contains(type) {
                    #expect(option["range"] is [String: Any], "\(id): \(key)")
                }
            }
        }
    }

    @Test("The list of preferences groups the keys by overlay, and names the overlay in its JSON")
    func list() throws {
        let bench = try ReaderBench(attached: false)
        let text = try bench.run("prefs", "list").output
        let host = try #require(text.range(of: "\nOverlayHost:\n"))
        let marvin = try #require(text.range(of: "\nMarvin:\n"))
        #expect(host.lowerBound < marvin.lowerBound)
        let rows = try bench.json("prefs", "list").rows("prefs")
        #expect(rows.first { $0["key"] as? String == "cc_mappings" }?["overlay"] as? String == "marvin")
        #expect(rows.first { $0["key"] as? String == "development_mode" }?["overlay"] is NSNull)
    }
}
