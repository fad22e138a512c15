import Foundation
import TestSupport
import Testing

@Suite("Options and help of overlays")
struct OptionTests {
    @Test("overlays NAME shows what the overlay can do, its options with their values, and its help")
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
        ])
    func refused(key: String, value: String, allowed: String) throws {
        let bench = try ReaderBench(attached: false)
        let set = try bench.json("prefs", "set", key, value)
        #expect(set.status == 78)
        #expect(set.error("code") == "prefs_invalid_value")
        #expect(set.error("message")?.contains(allowed) == true, "\(set.error("message") ?? "")")
    }

    @Test("prefs list groups the keys by overlay, and tells programs which it is")
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
