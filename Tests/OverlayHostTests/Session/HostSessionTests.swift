import DeviceTransport
import OverlayABI
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("A session waits for the reader app, and reports obstacles")
struct HostSessionTests {
    private func opening(
        _ answers: @escaping (Int) -> (UInt32, UInt32), _ environment: FakeEnvironment,
        limit: Duration = .seconds(600)
    ) throws -> Result<HostSession, HostError> {
        var number = 0
        environment.fake.canHandle = { _, sink, _ in
            number += 1
            let (answer, reason) = answers(number)
            return sink.put(answer, reason: reason)
        }
        let (target, request) = (try environment.target(), try environment.request(presenceLimit: limit))
        do throws(HostError) { return .success(try HostSession(target, request)) } catch {
            return .failure(error)
        }
    }

    @Test("A reader app that is opened while we wait is used")
    func waits() throws {
        let environment = try FakeEnvironment()
        let session = try opening(
            { $0 < 4 ? (OVL_PRESENCE_NOT_NOW, OVL_REASON_APP_OFFLINE) : (OVL_PRESENCE_YES, 0) }, environment
        ).get()
        defer { session.close() }
        #expect(session.link.instance.state == .attached)
        #expect(environment.device.waits == 3)
        #expect(environment.progress.updates.contains { $0.phase.hasPrefix("Waiting for Reader") })
        #expect(session.app.name == "Reader")
        #expect(session.device.name == "Test iPad")
        #expect(session.overlay.id == "fake")
    }

