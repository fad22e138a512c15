import Foundation
import JSON
import OverlayABI
import OverlayBridge
import Testing
import TestSupport

@testable import OverlayHost

@Suite("An overlay sees only its own part of the preferences")
struct PreferenceServiceTests {
    private func prefs(_ environment: FakeEnvironment, _ stored: [String: JSONValue] = [:]) throws
        -> (OverlayInstance, ovl_prefs_service)
    {
        let instance = try environment.attached(stored)
        let table: UnsafePointer<ovl_prefs_service> = try #require(
            environment.fake.service(OVL_SERVICE_PREFS))
        return (instance, table.pointee)
    }

    private func integer(_ table: ovl_prefs_service, _ key: String, _ fallback: Int64) -> (ovl_status?, Int64)
    {
        var value: Int64 = -99
        let status = withText(key) { table.get_integer?(table.ctx, $0, fallback, &value, nil) }
        return (status, value)
    }

    @Test("A number is the stored one, or otherwise the option's default")
    func integers() throws {
        let environment = try FakeEnvironment()
        var (instance, table) = try prefs(environment, ["fake_number": .integer(41)])
        #expect(integer(table, "fake_number", 1) == (OVL_OK, 41))
        instance.destroy()
        (instance, table) = try prefs(environment)
        #expect(integer(table, "fake_number", 1) == (OVL_OK, 7))
        instance.destroy()
    }

    @Test("Common switches can be read, and paths and other overlays' keys cannot")
    func visibility() throws {
        let environment = try FakeEnvironment()
        let (instance, table) = try prefs(
            environment, ["development_mode": .bool(true), "other_key": .integer(1)])
        defer { instance.destroy() }
        var flag: Int32 = -1
        #expect(withText("development_mode") { table.get_bool?(table.ctx, $0, 0, &flag, nil) } == OVL_OK)
        #expect(flag == 1)
        for key in ["plugin_directories", "development_overlay", "other_key", "marvin_protect_rb", ""] {
            #expect(integer(table, key, 5).0 == OVL_NOT_FOUND, "\(key)")
        }
    }

    @Test("A value of another type is an invalid argument")
    func types() throws {
        let environment = try FakeEnvironment()
        let (instance, table) = try prefs(environment)
        defer { instance.destroy() }
        #expect(integer(table, "fake_script", 5).0 == OVL_INVALID_ARGUMENT)
        #expect(integer(table, "fake_script", 5).1 == -99)
    }

    @Test("The elements of a list come one by one, and the JSON of a value as it is")
    func lists() throws {
        let environment = try FakeEnvironment()
        let (instance, table) = try prefs(environment, ["fake_list": .texts(["a", "", "ü"])])
        defer { instance.destroy() }
        let texts = TextCollector()
        #expect(
            withText("fake_list") { key in texts.sink { table.get_texts?(table.ctx, key, $0, nil) } }
                == OVL_OK)
        #expect(texts.texts == ["a", "", "ü"])
        let json = TextCollector()
        #expect(
            withText("fake_list") { key in json.sink { table.get_json?(table.ctx, key, $0, nil) } } == OVL_OK)
        #expect(json.texts == [#"["a", "", "ü"]"#])
    }

    @Test("An own option can be stored and is read back; others are refused")
    func storing() throws {
        let environment = try FakeEnvironment()
        let (instance, table) = try prefs(environment)
        defer { instance.destroy() }
        func store(_ key: String, _ json: String) -> ovl_status? {
            withText(key) { key in withText(json) { table.request_set?(table.ctx, key, $0, nil) } }
        }
        #expect(store("fake_number", "12") == OVL_OK)
        #expect(integer(table, "fake_number", 1) == (OVL_OK, 12))
        #expect(store("fake_number", #""twelve""#) == OVL_INVALID_ARGUMENT)
        #expect(store("fake_number", "12 13") == OVL_INVALID_ARGUMENT)
        #expect(store("development_mode", "true") == OVL_ACCESS_REFUSED)
        #expect(store("marvin_protect_rb", "true") == OVL_ACCESS_REFUSED)
        #expect(store("never_heard_of", "true") == OVL_ACCESS_REFUSED)
        #expect(integer(table, "fake_number", 1) == (OVL_OK, 12))
    }

    @Test("The folder to sync is for a person to choose, not for the overlay")
    func folderToSync() throws {
        let environment = try FakeEnvironment()
        var option = Preference("fake_folder", .text, owner: .overlay("fake"), "A folder.")
        option.namesSyncFolder = true
        environment.fake.descriptor.options.append(option)
        let (instance, table) = try prefs(environment)
        defer { instance.destroy() }
        let status = withText("fake_folder") { key in
            withText(#""~/Documents""#) { table.request_set?(table.ctx, key, $0, nil) }
        }
        #expect(status == OVL_ACCESS_REFUSED)
    }

    @Test("A preference that cannot be stored is a failure of the host's files, and changes nothing")
    func notStored() throws {
        let environment = try FakeEnvironment()
        let (instance, table) = try prefs(environment, ["fake_number": .integer(3)])
        defer { instance.destroy() }
        try Data("{ damaged".utf8).write(to: URL(fileURLWithPath: environment.folder.path("prefs.json")))
        let status = withText("fake_number") { key in
            withText("12") { table.request_set?(table.ctx, key, $0, nil) }
        }
        #expect(status == OVL_HOST_IO)
        #expect(integer(table, "fake_number", 1) == (OVL_OK, 3))
    }
}

/// Collects the texts of a text sink.
final class TextCollector {
    private(set) var texts: [String] = []

    func sink<Result>(_ body: (UnsafePointer<ovl_text_sink>) -> Result) -> Result {
        var sink = ovl_text_sink.sized()
        sink.ctx = Unmanaged.passUnretained(self).toOpaque()
        sink.put = { context, text in
            guard let context, let text = text.pointee.readMessageOrEmpty else { return OVL_FAILED }
            Unmanaged<TextCollector>.fromOpaque(context).takeUnretainedValue().texts.append(text)
            return OVL_OK
        }
        return withUnsafePointer(to: sink, body)
    }
}

extension ovl_text {
    /// The text; nil if absent.
    fileprivate var readMessageOrEmpty: String? { self.repaired(limit: 1 << 20) }
}
