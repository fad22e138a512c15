import OverlayABI
import OverlayBridge
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("Settings of the device and app at hand replace what the descriptor says")
struct SettingsTests {
    /// The result of `settings`.
    private func settings(
        _ method: ((UnsafePointer<ovl_settings_sink>, FakeOverlay.ErrorSink) -> ovl_status)?
    )
        throws -> Result<AppAbilities, HostError>
    {
        let environment = try FakeEnvironment()
        environment.fake.descriptor.settableMetadata = ["title", "collections"]
        environment.fake.settings = method
        let instance = try environment.attached()
        defer { instance.destroy() }
        return Result { () throws(HostError) in try instance.settings() }
    }

    private func breach(
        _ clause: String, _ method: @escaping (UnsafePointer<ovl_settings_sink>) -> ovl_status
    ) throws {
        let result = try settings { sink, _ in method(sink) }
        guard case .failure(let error) = result else {
            Issue.record("nothing was wrong")
            return
        }
        #expect(error.code == .contractBroken)
        #expect(error.message.contains("settings"))
        #expect(error.message.contains(clause), "\(error.message)")
    }

    @Test("The descriptor counts if the overlay lacks the method or returns nothing")
    func fallback() throws {
        for method in [nil, { sink, _ in sink.put() }]
            as [((UnsafePointer<ovl_settings_sink>, FakeOverlay.ErrorSink) -> ovl_status)?]
        {
            let found = try settings(method).get()
            #expect(found.formats == ["epub", "pdf"])
            #expect(found.settableMetadata == ["title", "collections"])
            #expect(found.missing.isEmpty)
        }
    }

    @Test("The overlay's settings count, even if they are empty")
    func values() throws {
        let found = try settings { sink, _ in
            sink.put(
                formats: ["pdf"], settable: [],
                missing: [
                    ("books", "The container is closed.", "Use iOS 8.2."), ("later", "Who knows.", nil),
                ])
        }.get()
        #expect(found.formats == ["pdf"])
        #expect(found.settableMetadata == [])
        #expect(found.missing.map(\.ability) == ["books", "later"])
        #expect(
            found.missing("books")
                == MissingAbility(
                    ability: "books", reason: "The container is closed.", hint: "Use iOS 8.2."))
        #expect(found.missing("upload") == nil)
        #expect(try settings { sink, _ in sink.put(formats: []) }.get().formats.isEmpty)
    }

    @Test("Settings that are missing, given twice, or against a rule break the contract")
    func breaches() throws {
        try breach("without settings") { _ in OVL_OK }
        try breach("twice") { sink in
            sink.put()
            return sink.put()
        }
        try breach("EPUB") { $0.put(formats: ["EPUB"]) }
        try breach("no reason") { $0.put(missing: [("books", nil, nil)]) }
        try breach("no reason") { $0.put(missing: [("books", "", nil)]) }
        try breach("ability is absent") { $0.put(missing: [(nil, "Why.", nil)]) }
        try breach("missing twice") { $0.put(missing: [("books", "A.", nil), ("books", "B.", nil)]) }
        try breach("257 elements") { $0.put(formats: [String](repeating: "epub", count: 257)) }
        try breach("257 elements") { sink in
            sink.put(missing: (0..<257).map { ("a\($0)", "Why.", nil) })
        }
        try breach("struct_size 16") { sink in sink.put { $0.struct_size = 16 } }
    }

    @Test("An error of the overlay reaches the caller")
    func failure() throws {
        let result = try settings { _, error in error.fail(OVL_DAMAGED, "Torn.") }
        #expect(throws: HostError.self) { try result.get() }
    }

    @Test(
        "Settings can be read before the reader app is attached, and the overlay can then read the device's description"
    )
    func beforehand() throws {
        let environment = try FakeEnvironment()
        environment.app.formats = ["epub", "cbz"]
        environment.app.sharesFiles = true
        var seen: [String] = []
        environment.fake.settings = { [fake = environment.fake] sink, _ in
            let receiver = Receiver<ovl_device> { device in
                do {
                    seen = try device.app_formats.read("formats") ?? []
                } catch { Issue.record(error) }
                #expect(device.app_file_sharing == 1)
            }
            var devices = ovl_device_sink.sized()
            devices.ctx = receiver.context
            devices.put = { Receiver<ovl_device>.take($0, $1) }
            let table = fake.transport
            let status = withExtendedLifetime(receiver) { table.device?(table.ctx, &devices, nil) }
            guard status == OVL_OK else { return OVL_FAILED }
            return sink.put(formats: seen)
        }
        let instance = try environment.instance()
        #expect(hostError { () throws(HostError) in _ = try instance.settings() }?.code == .wrongState)
        try instance.create()
        try instance.call(.initialize)
        #expect(try instance.settings().formats == ["epub", "cbz"])
        instance.destroy()
    }
}

@Suite("Commands of the app are performed and answered")
struct PerformTests {
    @Test("Command, parameters and paths arrive, and the answer comes back whole")
    func whole() throws {
        let environment = try FakeEnvironment()
        environment.fake.perform = { command, parameters, paths, answer, _ in
            do {
                let pairs = try parameters.pointee.read(ovl_pair.self, "pairs") {
                    pair throws(ContractBreach) in
                    "\(try pair.key.readRequired("key"))=\(try pair.value.readRequired("value"))"
                }
                let texts = try paths.pointee.read("paths") ?? []
                let words = [try command.pointee.readRequired("command")] + pairs + texts
                var offset: UInt64 = 0
                for word in words {
                    let bytes = Array("\(word);".utf8)
                    let status = bytes.lend {
                        answer.pointee.put?(answer.pointee.ctx, $0, offset, OVL_UNKNOWN) ?? OVL_FAILED
                    }
                    if status != OVL_OK { return status }
                    offset += UInt64(bytes.count)
                }
                return OVL_OK
            } catch {
                Issue.record(error)
                return OVL_FAILED
            }
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let answer = try instance.perform(
            "shout", parameters: [("loud", "1"), ("to", "")], paths: ["/a", "/b"])
        #expect(String(decoding: answer, as: UTF8.self) == "shout;loud=1;to=;/a;/b;")
    }

    @Test("An answer without end is refused")
    func endless() throws {
        let environment = try FakeEnvironment()
        environment.fake.perform = { _, _, _, answer, _ in
            let piece = [UInt8](repeating: 0, count: 1 << 20)
            var offset: UInt64 = 0
            while true {
                let status = piece.lend {
                    answer.pointee.put?(answer.pointee.ctx, $0, offset, OVL_UNKNOWN) ?? OVL_FAILED
                }
                if status != OVL_OK { return status }
                offset += UInt64(piece.count)
            }
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        let error = hostError { () throws(HostError) in _ = try instance.perform("flood") }
        #expect(error?.code == .damaged)
        #expect(error?.subject == "flood")
    }

    @Test("An overlay without the method says that it cannot")
    func missing() throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        defer { instance.destroy() }
        #expect(
            hostError { () throws(HostError) in _ = try instance.perform("x") }?.code == .notSupported)
    }
}
