import DeviceWire
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("lockdownd is asked only for what is needed") struct LockdownQuestionTests {
    private static let modern: SimulatedDeviceSettings = {
        var settings = SimulatedDeviceSettings.encryptedReader
        settings.iosVersion = "12.5.7"
        return settings
    }()
    private static let services = ["com.apple.mobile.installation_proxy", "com.apple.mobile.house_arrest"]

    private func lockdown(_ device: SimulatedDevice) -> [String: Int] {
        device.counters.requests.filter { $0.key.hasPrefix("lockdown.") }
    }

    @Test("The values of a device in a list take one session of two questions, and one connection")
    func devices() throws {
        try withSimulatedDevice(Self.modern) { device in
            let session = try openSession(device)
            #expect(try session.information().name == device.settings.name)
            #expect(try session.pairing() == .paired)
            session.close()
            try waitUntil { device.counters.requests["lockdown.StopSession"] == 1 }
            #expect(
                lockdown(device) == [
                    "lockdown.GetValue": 2, "lockdown.StartSession": 1, "lockdown.StopSession": 1,
                ])
            #expect(device.counters.connections == 1)
        }
    }

    @Test("Everything about the apps of a device takes one session, and each service is started once")
    func apps() throws {
        try withSimulatedDevice(Self.modern) { device in
            let session = try openSession(device)
            _ = try session.information()
            _ = try session.apps(bundleIDs: [appID])
            _ = try session.apps()
            for _ in 0..<3 { _ = try session.roots(for: appID) }
            #expect(device.counters.requests["lockdown.StartSession"] == 1)
            // house_arrest gives one root for each connection. The closed containers are not asked for.
            #expect(device.counters.requests["lockdown.StartService"] == 4)
            #expect(device.counters.servicesConnected == 4)
            #expect(device.counters.requests["house_arrest.VendContainer"] == nil)
        }
    }

    @Test("Reaching the files of an app takes one session, two services and seven round trips of lockdownd")
    func books() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            _ = try session.information()
            _ = try session.apps(bundleIDs: [appID])
            _ = try session.roots(for: appID)
            let files = try session.open(.container(bundleID: appID))
            #expect(try files.list("/Documents").isEmpty)
            #expect(
                lockdown(device) == [
                    "lockdown.GetValue": 2, "lockdown.StartSession": 1, "lockdown.StartService": 2,
                ])
            #expect(device.counters.connections == 3)
            #expect(device.counters.total(of: "house_arrest") == 1)
        }
    }

    @Test("Only systems before iOS 7 are asked to validate the pairing", arguments: ["6.1.6", "7.0"])
    func validation(_ version: String) throws {
        var settings = SimulatedDeviceSettings.encryptedReader
        settings.iosVersion = version
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(try session.pairing() == .paired)
            #expect(device.counters.requests["lockdown.ValidatePair"] == (version == "7.0" ? nil : 1))
        }
    }

    @Test("A session is encrypted or not, and its services too", arguments: [true, false], [true, false])
    func encryption(_ usesTLS: Bool, _ serviceTLS: Bool) throws {
        var settings = Self.modern
        (settings.usesTLS, settings.serviceTLS) = (usesTLS, serviceTLS)
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(try session.apps().map(\.bundleID) == [appID])
            #expect(try session.open(.media).list("/").isEmpty)
        }
    }

    @Test("The services of one question shake hands side by side")
    func sideBySide() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            try device.update { $0.serviceHandshake = .isUnanswered }
            let cancellation = Cancellation()
            let asking = inBackground {
                code { try session.roots(for: appID, OperationContext(cancellation: cancellation)) }
            }
            try waitUntil { device.counters.servicesConnected == 2 }
            cancellation.cancel()
            #expect(asking() == .cancelled)
        }
    }

    private static let several: SimulatedDeviceSettings = {
        var settings = SimulatedDeviceSettings.encryptedReader
        settings.apps = (0..<3).map { SimulatedApp(bundleID: "org.example.a\($0)", name: "App \($0)") }
        return settings
    }()

    @Test("Several apps take one session, one question about them all, and a service each")
    func several() throws {
        try withSimulatedDevice(Self.several) { device in
            let session = try openSession(device)
            let ids = device.settings.apps.map(\.bundleID) + ["org.example.none"]
            let all = try session.roots(for: ids)
            #expect(all.map { $0.app?.bundleID } == Array(ids.dropLast()) + [nil])
            #expect(all.map { $0.granted.contains(.container) } == [true, true, true, false])
            #expect(
                lockdown(device) == [
                    "lockdown.GetValue": 1, "lockdown.StartSession": 1, "lockdown.StartService": 5,
                ])
            #expect(device.counters.total(of: "installation_proxy") == 1)
            // The connections that were made for the questions are used.
            for id in ids.dropLast() { _ = try session.open(.container(bundleID: id)).list("/") }
            #expect(device.counters.total(of: "house_arrest") == 4)
        }
    }

    @Test("Since iOS 8.3 the shared folders of several apps from the App Store take a service each")
    func severalFolders() throws {
        var settings = Self.several
        settings.iosVersion = "12.5.7"
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let ids = device.settings.apps.map(\.bundleID)
            #expect(try session.roots(for: ids).map(\.granted) == ids.map { _ in [.documents, .media] })
            // The version of iOS is known since the session began.
            #expect(
                lockdown(device) == [
                    "lockdown.GetValue": 1, "lockdown.StartSession": 1, "lockdown.StartService": 4,
                ])
            #expect(device.counters.requests["house_arrest.VendDocuments"] == 3)
            #expect(device.counters.total(of: "house_arrest") == 3)
            // The connections that were made for the questions are used.
            for id in ids { _ = try session.open(.documents(bundleID: id)).list("/Documents") }
            #expect(device.counters.total(of: "house_arrest") == 3)
        }
    }

    @Test("Where containers are refused, the shared folders of several apps take one conversation more")
    func severalRefusedContainers() throws {
        // The container of an app whose signer is unknown may be open.
        var settings = Self.several
        settings.iosVersion = "12.5.7"
        for index in settings.apps.indices { settings.apps[index].reportsSigner = false }
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let ids = device.settings.apps.map(\.bundleID)
            #expect(try session.roots(for: ids).map(\.granted) == ids.map { _ in [.documents, .media] })
            #expect(device.counters.requests["lockdown.StartSession"] == 1)
            #expect(device.counters.requests["lockdown.StartService"] == 7)
            #expect(device.counters.total(of: "house_arrest") == 6)
        }
    }

    @Test("The container of an app that is signed for development is opened in every version of iOS")
    func developmentSigned() throws {
        var settings = Self.modern
        settings.apps[0].developmentSigned = true
        try withSimulatedDevice(settings) { device in
            let roots = try openSession(device).roots(for: appID)
            #expect(roots.granted == [.container, .documents, .media])
            #expect(device.counters.total(of: "house_arrest") == 1)
        }
    }

    @Test(
        "A device that closes the connection instead of opening a container refuses it, if it opens the documents",
        arguments: [true, false])
    func closedConnection(sharesFiles: Bool) throws {
        var settings = SimulatedDeviceSettings.reader
        settings.iosVersion = "12.5.7"
        settings.hangsUpOnContainers = true
        (settings.apps[0].reportsSigner, settings.apps[0].fileSharing) = (false, sharesFiles)
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            guard sharesFiles else {
                #expect(code { try session.roots(for: appID) } == .connectionLost)
                return
            }
            let access = try session.roots(for: appID)
            #expect(access.granted == [.documents, .media])
            let refusal = try #require(access.refused.first)
            #expect(refusal.root == .container && refusal.error.code == .accessRefused)
            #expect(refusal.error.message.contains("12.5.7"))
            #expect(try session.open(.documents(bundleID: appID)).list("/Documents").isEmpty)
        }
    }

    @Test("The services of several apps shake hands side by side")
    func severalSideBySide() throws {
        try withSimulatedDevice(Self.several) { device in
            let session = try openSession(device)
            try device.update { $0.serviceHandshake = .isUnanswered }
            let cancellation = Cancellation()
            let asking = inBackground {
                code {
                    try session.roots(
                        for: Self.several.apps.map(\.bundleID), OperationContext(cancellation: cancellation))
                }
            }
            try waitUntil { device.counters.servicesConnected == 4 }
            cancellation.cancel()
            #expect(asking() == .cancelled)
        }
    }

    @Test(
        "Connections to an app's files are opened while the device is asked about its apps, and used afterwards"
    )
    func readyFiles() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            #expect(try session.apps(bundleIDs: [appID], readyingFiles: true, OperationContext()).count == 1)
            try waitUntil { device.counters.servicesConnected == 2 }
            #expect(try session.roots(for: appID).granted == [.container, .documents, .media])
            #expect(try session.open(.container(bundleID: appID)).list("/Documents").isEmpty)
            #expect(
                lockdown(device) == [
                    "lockdown.GetValue": 1, "lockdown.StartSession": 1, "lockdown.StartService": 2,
                ])
            #expect(device.counters.total(of: "house_arrest") == 1)
        }
    }

    @Test(
        "Connections to a device's apps and files are opened before it identifies itself, and used afterwards"
    )
    func readyBeforehand() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            let information = try session.information(readyingFiles: true, OperationContext())
            #expect(information.name == device.settings.name)
            try waitUntil { device.counters.servicesConnected == 2 }
            #expect(device.counters.total(of: "installation_proxy") == 0)
            #expect(try session.apps(bundleIDs: [appID], readyingFiles: true, OperationContext()).count == 1)
            #expect(try session.roots(for: appID).granted == [.container, .documents, .media])
            #expect(try session.open(.container(bundleID: appID)).list("/Documents").isEmpty)
            #expect(
                lockdown(device) == [
                    "lockdown.GetValue": 2, "lockdown.StartSession": 1, "lockdown.StartService": 2,
                ])
            #expect(device.counters.total(of: "house_arrest") == 1)
            #expect(device.counters.connections == 3)
        }
    }

    @Test("A device is identified without waiting for services that do not answer, and a cancel ends these")
    func readySilently() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            try device.update { $0.serviceHandshake = .isUnanswered }
            let cancellation = Cancellation()
            let context = OperationContext(cancellation: cancellation)
            #expect(try session.information(readyingFiles: true, context).name == device.settings.name)
            try waitUntil { device.counters.servicesConnected == 2 }
            let asking = inBackground { code { try session.apps(bundleIDs: [appID], context) } }
            cancellation.cancel()
            #expect(asking() == .cancelled)
        }
    }

    @Test("A device that refuses services is identified, and the next question finds the refusal")
    func readyRefused() throws {
        var settings = SimulatedDeviceSettings.encryptedReader
        settings.refusedServices = [Self.services[0]: "ServiceProhibited"]
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let context = OperationContext()
            #expect(try session.information(readyingFiles: true, context).name == device.settings.name)
            #expect(code { try session.apps(bundleIDs: [appID]) } != nil)
        }
        settings = .encryptedReader
        settings.trust = .neverPaired
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let context = OperationContext()
            #expect(try session.information(readyingFiles: true, context).name == device.settings.name)
            #expect(code { try session.apps(bundleIDs: [appID]) } == .notPaired)
        }
    }

    @Test("Both services shake hands in parallel, and a cancel ends both")
    func readySideBySide() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            try device.update { $0.serviceHandshake = .isUnanswered }
            let cancellation = Cancellation()
            let asking = inBackground {
                code {
                    try session.apps(
                        bundleIDs: [appID], readyingFiles: true, OperationContext(cancellation: cancellation))
                }
            }
            try waitUntil { device.counters.servicesConnected == 2 }
            cancellation.cancel()
            #expect(asking() == .cancelled)
        }
    }

    // MARK: Hostile answers

    /// What a device does instead of answering.
    enum Misbehaviour: CaseIterable {
        case silence, half, halfAndEnd, end, empty, huge, garbage, notDictionary, nested, otherRequest,
            endless

        var code: TransportError.Code {
            switch self {
            case .silence, .half, .endless: .timedOut
            case .halfAndEnd, .end: .connectionLost
            case .empty, .huge, .garbage, .notDictionary, .nested, .otherRequest: .protocolViolation
            }
        }

        func act(_ name: String, _ stream: any ServiceStream) throws {
            let answer = try PropertyListFrame.encode(["Request": .string(name), "Value": "8.1"])
            func frame(_ text: String) -> [UInt8] {
                let body = Array(text.utf8)
                return withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
            }
            switch self {
            case .silence: try stream.pause(.seconds(3600))
            case .half:
                try stream.write(Array(answer.dropLast(20)))
                try stream.pause(.seconds(3600))
            case .halfAndEnd:
                try stream.write(Array(answer.dropLast(20)))
                stream.close()
            case .end: stream.close()
            case .empty: try stream.write([0, 0, 0, 0])
            case .huge: try stream.write([0x7F, 0xFF, 0xFF, 0xFF])
            case .garbage: try stream.write(frame("This is not a property list."))
            case .notDictionary: try stream.write(try PropertyListFrame.encode(["a"]))
            case .nested:
                let depth = 100_000
                let open = String(repeating: "<array>", count: depth)
                let close = String(repeating: "</array>", count: depth)
                try stream.write(frame("<plist version=\"1.0\">\(open)\(close)</plist>"))
            case .otherRequest: try stream.write(try PropertyListFrame.encode(["Request": "Strange"]))
            case .endless:
                // Each byte counts as a sign of life, but the answer never ends.
                try stream.write([0, 0x0F, 0, 0])
                while true {
                    try stream.write([0x20])
                    try stream.pause(.milliseconds(1))
                }
            }
        }
    }

    @Test(
        "A lockdownd that misbehaves ends the call with a clear error, and the next one works",
        arguments: ["GetValue", "StartSession", "StartService"], Misbehaviour.allCases)
    func hostile(_ name: String, _ misbehaviour: Misbehaviour) throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            device.onLockdownRequest { request, stream in
                guard request["Request"]?.string == name else { return false }
                try misbehaviour.act(name, stream)
                return true
            }
            let isTimed = misbehaviour.code == .timedOut
            let context = OperationContext(silenceLimit: isTimed ? .milliseconds(100) : .seconds(30))
            let error = failure { try session.apps(context) }
            #expect(error?.code == misbehaviour.code, "\(error.debugDescription)")
            #expect(error?.message.hasSuffix(".") == true && error?.subject != nil)
            device.onLockdownRequest(nil)
            #expect(try session.apps().count == 1)
        }
    }

    @Test("Bytes that are not TLS end the session's handshake, and values are read without a session")
    func notTLS() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            device.onLockdownRequest { request, stream in
                guard request["Request"] == "StartSession" else { return false }
                let answer: PropertyList = [
                    "Request": "StartSession", "SessionID": "1", "EnableSessionSSL": true,
                ]
                try stream.write(try PropertyListFrame.encode(answer) + Array("This is not TLS.".utf8))
                return true
            }
            #expect(code { try session.apps() } == .tlsFailed)
            #expect(try session.information().name == device.settings.name)
        }
    }

    @Test("A session's handshake that is never answered ends at the limit, a cancel, or with the cable")
    func silentHandshake() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            device.onLockdownRequest { request, stream in
                guard request["Request"] == "StartSession" else { return false }
                let answer: PropertyList = [
                    "Request": "StartSession", "SessionID": "1", "EnableSessionSSL": true,
                ]
                try stream.write(try PropertyListFrame.encode(answer))
                try stream.pause(.seconds(3600))
                return true
            }
            #expect(code { try session.apps(OperationContext(silenceLimit: .milliseconds(50))) } == .timedOut)
            #expect(code { try session.apps(OperationContext(limit: .milliseconds(50))) } == .timedOut)
            // A call that ended at its limit may not have reached this request.
            let startSession = "lockdown.StartSession"
            let cancellation = Cancellation()
            device.resetCounters()
            let cancelled = inBackground {
                code { try session.apps(OperationContext(cancellation: cancellation)) }
            }
            try waitUntil { device.counters.requests[startSession, default: 0] >= 1 }
            cancellation.cancel()
            #expect(cancelled() == .cancelled)
            let unplugged = inBackground { code { try session.apps() } }
            try waitUntil { device.counters.requests[startSession, default: 0] >= 2 }
            SharedUsbmuxd.daemon.detach(device)
            #expect(unplugged() == .deviceGone)
        }
    }

    @Test("An error without a known name is a failure of the device", arguments: ["Error", "Result"])
    func unnamedError(_ key: String) throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            device.onLockdownRequest { request, stream in
                guard request["Request"] == "StartService" else { return false }
                let answer: PropertyList = .dictionary([
                    "Request": "StartService", key: key == "Error" ? "Strange" : "Failure",
                ])
                try stream.write(try PropertyListFrame.encode(answer))
                return true
            }
            let error = failure { try session.apps() }
            #expect(error?.code == .ioFailure && error?.native?.domain == .lockdown)
            #expect(error?.message.contains(key == "Error" ? "Strange" : "Failure") == true)
        }
    }

    @Test("A kept conversation that the device has closed is replaced without an error")
    func closedWhileKept() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            _ = try session.information()
            device.onLockdownRequest { request, stream in
                guard request["Request"] == "GetValue" else { return false }
                device.onLockdownRequest(nil)
                stream.close()
                return true
            }
            #expect(try session.value("ProductVersion")?.string == device.settings.iosVersion)
            #expect(device.counters.requests["lockdown.StartSession"] == 2)
        }
    }
}

@Suite("The host shows its certificate in TLS") struct TLSIdentityTests {
    @Test("A certificate or key that cannot be read is an error", arguments: [[], Array("no PEM".utf8)])
    func unreadable(_ bytes: [UInt8]) throws {
        let identity = try TLSIdentity()
        #expect(
            code { try identity.use(certificate: bytes, key: bytes, isBeforeIOS10: false) } == .tlsFailed)
    }
}
