import DeviceTransport
import OverlayABI
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("The command doctor names the first failed check")
struct DoctorTests {
    private func examine(
        _ environment: FakeEnvironment, _ change: (FakeEnvironment) throws -> Void = { _ in }
    ) throws
        -> Doctor
    {
        environment.fake.books = { _, _, _ in OVL_OK }
        try change(environment)
        return Doctor.run(try environment.request(presenceLimit: .zero), on: environment.device)
    }

    @Test("A healthy chain passes every check in order")
    func healthy() throws {
        let doctor = try examine(try FakeEnvironment())
        #expect(doctor.ok)
        #expect(doctor.headline == nil)
        #expect(
            doctor.checks.map(\.check) == [
                "device", "trust", "passcode", "app", "file-sharing", "overlay", "reader", "books",
            ])
        #expect(doctor.checks.last?.message == "Reader lists 0 books.")
    }

    @Test(
        "The doctor names what cannot be done although every check passes, and why"
    )
    func missing() throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            environment.fake.upload = { _, _, _, _ in OVL_OK }
            environment.fake.getFile = { _, _, _ in OVL_OK }
            environment.fake.settings = { sink, _ in
                sink.put(missing: [("update", "It is too old.", "Update it.")])
            }
        }
        #expect(doctor.ok && doctor.exitStatus == .done)
        #expect(doctor.app?.name == "Reader")
        #expect(
            doctor.missing == [
                MissingAbility(ability: "update", reason: "It is too old.", hint: "Update it."),
                MissingAbility(ability: "delete", reason: "The overlay Fake does not support this."),
            ])
    }

    @Test("A ready reader app whose library cannot be read fails the check")
    func brokenLibrary() throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            environment.fake.books = { _, _, error in
                error.fail(OVL_DAMAGED, "The library is damaged.", hint: "Repair it.")
            }
        }
        #expect(doctor.headline?.check == "books")
        #expect(doctor.headline?.hint == "Repair it.")
        #expect(doctor.checks.first { $0.check == "reader" }?.ok == true)
        #expect(doctor.exitStatus == .noInput)
    }

    @Test("The doctor says why this device does not allow a listing")
    func closedLibrary() throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            environment.fake.settings = { sink, _ in sink.put(missing: [("books", "It is closed.", nil)]) }
        }
        #expect(doctor.headline?.check == "books" && doctor.headline?.code == .notSupported)
    }

    @Test("Warnings of the overlay during the listing are shown beside the number of books")
    func warnings() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            let table: UnsafePointer<ovl_log_service>? = fake.service(OVL_SERVICE_LOG)
            withText("reader") { category in
                withText("A command waits.") { message in
                    table?.pointee.write?(table?.pointee.ctx, OVL_LOG_WARNING, category, message, nil)
                }
            }
            return OVL_OK
        }
        var request = try environment.request()
        request.loggers = SessionLoggers(DiagnosticSwitches())
        let doctor = Doctor.run(request, on: environment.device)
        #expect(doctor.ok)
        #expect(doctor.checks.last?.message == "Reader lists 0 books. A command waits.")
    }

    @Test("If the documents of an app that shares them are refused, the doctor names them, not the container")
    func refusedDocuments() throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            let attributes: [String: DeviceValue] = [
                "CFBundleDisplayName": .string("Reader"), "UIFileSharingEnabled": .bool(true),
            ]
            environment.device.set(apps: [
                InstalledApp(bundleID: "com.example.reader", attributes: attributes)
            ])
            environment.device.refuse([.container], TransportError(.accessRefused, "The container."))
            environment.device.refuse([.documents], TransportError(.accessRefused, "The documents."))
        }
        #expect(doctor.headline?.check == "file-sharing")
        #expect(doctor.headline?.message.contains("The documents.") == true)
    }

    @Test(
        "Each obstacle is the headline of its check, and nothing after it is claimed",
        arguments: [
            ("device", 1), ("trust", 2), ("passcode", 3), ("app", 4), ("file-sharing", 5), ("overlay", 6),
            ("reader", 7),
        ])
    func obstacles(_ check: String, _ count: Int) throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            switch check {
            case "device": environment.device.unplug()
            case "trust": environment.device.set(trust: .denied)
            case "passcode":
                // The device reports that it is unlocked, but the access that it grants decides.
                environment.device.refuse(
                    [.container, .documents, .media],
                    TransportError(.passcodeLocked, "Locked.", hint: "Unlock it."))
            case "app": environment.device.set(apps: [])
            case "file-sharing":
                environment.device.refuse(
                    [.container, .documents], TransportError(.accessRefused, "Closed.", hint: "Open it."))
            case "overlay": environment.fake.initialize = { $0.fail(OVL_FAILED, "Broken.", hint: "Mend it.") }
            default:
                environment.fake.canHandle = { _, sink, _ in
                    sink.put(OVL_PRESENCE_NOT_NOW, reason: OVL_REASON_APP_OFFLINE)
                }
            }
        }
        #expect(!doctor.ok)
        #expect(doctor.headline?.check == check)
        #expect(doctor.checks.count == count)
        #expect(doctor.checks.dropLast().allSatisfy { $0.ok })
    }

    @Test(
        "An app of iOS is served by the media folder, regardless of its container, and not without the media folder",
        arguments: [true, false])
    func systemApp(isListed: Bool) throws {
        func examine(_ refused: [DeviceRoot.Kind]) throws -> Doctor {
            try self.examine(try FakeEnvironment()) { environment in
                environment.fake.descriptor.appIDs = ["com.apple.iBooks"]
                environment.device.set(
                    apps: isListed ? [InstalledApp(bundleID: "com.apple.iBooks", attributes: [:])] : [])
                environment.device.refuse(
                    refused, TransportError(.accessRefused, "Closed.", hint: "Open it."))
            }
        }
        let closed = try examine([.container, .documents])
        let check = try #require(closed.checks.first { $0.check == "file-sharing" })
        #expect(check.ok)
        #expect(
            check.message
                == "iOS allows access to: media. The container is not accessible. Closed. Its books are in the media folder."
        )
        let open = try examine([.media])
        #expect(open.headline?.check == "file-sharing", "\(open.checks)")
        #expect(open.headline?.hint == "Open it.")
    }

    @Test("Problems of a device that gives its name are shown with that name")
    func deviceName() throws {
        let environment = try FakeEnvironment()
        let udid = environment.device.device.udid
        environment.device.refuse(
            [.container, .documents, .media], TransportError(.passcodeLocked, "Locked.", subject: udid))
        let doctor = Doctor.run(try environment.request(presenceLimit: .zero), on: environment.device)
        #expect(doctor.headline?.message.hasPrefix("Test iPad: ") == true, "\(doctor.checks)")
    }

    @Test("A device that is locked but readable is not called unlocked, and the checks continue")
    func lockedAndOpen() throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            environment.device.set(locked: true)
            environment.fake.books = { _, _, _ in OVL_OK }
        }
        #expect(doctor.ok, "\(doctor.checks)")
        let check = try #require(doctor.checks.first { $0.check == "passcode" })
        #expect(
            check.message
                == "The device is locked, but its files are accessible because it was unlocked before.")
    }

    @Test(
        "The doctor says what an overlay without books can do, and checks the reader anyway")
    func noBooks() throws {
        let doctor = try examine(try FakeEnvironment()) { environment in
            environment.fake.books = nil
            environment.fake.upload = { _, _, _, _ in OVL_OK }
            environment.fake.delete = { _, _, _ in OVL_OK }
            environment.fake.prepare = { _, _, _ in OVL_OK }
        }
        let check = try #require(doctor.headline)
        #expect(check.check == "overlay")
        #expect(check.message.contains("cannot list books"))
        #expect(check.hint?.contains("upload, delete, get") == true, "\(check.hint ?? "no hint")")
        #expect(doctor.exitStatus == .unavailable)
        #expect(doctor.checks.map(\.check).last == "reader")
        #expect(doctor.checks.last?.ok == true)
    }

    @Test("A missing overlay for the app fails the check of overlays, not that of the app")
    func noOverlay() throws {
        let environment = try FakeEnvironment()
        var request = try environment.request()
        request.overlays = OverlayCatalog()
        #expect(Doctor.run(request, on: environment.device).headline?.check == "overlay")
    }

    @Test(
        "Every state of trust except paired says what to do",
        arguments: [
            PairingState.notPaired, .stale, .pending, .denied, .locked,
        ])
    func trust(_ state: PairingState) throws {
        let doctor = try examine(try FakeEnvironment()) { $0.device.set(trust: state) }
        #expect(doctor.headline?.check == (state == .locked ? "passcode" : "trust"))
        #expect(doctor.headline?.hint?.isEmpty == false)
    }

    @Test(
        "A device that does not trust this computer is asked to, and its answer is reported",
        arguments: [PairingState.notPaired, .stale],
        [
            (PairingState.paired, "trust", nil), (.pending, "trust", "tap Trust"),
            (.denied, "trust", "reconnect"), (.locked, "passcode", "Unlock"),
        ] as [(PairingState, String, String?)])
    func askedForTrust(_ state: PairingState, _ answer: (PairingState, String, String?)) throws {
        let doctor = try examine(try FakeEnvironment()) {
            $0.device.set(trust: state)
            $0.device.set(answer: answer.0)
        }
        let check = try #require(doctor.checks.first { $0.check == answer.1 })
        #expect(check.ok == (answer.2 == nil))
        if let hint = answer.2 {
            #expect(check.hint?.contains(hint) == true)
            #expect(doctor.headline == check)
        } else {
            #expect(check.message.contains("now trusts"))
        }
    }
}
