import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("serve goes on after anything that ends a request")
struct ServeInterruptionTests {
    /// A device that stops answering at a request, until it is released.
    private final class Stall: Sendable {
        let begun = Gate()
        private let end = DispatchSemaphore(value: 0)
        private let isArmed = Mutex(true)

        /// Stops at requests of these operations. Those with two paths count only if the second ends with a name.
        init(_ device: SimulatedDevice, at operations: Set<String>, to name: String = "") {
            device.onFileRequest { [self] request in
                guard operations.contains(request.operation) else { return }
                if request.secondPath?.hasSuffix(name) ?? true { hold() }
            }
        }

        /// Stops at each question to lockdownd.
        init(lockdownOf device: SimulatedDevice) {
            device.onLockdownRequest { [self] _, _ in
                hold()
                return false
            }
        }

        private func hold() {
            guard isArmed.withLock({ $0 }) else { return }
            begun.open()
            end.wait()
            end.signal()
        }

        func release() {
            isArmed.withLock { $0 = false }
            end.signal()
        }
    }

    /// A session with a pending listing that the device does not answer.
    private struct StalledListing {
        let client: ServeClient
        let session: String
        let stall: Stall
        let request: Int
        /// The UDID of the device.
        var device: String { bench.device.settings.udid }
        private let bench: ReaderBench

        init() throws {
            bench = try ReaderBench(books: [RealBooks.history("en")])
            client = try ServeClient(bench)
            session = try client.open("Marvin")
            stall = Stall(bench.device, at: ServeInterruptionTests.reading)
            request = try client.send("books", ["session": session])
            #expect(stall.begun.wait())
        }

        /// Releases the device. Returns the number of books in the listing.
        func finish() throws -> Int {
            stall.release()
            return try client.result(request).rows("books").count
        }
    }

    private static let reading: Set<String> = ["READ_DIR", "FILE_OPEN", "FILE_READ", "GET_FILE_INFO"]

    /// Operations with the requests at which the device stops answering.
    enum Operation: String, CaseIterable, Sendable {
        case books, info, upload, delete, update, collections, get, annotations, sync, information

        var requests: Set<String> {
            switch self {
            case .upload: ["FILE_WRITE"]
            case .delete, .update: ["RENAME_PATH", "FILE_WRITE", "FILE_OPEN"]
            case .information: ["GET_DEVINFO"]
            default: ServeInterruptionTests.reading
            }
        }

        func parameters(_ session: String, _ bench: ReaderBench, _ path: String) throws -> [String: Any] {
            var parameters: [String: Any] = ["session": session]
            switch self {
            case .books, .annotations, .information: break
            case .info: parameters["book"] = path
            case .upload: parameters["books"] = [["file": try RealBooks.history("fr").path]]
            case .delete: parameters["books"] = [path]
            case .update: parameters["books"] = [["book": path, "changes": ["title": "New"]]]
            case .collections:
                parameters["books"] = [path]
                parameters["add"] = ["New"]
            case .get:
                parameters["books"] = [path]
                parameters["folder"] = bench.folder.path("fetched")
            case .sync:
                let source = bench.folder.path("source")
                try FileManager.default.createDirectory(
                    atPath: source, withIntermediateDirectories: true)
                try Data(contentsOf: RealBooks.history("de")).write(
                    to: URL(fileURLWithPath: source + "/book.epub"))
                parameters["source"] = source
            }
            return parameters
        }
    }

    private func expectCancelled(_ answer: ServeClient.Message) {
        if let error = answer["error"] as? [String: Any] {
            #expect(error["code"] as? Int == -32800)
        } else {
            // Operations on several items report the result of each.
            let error = (answer["result"] as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "cancelled", "\(answer)")
        }
    }