    @Test(
        "A reader app that stays away ends the wait with the reason and what to do",
        arguments: [
            (OVL_REASON_APP_OFFLINE, "The reader app is not listening.", "Open Reader on the device"),
            (OVL_REASON_NOT_IN_CONNECTION_MODE, "not in connection mode", "Turn on the connection"),
        ])
    func staysAway(_ reason: UInt32, _ message: String, _ hint: String) throws {
        let environment = try FakeEnvironment()
        var states: [String] = []
        environment.fake.destroyed = { states.append("destroyed") }
        let result = try opening({ _ in (OVL_PRESENCE_NOT_NOW, reason) }, environment, limit: .zero)
        guard case .failure(let error) = result else { return #expect(Bool(false), "it connected") }
        #expect(error.code == .appUnavailable)
        #expect(error.exitStatus == .unavailable)
        #expect(error.message.contains(message))
        #expect(error.hint?.contains(hint) == true)
        #expect(error.subject == "Reader")
        #expect(states == ["destroyed"])
    }

    @Test(
        "An app that is missing, refused or not served is reported at once",
        arguments: [
            (OVL_REASON_APP_MISSING, HostError.Code.appNotInstalled),
            (OVL_REASON_ACCESS_REFUSED, .accessRefused),
            (OVL_REASON_NONE, .notSupported),
        ])
    func hopeless(_ reason: UInt32, _ code: HostError.Code) throws {
        let environment = try FakeEnvironment()
        environment.device.onWait { [cancellation = environment.cancellation] _, _ in cancellation.cancel() }
        let result = try opening({ _ in (OVL_PRESENCE_NO, reason) }, environment)
        guard case .failure(let error) = result else { return #expect(Bool(false), "it connected") }
        #expect(error.code == code)
        #expect(environment.device.waits == 0)
    }

    @Test("Refused access is explained in the words of the transport")
    func refusedAccess() throws {
        let environment = try FakeEnvironment()
        environment.device.refuse(
            [.container],
            TransportError(.accessRefused, "iOS 9.3 opens no container.", hint: "Use another device."))
        let result = try opening({ _ in (OVL_PRESENCE_NO, OVL_REASON_ACCESS_REFUSED) }, environment)
        guard case .failure(let error) = result else { return #expect(Bool(false), "it connected") }
        #expect(error.message == "iOS 9.3 opens no container.")
        #expect(error.hint == "Use another device.")
    }

    @Test("If the documents of an app that shares them are refused as well, their reason is given")
    func refusedDocuments() throws {
        let environment = try FakeEnvironment()
        let attributes: [String: DeviceValue] = ["UIFileSharingEnabled": .bool(true)]
        environment.device.set(apps: [InstalledApp(bundleID: "com.example.reader", attributes: attributes)])
        environment.device.refuse([.container], TransportError(.accessRefused, "The container."))
        environment.device.refuse([.documents], TransportError(.accessRefused, "The documents."))
        let result = try opening({ _ in (OVL_PRESENCE_NO, OVL_REASON_ACCESS_REFUSED) }, environment)
        guard case .failure(let error) = result else { return #expect(Bool(false), "it connected") }
        #expect(error.message == "The documents.")
    }

    @Test("An overlay without can_handle needs a root of the app")
    func withoutCanHandle() throws {
        let environment = try FakeEnvironment()
        try environment.session().close()
        environment.device.refuse(
            [.container, .documents], TransportError(.accessRefused, "iOS opens nothing."))
        let error = hostError { () throws(HostError) in
            do { try environment.session().close() } catch let error as HostError { throw error } catch {}
        }
        #expect(error?.code == .accessRefused)
    }

    @Test("Cancelling ends the wait")
    func cancelledWait() throws {
        let environment = try FakeEnvironment()
        environment.device.onWait { [cancellation = environment.cancellation] _, _ in cancellation.cancel() }
        let result = try opening({ _ in (OVL_PRESENCE_NOT_NOW, OVL_REASON_APP_OFFLINE) }, environment)
        guard case .failure(let error) = result else { return #expect(Bool(false), "it connected") }
        #expect(error.code == .cancelled)
        #expect(error.exitStatus == .interrupted)
    }

    @Test("A device unplugged while waiting ends the wait")
    func unpluggedWait() throws {
        let environment = try FakeEnvironment()
        environment.device.onWait { device, _ in device.unplug() }
        let result = try opening({ _ in (OVL_PRESENCE_NOT_NOW, OVL_REASON_APP_OFFLINE) }, environment)
        guard case .failure(let error) = result else { return #expect(Bool(false), "it connected") }
        #expect(error.code == .deviceGone)
    }

    @Test("Polling for long opens no further roots")
    func pollingLeaksNothing() throws {
        let environment = try FakeEnvironment()
        environment.fake.canHandle = { [fake = environment.fake] _, sink, _ in
            let table = fake.transport
            withText("/Library") { _ = table.make_folder?(table.ctx, OVL_ROOT_CONTAINER, $0, nil) }
            return sink.put(
                environment.device.waits < 50 ? OVL_PRESENCE_NOT_NOW : OVL_PRESENCE_YES,
                reason: OVL_REASON_APP_OFFLINE)
        }
        let session = try HostSession(
            try environment.target(), try environment.request(presenceLimit: .seconds(600)))
        session.close()
        #expect(environment.device.waits == 50)
        #expect(environment.device.opened == 1)
    }

    @Test("A failure of create or initialize leaves nothing behind")
    func failedStart() throws {
        let environment = try FakeEnvironment()
        var destroyed = 0
        environment.fake.initialize = { $0.fail(OVL_FAILED, "Not today.") }
        environment.fake.destroyed = { destroyed += 1 }
        let (target, request) = (try environment.target(), try environment.request())
        let error = hostError { () throws(HostError) in _ = try HostSession(target, request) }
        #expect(error?.message == "Not today.")
        #expect(destroyed == 1)
    }

    @Test("A device unplugged within a method is yanked and cleaned up after, and closing still works")
    func yanked() throws {
        let environment = try FakeEnvironment()
        var calls: [String] = []
        environment.fake.books = { [device = environment.device] _, _, error in
            device.unplug()
            return error.fail(OVL_DEVICE_IO, "The connection broke.")
        }
        environment.fake.cleanUp = { _ in
            calls.append("cleanup")
            return OVL_OK
        }
        environment.fake.shutdown = { _ in
            calls.append("shutdown")
            return OVL_OK
        }
        environment.fake.destroyed = { calls.append("destroy") }
        let session = try environment.session()
        let error = hostError { () throws(HostError) in _ = try session.books() }
        #expect(error?.code == .deviceGone)
        #expect(session.link.connection.state == .yanked)
        #expect(session.link.instance.state == .initialized)
        #expect(calls == ["cleanup"])
        session.close()
        session.close()
        #expect(calls == ["cleanup", "shutdown", "destroy"])
    }

    @Test("After an eject only closing is possible")
    func ejected() throws {
        let environment = try FakeEnvironment()
        var ejects = 0
        environment.fake.eject = { _ in
            ejects += 1
            return OVL_OK
        }
        environment.fake.books = { _, _, _ in OVL_OK }
        let session = try environment.session()
        try session.eject()
        #expect(ejects == 1)
        #expect(session.link.connection.state == .ejected)
        #expect(hostError { () throws(HostError) in _ = try session.books() }?.code == .wrongState)
        session.close()
        #expect(session.link.instance.state == .destroyed)
    }

    @Test("A failed eject stays attached")
    func failedEject() throws {
        let environment = try FakeEnvironment()
        environment.fake.eject = { $0.fail(OVL_BUSY, "Busy.") }
        let session = try environment.session()
        defer { session.close() }
        #expect(hostError { () throws(HostError) in try session.eject() }?.code == .busy)
        #expect(session.link.instance.state == .attached)
    }

    @Test("The target is the first app whose files can be reached")
    func target() throws {
        let environment = try FakeEnvironment()
        environment.fake.descriptor.appIDs = ["com.example.reader", "com.example.lite"]
        let request = try environment.request()
        let context = OperationContext()
        let choice = try ReaderTarget.choose(request, on: environment.device, context)
        #expect(choice.bundleIDs == ["com.example.reader"])
        let (app, access) = try ReaderTarget.app(choice, on: environment.device, context)
        #expect(app == ReaderApp(bundleID: "com.example.reader", name: "Reader", version: "3.1"))
        #expect(access.granted.contains(.container))
        environment.device.set(apps: [])
        #expect(
            hostError { () throws(HostError) in
                _ = try ReaderTarget.choose(request, on: environment.device, context)
            }?
            .code == .appNotInstalled)
    }
}
