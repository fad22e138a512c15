import DeviceTransport
import OverlayABI
import OverlayBridge
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

/// One after the other, because a survey asks all attached devices, also those whose requests another test counts.
@Suite("Sessions, surveys and the watch work on a device that speaks the true protocols", .serialized)
struct SimulatedSessionTests {
    private var settings: SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = [SimulatedApp(bundleID: "com.example.reader", name: "Reader", version: "3.1")]
        return settings
    }

    private func request(_ environment: FakeEnvironment, _ device: SimulatedDevice) throws -> SessionRequest {
        var request = try environment.request()
        request.device = device.settings.udid
        return request
    }

    @Test("A session finds device and app and reaches the files that iOS grants")
    func session() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            var rows: [String] = []
            environment.fake.books = { [fake = environment.fake] _, _, _ in
                let table = fake.transport
                let memory = Arena()
                var bytes = memory.bytes([1, 2, 3])
                let files = FileReceiver { _, status, info in
                    rows.append("\(status) \(info?.name.readMessage() ?? "") \(info?.size ?? 0)")
                }
                withText("/Documents/a.epub") { path in
                    #expect(table.write?(table.ctx, OVL_ROOT_DOCUMENTS, path, &bytes, 0, nil) == OVL_OK)
                    #expect(
                        table.write?(table.ctx, OVL_ROOT_CONTAINER, path, &bytes, 0, nil)
                            == OVL_ACCESS_REFUSED)
                }
                withText("/Documents") { path in
                    #expect(
                        files.sink {
                            table.list?(table.ctx, OVL_ROOT_DOCUMENTS, path, OVL_LIST_WITH_INFO, $0, nil)
                        } == OVL_OK)
                }
                return OVL_OK
            }
            let session = try HostSession(try request(environment, device))
            defer { session.close() }
            #expect(
                session.app
                    == ReaderApp(
                        bundleID: "com.example.reader", name: "Reader", version: "3.1", sharesFiles: true))
            #expect(session.device.model == "iPad4,2")
            _ = try session.books()
            #expect(rows == ["0 a.epub 3"])
        }
    }

    /// Weakness 18 in docs/weaknesses.md.
    @Test(
        "A device that was locked, untrusted or silent at first is served in the same process",
        arguments: ["locked", "trust", "keys"])
    func notDisabled(_ obstacle: String) throws {
        var settings = settings
        switch obstacle {
        case "locked": settings.isLocked = true
        case "trust": settings.trust = .denied
        default: settings.iosVersion = "6.1.3"
        }
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.books = { _, sink, _ in sink.put(BookRecord(path: "/a")) }
            let request = try request(environment, device)
            if obstacle != "keys" {
                let error = hostError { () throws(HostError) in _ = try HostSession(request) }
                #expect(error?.exitStatus == .refused, "\(obstacle): \(error.map { "\($0)" } ?? "no error")")
                #expect((error?.code == .deviceLocked) == (obstacle == "locked"))
            }
            try device.update {
                $0.isLocked = false
                $0.trust = .trusted
            }
            let session = try HostSession(request)
            defer { session.close() }
            #expect(try session.books().count == 1)
        }
    }

    /// Weakness 19 in docs/weaknesses.md.
    @Test("An app that is installed later is served without replugging")
    func installedLater() throws {
        var settings = settings
        settings.apps = []
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            let request = try request(environment, device)
            let error = hostError { () throws(HostError) in _ = try HostSession(request) }
            #expect(
                error?.code == .appNotInstalled || error?.code == .appNotChosen,
                "\(error.map { "\($0)" } ?? "")")
            try device.update { $0.apps = self.settings.apps }
            try HostSession(request).close()
        }
    }

    /// Weakness 20 in docs/weaknesses.md.
    @Test("Failed mounts release their connections")
    func leakedConnections() throws {
        var settings = settings
        settings.iosVersion = "9.3.5"
        settings.connectionLimit = 4
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.books = { [fake = environment.fake] _, _, error in
                let table = fake.transport
                return withText("/Documents/x") { path in
                    let refused = table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, path, nil) ?? OVL_FAILED
                    let made = table.make_folder?(table.ctx, OVL_ROOT_DOCUMENTS, path, nil) ?? OVL_FAILED
                    return refused == OVL_ACCESS_REFUSED && made == OVL_OK
                        ? OVL_OK : error.fail(made, "Full.")
                }
            }
            let request = try request(environment, device)
            for _ in 0..<12 {
                let session = try HostSession(request)
                _ = try session.books()
                session.close()
            }
            #expect(device.counters.connections > 12 * 2)
        }
    }

    @Test("An overlay that waits is woken when the cable is pulled, and cleaned up after")
    func unplugged() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            let cleaned = Box<Bool>()
            environment.fake.books = { [fake = environment.fake] _, _, error in
                guard let table: UnsafePointer<ovl_cancel_service> = fake.service(OVL_SERVICE_CANCEL) else {
                    return OVL_FAILED
                }
                SharedUsbmuxd.daemon.detach(device)
                let status = table.pointee.wait?(table.pointee.ctx, 3_600_000_000_000, nil) ?? OVL_FAILED
                return error.fail(status, "It is over.")
            }
            environment.fake.cleanUp = { _ in
                cleaned.set(true)
                return OVL_OK
            }
            let session = try HostSession(try request(environment, device))
            defer { session.close() }
            #expect(hostError { () throws(HostError) in _ = try session.books() }?.code == .deviceGone)
            #expect(cleaned.value == true)
            #expect(session.link.connection.state == .yanked)
        }
    }

    @Test("An overlay that waits is woken by a cancel from another thread")
    func cancelled() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.books = {
                [fake = environment.fake, cancellation = environment.cancellation] _, _, error in
                guard let table: UnsafePointer<ovl_cancel_service> = fake.service(OVL_SERVICE_CANCEL) else {
                    return OVL_FAILED
                }
                runOnThread { cancellation.cancel() }
                let status = table.pointee.wait?(table.pointee.ctx, 3_600_000_000_000, nil) ?? OVL_FAILED
                return error.fail(status, "It is over.")
            }
            let session = try HostSession(try request(environment, device))
            defer { session.close() }
            #expect(hostError { () throws(HostError) in _ = try session.books() }?.code == .cancelled)
        }
    }

    @Test("The surveys show the device and what iOS grants for the app")
    func surveys() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            let survey = try ReaderAppSurvey.run(
                device: device.settings.udid, overlays: [environment.fake.descriptor])
            #expect(survey.apps.map(\.bundleID) == ["com.example.reader"])
            #expect(survey.apps[0].access == ["documents", "media"])
            #expect(survey.apps[0].refused.map(\.root) == ["container"])
            #expect(survey.apps[0].refused[0].reason.isEmpty == false)
            let all = try DeviceSurvey.run()
            let own = try #require(all.first { $0.udid == device.settings.udid })
            #expect(own.pairing == "paired")
            #expect(own.ios == "9.3.5")
        }
    }

    @Test("The survey of apps shows what each overlay says its app does not allow on this device")
    func missingAbilities() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            let request = try request(environment, device)
            let overlays = request.overlays.overlays.map { (descriptor: $0.descriptor, overlay: $0) }
            #expect(try ReaderAppSurvey.run(request, overlays: overlays).apps.map(\.missing) == [[]])
            environment.fake.settings = { sink, _ in
                sink.put(missing: [("upload", "The app is too old.", "Update it.")])
            }
            let renewed = try self.request(environment, device)
            let loaded = renewed.overlays.overlays.map { (descriptor: $0.descriptor, overlay: $0) }
            let missing = try #require(
                try ReaderAppSurvey.run(renewed, overlays: loaded).apps.first?.missing)
            #expect(
                missing == [
                    MissingAbility(ability: "upload", reason: "The app is too old.", hint: "Update it.")
                ])
        }
    }

    @Test("An overlay that cannot be asked is a problem of its app, with everything missing")
    func unaskedOverlay() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.books = { _, _, _ in OVL_OK }
            environment.fake.settings = { _, error in error.fail(OVL_BUSY, "It is starting.") }
            let request = try request(environment, device)
            let overlays = request.overlays.overlays.map { (descriptor: $0.descriptor, overlay: $0) }
            let app = try #require(try ReaderAppSurvey.run(request, overlays: overlays).apps.first)
            #expect(app.problem?.code == .busy && app.problem?.message == "It is starting.")
            #expect(app.missing.map(\.ability).contains("books"))
            environment.fake.settings = nil
            let again = try self.request(environment, device)
            let loaded = again.overlays.overlays.map { (descriptor: $0.descriptor, overlay: $0) }
            #expect(try ReaderAppSurvey.run(again, overlays: loaded).apps.map(\.problem) == [nil])
        }
    }

    @Test(
        "The doctor finds each obstacle of a simulated device",
        arguments: ["", "trust", "passcode", "app", "file-sharing"])
    func doctor(_ obstacle: String) throws {
        var settings = settings
        switch obstacle {
        case "trust": settings.trust = .denied
        case "passcode": settings.isLocked = true
        case "app": settings.apps = []
        case "file-sharing": settings.apps[0].fileSharing = false
        default: break
        }
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.books = { _, _, _ in OVL_OK }
            let request = try request(environment, device)
            let doctor = withExtendedLifetime(environment) { Doctor.run(request) }
            #expect(doctor.headline?.check == (obstacle.isEmpty ? nil : obstacle), "\(doctor.checks)")
            #expect(doctor.checks.first?.check == "usbmuxd")
        }
    }

    @Test("The doctor never calls a locked device unlocked, whether its files are open or not")
    func doctorOfLocked() throws {
        var settings = settings
        settings.isLocked = true
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.books = { _, _, _ in OVL_OK }
            let request = try request(environment, device)
            let closed = withExtendedLifetime(environment) { Doctor.run(request) }
            #expect(closed.headline?.check == "passcode" && closed.headline?.code == .deviceLocked)
            #expect(closed.headline?.message.contains("since it was turned on") == true)
            try device.update { $0.wasUnlockedSinceStart = true }
            let open = withExtendedLifetime(environment) { Doctor.run(request) }
            #expect(open.ok, "\(open.checks)")
            for doctor in [closed, open] {
                #expect(!doctor.checks.contains { $0.message.contains("is unlocked") })
            }
        }
    }

    @Test("Each service that the survey of apps starts is used, and each app is opened once")
    func surveyCosts() throws {
        var settings = settings
        settings.iosVersion = "8.1"
        settings.apps = (0..<12).map { index in
            SimulatedApp(bundleID: "com.example.reader\(index)", name: "Reader \(index)")
        }
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            environment.fake.settings = { [fake = environment.fake] _, _ in
                let table = fake.transport
                return withText("/Documents/new") { path in
                    table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, path, nil) ?? OVL_FAILED
                }
            }
            var request = try request(environment, device)
            let loaded = try #require(request.overlays.overlays.first)
            var descriptor = loaded.descriptor
            descriptor.appIDs = settings.apps.map(\.bundleID)
            request.overlays = OverlayCatalog()
            let survey = try ReaderAppSurvey.run(request, overlays: [(descriptor, loaded)])
            #expect(
                survey.apps.map(\.access) == Array(repeating: ["container", "documents", "media"], count: 12))
            let counters = device.counters
            #expect(counters.requests["house_arrest.VendContainer"] == 12)
            #expect(counters.requests["lockdown.StartService"] == counters.servicesConnected)
            #expect(counters.requests["lockdown.StartSession"] == 1)
        }
    }

    /// A device of an iOS that opens containers, with several apps of the fake overlay.
    private func severalApps(_ count: Int, _ environment: FakeEnvironment) -> SimulatedDeviceSettings {
        var settings = settings
        settings.iosVersion = "8.1"
        settings.apps = (0..<count).map { index in
            SimulatedApp(bundleID: "com.example.reader\(index)", name: "Reader \(index)")
        }
        environment.fake.descriptor.appIDs = settings.apps.map(\.bundleID)
        return settings
    }

    @Test("Sessions with all apps of a device share one session with lockdownd, and open each app once")
    func allApps() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            let table = fake.transport
            return withText("/Documents/new") { path in
                table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, path, nil) ?? OVL_FAILED
            }
        }
        try withSimulatedDevice(severalApps(3, environment)) { device in
            let request = try request(environment, device)
            let opened = try DeviceApps(request)
            #expect(opened.apps.map(\.name) == ["Reader 0", "Reader 1", "Reader 2"])
            for app in opened.apps {
                var request = request
                request.found = app
                let session = try HostSession(request)
                #expect(session.app.bundleID == app.bundleID)
                #expect(try session.books().isEmpty)
                session.close()
            }
            opened.close()
            let counters = device.counters
            #expect(counters.requests["lockdown.StartSession"] == 1)
            #expect(counters.requests["house_arrest.VendContainer"] == 3)
            #expect(counters.requests["lockdown.StartService"] == counters.servicesConnected)
        }
    }

    @Test("The apps of a locked device are found, and their sessions say that it is locked")
    func allAppsLocked() throws {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, _, _ in OVL_OK }
        var settings = severalApps(1, environment)
        settings.isLocked = true
        try withSimulatedDevice(settings) { device in
            var request = try request(environment, device)
            let opened = try DeviceApps(request)
            defer { opened.close() }
            let found = try #require(opened.apps.first)
            request.found = found
            let locked = request
            #expect(hostError { () throws(HostError) in _ = try HostSession(locked) }?.code == .deviceLocked)
        }
    }

    @Test("The space of each app is asked for once, over the connection that the survey has opened")
    func spaceCosts() throws {
        let environment = try FakeEnvironment()
        let settings = severalApps(12, environment)
        try withSimulatedDevice(settings) { device in
            let space = try DeviceSpace.run(try request(environment, device))
            #expect(space.volume.total == settings.totalBytes && space.apps.isEmpty)
            let counters = device.counters
            #expect(counters.requests["afc.GET_DEVINFO"] == 13)
            #expect(counters.requests["house_arrest.VendContainer"] == 12)
            #expect(counters.requests["lockdown.StartSession"] == 1)
            #expect(counters.requests["lockdown.StartService"] == counters.servicesConnected)
        }
    }

    @Test("The watch reports when device and reader app come and go")
    func watch() throws {
        try withSimulatedDevice(settings) { device in
            let environment = try FakeEnvironment()
            let answers = Answers()
            environment.fake.canHandle = { _, sink, _ in
                answers.isOnline
                    ? sink.put(OVL_PRESENCE_YES)
                    : sink.put(OVL_PRESENCE_NOT_NOW, reason: OVL_REASON_APP_OFFLINE, message: "It sleeps.")
            }
            let watch = DeviceWatch(try request(environment, device))
            watch.pace = WatchPace(asking: .milliseconds(5), searching: .milliseconds(5))
            func next() throws -> String {
                let event = try #require(try watch.next())
                #expect(event.udid == device.settings.udid)
                #expect(event.connection == "usb")
                return event.event
            }
            #expect(try next() == "attached")
            #expect(try next() == "online")
            answers.set(online: false)
            #expect(try next() == "offline")
            answers.set(online: true)
            #expect(try next() == "online")
            SharedUsbmuxd.daemon.detach(device)
            #expect(try next() == "yanked")
            #expect(try next() == "detached")
            SharedUsbmuxd.daemon.attach(device)
            #expect(try next() == "attached")
            #expect(try next() == "online")
            environment.cancellation.cancel()
            #expect(try watch.next() == nil)
        }
    }
}

/// The bundle id of a test's reader app.
private final class Answers: Sendable {
    private let online = Mutex(true)
    var isOnline: Bool { online.withLock { $0 } }
    func set(online value: Bool) { online.withLock { $0 = value } }
}