    @Test("Each operation can be cancelled, and the session goes on", arguments: Operation.allCases)
    func cancel(_ operation: Operation) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let books = try client.call("books", ["session": session])
        let path = try #require(books.texts("books", "path").first)
        let parameters = try operation.parameters(session, bench, path)
        let stall = Stall(bench.device, at: operation.requests)
        let id = try client.send(operation.rawValue, parameters)
        #expect(stall.begun.wait())
        try client.cancel(id)
        try expectCancelled(client.answer(id))
        stall.release()
        let after = try client.call("books", ["session": session])
        #expect(after.texts("books", "path").contains(path))
        #expect(try bench.staged().isEmpty)
        let again = try client.result(try client.send(operation.rawValue, parameters))
        #expect(again.texts("results", "status").allSatisfy { $0 != "failed" }, "\(again)")
    }

    @Test(
        "A request without a session can be cancelled",
        arguments: ["devices", "apps"])
    func cancelWithoutSession(_ method: String) throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        let stall = Stall(lockdownOf: bench.device)
        let id = try client.send(method)
        #expect(stall.begun.wait())
        try client.cancel(id)
        #expect(try client.error(id).number == -32800)
        stall.release()
        #expect(try !client.call(method).rows(method).isEmpty)
    }

    @Test("The row of a book comes while the device still takes the next one")
    func rowsDuringUpload() throws {
        let bench = try ServeTests.bench()
        let client = try ServeClient(bench)
        let session = try client.open("Paperback")
        let stall = Stall(bench.device, at: ["RENAME_PATH"], to: "large.pdf")
        // The file is so large that the device takes it in several requests.
        let large = bench.folder.path("large.pdf")
        try (Data("%PDF-1.4\n".utf8) + Data(count: 4 << 20)).write(to: URL(fileURLWithPath: large))
        let books = [try RealBooks.history("de").path, large].map { ["file": $0] }
        let id = try client.send("upload", ["session": session, "books": books])
        #expect(stall.begun.wait())
        #expect(try client.notification("row")["index"] as? Int == 0)
        #expect(try client.messages().allSatisfy { $0["id"] as? Int != id })
        stall.release()
        let upload = try client.result(id)
        #expect(upload.texts("results", "status") == ["added", "added"], "\(upload)")
    }

    @Test("The question for space can be cancelled")
    func cancelSpace() throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let stall = Stall(bench.device, at: ["GET_DEVINFO"])
        let id = try client.send("space", ["session": session])
        #expect(stall.begun.wait())
        try client.cancel(id)
        #expect(try client.error(id).number == -32800)
        stall.release()
        #expect(try client.call("space", ["session": session])["free"] is NSNumber)
    }

    @Test("An eject that waits for its device is cancelled at once, and the session stays")
    func cancelEject() throws {
        let listing = try StalledListing()
        let (client, session) = (listing.client, listing.session)
        let eject = try client.send("eject", ["session": session])
        try client.cancel(eject)
        #expect(try client.error(eject).number == -32800)
        #expect(try listing.finish() == 1)
        #expect(try client.call("books", ["session": session]).rows("books").count == 1)
        #expect(try client.call("eject", ["session": session])["ejected"] as? Bool == true)
    }

    @Test("A request that waits for another of its device is cancelled at once")
    func cancelWaiting() throws {
        let listing = try StalledListing()
        let client = listing.client
        let second = try client.send("books", ["session": listing.session])
        let detect = try client.send("detect")
        let answer = try client.call("$/cancelRequest", ["id": second])
        #expect(answer["cancelled"] as? Bool == true)
        #expect(try client.error(second).number == -32800)
        try client.cancel(detect)
        #expect(try client.error(detect).number == -32800)
        // Cancelling a request that is not pending is not an error.
        #expect(try client.call("$/cancelRequest", ["id": 99])["cancelled"] as? Bool == false)
        #expect(try listing.finish() == 1)
    }

    @Test("Opening an app that does not listen is cancelled, and detected as what it is")
    func open() throws {
        let bench = try ReaderBench()
        bench.device.marvin(ReaderBench.marvin)?.behaviour = try #require(
            MarvinBehaviour(named: "not-in-connection-mode"))
        let client = try ServeClient(bench)
        let reader = try #require(try client.call("detect").rows("readers").first)
        #expect(reader["state"] as? String == "not-in-connection-mode", "\(reader)")
        #expect(reader["code"] as? String == "app_unavailable")
        let id = try client.send("open", ["wait": 3600])
        _ = try client.notification("progress") { ($0["phase"] as? String)?.hasPrefix("Waiting") == true }
        try client.cancel(id)
        #expect(try client.error(id).number == -32800)
        #expect(try client.failure("open", ["wait": 0]).code == "app_unavailable")
    }

    @Test("A reader app on a locked device is unreachable")
    func locked() throws {
        let bench = try ReaderBench()
        try bench.device.update { $0.isLocked = true }
        let client = try ServeClient(bench)
        let reader = try #require(try client.call("detect").rows("readers").first)
        #expect(reader["state"] as? String == "unreachable", "\(reader)")
        #expect(reader["code"] as? String == "device_locked")
    }

    @Test("Requests that name a device by its whole UDID wait for those that were sent before them")
    func order() throws {
        let listing = try StalledListing()
        let (client, device) = (listing.client, listing.device)
        let sent = try [
            client.send("detect", ["device": device.uppercased()]),
            client.send("detect", ["device": "\(device),\(device.uppercased())"]),
            client.send("open", ["device": device, "app": "Marvin"]),
            client.send("space", ["session": listing.session]), client.send("detect", ["device": device]),
        ]
        // A waiting request does not block others.
        #expect(try client.call("devices").rows("devices").count == 1)
        try client.cancel(sent[4])
        #expect(try client.error(sent[4]).number == -32800)
        #expect(try listing.finish() == 1)
        _ = try client.result(sent[3])
        let order = try client.messages().compactMap { $0["id"] as? Int }.filter { id in
            id == listing.request || sent.contains(id)
        }
        #expect(order == [sent[4], listing.request] + sent[..<4])
        #expect(try client.result(sent[0]).texts("readers", "state") == ["online"])
        #expect(try client.result(sent[1]).texts("readers", "device") == [device])
        #expect(try client.result(sent[2])["session"] as? String == listing.session)
    }

    @Test("A UDID in another spelling means the same device, and one that is not attached means none")
    func spelling() throws {
        let bench = try ReaderBench()
        let udid = bench.device.settings.udid
        let client = try ServeClient(bench)
        let session = try client.open("Marvin", device: udid)
        #expect(try client.open("Marvin", device: udid.uppercased()) == session)
        let detected = try client.call("detect", ["device": udid.uppercased() + "," + randomUDID()])
        #expect(detected.texts("readers", "device") == [udid])
        #expect(try client.failure("open", ["device": randomUDID()]).code == "no_device")
        // Requests for absent devices do not keep threads.
        let tasks = "/proc/\(client.identifier)/task"
        let before = try FileManager.default.contentsOfDirectory(atPath: tasks).count
        for _ in 0..<40 { _ = try client.call("detect", ["device": randomUDID()]) }
        try waitUntil { try FileManager.default.contentsOfDirectory(atPath: tasks).count < before + 20 }
    }

    @Test("The apps of a device are listed while it takes a book")
    func appsDuringUpload() throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let stall = Stall(bench.device, at: ["FILE_WRITE"])
        let id = try client.send(
            "upload", ["session": session, "books": [["file": try RealBooks.history("fr").path]]])
        #expect(stall.begun.wait())
        let apps = try client.send("apps", ["device": bench.device.settings.udid])
        // The device still does not answer the upload.
        #expect(try !client.result(apps).rows("apps").isEmpty)
        #expect(try client.messages().allSatisfy { $0["id"] as? Int != id })
        stall.release()
        #expect(try client.result(id).texts("results", "status") == ["added"])
    }

    @Test("Without usbmuxd a named device is not taken for one that is absent")
    func noService() throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        bench.daemon.stop()
        let device = bench.device.settings.udid
        for (method, parameters) in [
            ("detect", ["device": device]), ("detect", ["device": "\(device),\(randomUDID())"]),
            ("open", ["device": device]),
        ] {
            #expect(try client.failure(method, parameters).code == "device_service_unavailable")
        }
    }

    @Test("Two devices are served at the same time, and each one in order")
    func twoDevices() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let folder = try TemporaryFolder()
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.udid = randomUDID()
        settings.name = "Kitchen iPad"
        settings.iosVersion = "8.1.3"
        settings.apps = [ReaderBench.app()]
        let other = try SimulatedDevice(folder: folder.url, settings: settings)
        bench.daemon.attach(other)
        defer {
            bench.daemon.detach(other)
            other.stopApps()
        }
        let client = try ServeClient(bench)
        #expect(try client.failure("open", ["app": "Marvin"]).code == "device_not_chosen")
        let first = try client.open("Marvin", device: bench.device.settings.udid)
        let second = try client.open("Marvin", device: "Kitchen")
        #expect(first != second)
        let stall = Stall(bench.device, at: Self.reading)
        let slow = try client.send("books", ["session": first])
        #expect(stall.begun.wait())
        let next = try client.send("space", ["session": first])
        #expect(try client.call("books", ["session": second]).rows("books").isEmpty)
        let detected = try client.call("detect", ["device": settings.udid])
        #expect(detected.texts("readers", "state") == ["online"])
        stall.release()
        _ = try client.result(next)
        let order = try client.messages().compactMap { $0["id"] as? Int }.filter {
            [slow, next].contains($0)
        }
        #expect(order == [slow, next])
        #expect(try client.call("detect").texts("readers", "state") == ["online", "online"])
    }

    @Test("A pulled cable ends the request and is reported, and the session goes on when the device is back")
    func unplugged() throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let (device, daemon) = (bench.device, bench.daemon)
        device.onFileRequest { if $0.operation == "FILE_WRITE" { daemon.detach(device) } }
        let book = try RealBooks.history("fr").path
        let id = try client.send("upload", ["session": session, "books": [["file": book]]])
        let upload = try client.result(id)
        #expect((upload["error"] as? [String: Any])?["code"] as? String == "device_gone")
        #expect(upload.texts("results", "code") == ["device_gone"])
        let lost = try client.notification("connection") { $0["state"] as? String == "lost" }
        #expect(lost["session"] as? String == session && lost["code"] as? String == "device_gone")
        #expect(lost["request"] as? Int == id)
        #expect(try client.failure("books", ["session": session]).code == "no_device")
        device.onFileRequest(nil)
        daemon.attach(device)
        let again = try client.call("upload", ["session": session, "books": [["file": book]]])
        #expect(again.texts("results", "status") == ["added"])
        #expect(try bench.staged().isEmpty)
    }

    @Test("A device that is unplugged while nothing is asked of it is reported as well")
    func unpluggedIdle() throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        #expect(try client.call("watch")["devices"] as? [String] == [bench.device.settings.udid])
        // Existing items are reported before the answer.
        let events = try client.notifications("device").compactMap { $0["event"] as? String }
        #expect(events == ["attached", "online"])
        let session = try client.open("Marvin")
        bench.daemon.detach(bench.device)
        #expect(
            try client.notification("connection") { $0["state"] as? String == "lost" }["session"] as? String
                == session)
        _ = try client.notification("device") { $0["event"] as? String == "detached" }
        #expect(try client.call("detect").rows("readers").isEmpty)
        bench.daemon.attach(bench.device)
        try waitUntil {
            try client.notifications("device").filter { $0["event"] as? String == "online" }.count == 2
        }
        #expect(try client.call("unwatch").isEmpty)
        #expect(try client.call("books", ["session": session]).rows("books").isEmpty)
    }

    @Test("An idle session releases its device, and connects again when it is used")
    func idle() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let client = try ServeClient(bench, greeting: ["protocol_version": 1, "idle_seconds": 0])
        let session = try client.open("Marvin")
        _ = try client.notification("connection") { $0["state"] as? String == "idle" }
        #expect(try client.call("books", ["session": session]).rows("books").count == 1)
        #expect(try client.open("Marvin") == session)
        #expect(try client.call("eject", ["session": session])["ejected"] as? Bool == true)
        #expect(try client.failure("books", ["session": session]).code == "session_unknown")
        #expect(try client.open("Marvin") != session)
    }

    @Test("An overlay that crashes ends its request only")
    func crash() throws {
        let bench = try ReaderBench()
        let folder = try TemporaryFolder()
        let plugins = folder.url.appendingPathComponent("plugins")
        try FileManager.default.createDirectory(
            at: plugins, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try HangingOverlay.build(folder, ["CRASH"]).write(to: plugins.appendingPathComponent("crash.so"))
        let client = try ServeClient(bench, ["--plugins", plugins.path])
        let session = try client.open("Marvin")
        for _ in 0..<2 {
            #expect(try client.failure("books", ["session": session]).code == "overlay_broke")
        }
        #expect(try client.call("devices").rows("devices").count == 1)
    }

    /// How a client leaves.
    enum Leaving: String, CaseIterable, Sendable { case endOfInput, shutdown, signal }

    @Test(
        "The program ends in the middle of each operation, whichever way the client leaves",
        arguments: Operation.allCases, Leaving.allCases)
    func leave(_ operation: Operation, _ leaving: Leaving) throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let books = try client.call("books", ["session": session])
        let path = try #require(books.texts("books", "path").first)
        let stall = Stall(bench.device, at: operation.requests)
        let id = try client.send(operation.rawValue, try operation.parameters(session, bench, path))
        #expect(stall.begun.wait())
        switch leaving {
        case .endOfInput: client.end()
        case .signal: client.signal(SIGTERM)
        case .shutdown: #expect(try client.call("shutdown").isEmpty)
        }
        // The device still does not answer.
        #expect(client.wait() == (leaving == .signal ? 130 : 0))
        try expectCancelled(client.answer(id))
        stall.release()
        let next = try ServeClient(bench)
        let parameters = try operation.parameters(try next.open("Marvin"), bench, path)
        let again = try next.call(operation.rawValue, parameters)
        #expect(again.texts("results", "status").allSatisfy { $0 != "failed" }, "\(again)")
        #expect(try bench.staged().isEmpty)
    }

    @Test("The program ends although an overlay neither returns nor asks whether it is cancelled")
    func hanging() throws {
        let bench = try ReaderBench()
        let folder = try TemporaryFolder()
        let plugins = folder.url.appendingPathComponent("plugins")
        try FileManager.default.createDirectory(
            at: plugins, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try HangingOverlay.build(folder, ["HANG"]).write(to: plugins.appendingPathComponent("hang.so"))
        let client = try ServeClient(bench, ["--plugins", plugins.path])
        let session = try client.open("Marvin")
        let id = try client.send("books", ["session": session])
        _ = try client.notification("progress")
        client.end()
        #expect(client.wait() == 0)
        // serve did not wait for the overlay. Otherwise the overlay would be reported as broken.
        #expect(try client.error(id).number == -32800)
        #expect(!client.errors.contains("did not"), "\(client.errors)")
    }

    @Test("Piped requests are answered before the program ends, if need be as cancelled")
    func piped() throws {
        let bench = try ReaderBench()
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let stall = Stall(bench.device, at: ["GET_DEVINFO"])
        let stuck = try client.send("space", ["session": session])
        #expect(stall.begun.wait())
        let waiting = try client.send("books", ["session": session])
        client.end()
        #expect(client.wait() == 0)
        stall.release()
        #expect(try client.error(stuck).number == -32800)
        #expect(try client.error(waiting).number == -32800)
    }
}
