import Synchronization
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("Sessions find devices, trust and apps") struct SessionTests {
    @Test("An attached device is listed, and found by the beginning of its UDID in any spelling")
    func byUDID() throws {
        try withSimulatedDevice { (device) throws -> Void in
            let udid = device.settings.udid
            let catalog = DeviceCatalog()
            #expect(try catalog.devices().contains(DeviceDescription(udid: udid, links: [.usb])))
            #expect(try catalog.device(matching: udid).udid == udid)
            #expect(try catalog.device(matching: String(udid.prefix(12)).uppercased()).udid == udid)
        }
    }

    /// In a separate process: every attached device is asked for its name, and other tests count the requests to
    /// their devices.
    @Test("A device is found by its name, and two of one name are named as the choices")
    func byName() async {
        await #expect(processExitsWith: .success) {
            let name = "Ada's iPad"
            var settings = SimulatedDeviceSettings.withoutTLS
            settings.name = name
            let udid = try attachedDevice(settings).settings.udid
            let catalog = DeviceCatalog()
            require(try catalog.device().udid == udid)
            require(try catalog.device(matching: name.uppercased()).udid == udid)
            require(try catalog.device(matching: String(name.dropLast(3))).udid == udid)
            let missing = failure { try catalog.device(matching: "no such device") }
            require(missing?.code == .noDevice && missing?.hint?.contains("\(name) (\(udid))") == true)
            let other = try attachedDevice(settings).settings.udid
            let several = failure { try catalog.device(matching: name) }
            require(several?.code == .ambiguousDevice && several?.hint?.contains(other) == true)
            require(code { try catalog.device() } == .ambiguousDevice)
        }
    }

    @Test("A device on the network is used like one with a cable, and one with both is one device")
    func network() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.attachment = .network
        try withSimulatedDevice(settings) { device in
            let found = try DeviceCatalog().device(matching: device.settings.udid)
            #expect(found.links == [.network])
            let files = try DeviceSession(found).open(.container(bundleID: appID))
            try files.write(.bytes(pattern(300_000)), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == pattern(300_000))
            // Only the listing stalls, because the close of the file may still be on its way.
            try device.update { $0.faults = FaultPlan([Fault(.stall, operation: "READ_DIR")]) }
            let listing = inBackground { code { try files.list("/Documents") } }
            try waitUntil { device.counters.requests["afc.READ_DIR"] == 1 }
            SharedUsbmuxd.daemon.detach(device)
            #expect(listing() == .deviceGone)
        }
        settings.attachment = .usbAndNetwork
        try withSimulatedDevice(settings) { device in
            let found = try DeviceCatalog().device(matching: device.settings.udid)
            #expect(found.links == [.usb, .network] && found.preferredLink == .usb)
            #expect(try DeviceSession(found).open(.container(bundleID: appID)).list("/Documents").isEmpty)
        }
    }

    @Test("Attaching and detaching are reported")
    func events() throws {
        let events = DeviceCatalog().events()
        var udid = ""
        var kinds: [DeviceEvent.Kind] = []
        func awaitNext() throws {
            let known = kinds.count
            while kinds.count == known {
                let event = try events.next(OperationContext(limit: .seconds(300)))
                if event.udid == udid { kinds.append(event.kind) }
            }
        }
        // A process that has just subscribed is not notified of a device that came and went before.
        try withSimulatedDevice { device in
            udid = device.settings.udid
            try awaitNext()
        }
        try awaitNext()
        #expect(kinds == [.attached, .detached])
    }

    @Test(
        "Information has what the device reports, and nil for the rest", arguments: FilesTests.devices)
    func information(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let information = try session.information()
            #expect(information.name == device.settings.name)
            #expect(information.productType == device.settings.productType)
            #expect(information.productVersion == "8.1")
            #expect(information.isAtLeast(8) == true && information.isAtLeast(8, 3) == false)
            #expect(information.uniqueDeviceID == device.settings.udid)
            #expect(information.isPasscodeLocked == false)
            #expect(try session.value("NoSuchKey") == nil)
            #expect(try session.value("ProductVersion")?.string == "8.1")
            let usage = try session.values(domain: "com.apple.disk_usage")
            #expect(usage["TotalDiskCapacity"]?.integer != nil)
        }
    }

    @Test("A text that is not an iOS version gives none")
    func versions() {
        func version(_ text: String) -> [Int]? {
            DeviceInformation(values: ["ProductVersion": .string(text)]).version
        }
        #expect(version("9.3.5") == [9, 3, 5])
        #expect(version("17") == [17])
        #expect(
            version("") == nil && version("9.x") == nil && version("9..1") == nil && version("-1.0") == nil)
        #expect(DeviceInformation(values: [:]).isAtLeast(8, 3) == nil)
    }

    @Test("Questions about apps that follow each other share a conversation")
    func questionsAboutApps() throws {
        try withSimulatedDevice(.reader) { device in
            let session = try openSession(device)
            #expect(try session.apps(bundleIDs: [appID]).keys.first == appID)
            let before = device.counters.connections
            #expect(try session.apps().count == 1)
            #expect(device.counters.connections == before)
            #expect(try session.roots(for: appID).app?.name == "Reader")
            // One more connection, which opens the root.
            #expect(device.counters.connections == before + 1)
            session.close()
            #expect(try session.apps().count == 1)
            // One connection to lockdownd and one to installation_proxy.
            #expect(device.counters.connections == before + 3)
        }
    }

    @Test("Asking about trust never pairs")
    func neverPaired() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.trust = .neverPaired
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(try session.pairing() == .notPaired)
            #expect(code { try session.open(.container(bundleID: appID)) } == .notPaired)
            #expect(code { try session.apps() } == .notPaired)
            #expect(try session.information().name == device.settings.name)
            let access = try session.roots(for: appID)
            #expect(access.granted.isEmpty && access.refused.allSatisfy { $0.error.code == .notPaired })
            #expect(device.counters.requests["lockdown.Pair"] == nil)
            try session.pair()
            #expect(try session.pairing() == .paired)
            #expect(try session.open(.container(bundleID: appID)).list("/Documents").isEmpty)
        }
    }

    @Test("A device that forgot this computer is stale, and pairs again when asked to")
    func stale() throws {
        try withSimulatedDevice(.encryptedReader) { device in
            let session = try openSession(device)
            #expect(try session.pairing() == .paired)
            session.close()
            try device.update { $0.trust = .neverPaired }
            #expect(try session.pairing() == .stale)
            try session.pair()
            #expect(try session.pairing() == .paired)
        }
    }

    @Test("A trust dialog that is open, refused or answered during a call gives its own result")
    func dialog() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.trust = .pairingPending
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(code { try session.pair() } == .pairingPending)
            let waiting = inBackground {
                code { try session.pair(waitsForAnswer: true, OperationContext(limit: .seconds(300))) }
            }
            try waitUntil { (device.counters.requests["lockdown.Pair"] ?? 0) >= 2 }
            try device.update { $0.trust = .denied }
            #expect(waiting() == .pairingDenied)
            try device.update { $0.trust = .pairingPending }
            let cancellation = Cancellation()
            let cancelled = inBackground {
                code { try session.pair(waitsForAnswer: true, OperationContext(cancellation: cancellation)) }
            }
            cancellation.cancel()
            #expect(cancelled() == .cancelled)
        }
    }

    @Test(
        "The state of the trust dialog is reported only if the device was asked for trust",
        arguments: [
            (DeviceTrust.neverPaired, false, PairingState.paired), (.pairingPending, false, .pending),
            (.denied, false, .denied), (.neverPaired, true, .locked), (.pairingPending, true, .locked),
        ])
    func askedForTrust(_ trust: DeviceTrust, _ isLocked: Bool, _ answer: PairingState) throws {
        var settings = SimulatedDeviceSettings.reader
        settings.trust = trust
        settings.isLocked = isLocked
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(try session.pairing() == .notPaired)
            #expect(device.counters.requests["lockdown.Pair"] == nil)
            #expect(try session.askForTrust() == answer)
            #expect(try session.pairing() == (answer == .paired ? .paired : .notPaired))
            // The user unlocks the device and taps Trust.
            try device.update { ($0.isLocked, $0.trust) = (false, .trusted) }
            #expect(try session.askForTrust() == .paired)
            #expect(try session.pairing() == .paired)
        }
    }

    @Test("The media folder is open for an app of Apple's own, listed or not", arguments: [true, false])
    func partOfIOS(isListed: Bool) throws {
        var settings = SimulatedDeviceSettings.reader
        settings.iosVersion = "17.0"
        if isListed { settings.apps.append(SimulatedBooks.app()) }
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let access = try session.roots(for: SimulatedBooks.bundleID)
            #expect(access.granted == [.media])
            #expect((access.app != nil) == isListed)
            #expect(access.refused.map(\.root) == [.container, .documents])
            #expect(access.refused.allSatisfy { $0.error.code == .accessRefused && $0.error.hint != nil })
            #expect(try session.apps().contains { $0.bundleID == SimulatedBooks.bundleID } == false)
        }
    }

    @Test("The connection that showed the media folder ends when the app's own files are opened")
    func unusedMedia() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.apps.append(SimulatedBooks.app())
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let access = try session.roots(for: SimulatedBooks.bundleID)
            #expect(access.granted.contains(.container) && access.granted.contains(.media))
            let container = DeviceRoot.container(bundleID: SimulatedBooks.bundleID)
            let files = try session.open(container)
            let kept = session.kept.withLock { Array($0.files.keys) }
            #expect(kept.isEmpty)
            #expect(try files.list("/").contains("Documents"))
        }
    }

    @Test("The error for a locked device says that it is locked")
    func locked() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.isLocked = true
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let error = failure { try session.open(.container(bundleID: appID)) }
            #expect(error?.code == .passcodeLocked && error?.hint != nil)
            let access = try session.roots(for: appID)
            #expect(access.granted.isEmpty && access.refused.contains { $0.error.code == .passcodeLocked })
        }
    }

    @Test(
        "An idle conversation that lockdownd ended is begun again",
        arguments: FilesTests.devices)
    func idleConversation(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            for (ended, use) in [
                (1, { _ = try session.information() }), (2, { _ = try session.open(.media) }),
            ] {
                #expect(try session.pairing() == .paired)
                try device.update { $0.lockdownIdleLimit = .milliseconds(1) }
                try waitUntil { device.counters.idleConnectionsEnded == ended }
                try device.update { $0.lockdownIdleLimit = .seconds(60) }
                try use()
            }
        }
    }

    @Test("Apps are listed in parts, with version and file sharing")
    func apps() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.apps = (0..<45).map {
            SimulatedApp(
                bundleID: "org.example.a\($0)", name: "App \($0)", version: "1.\($0)",
                fileSharing: $0 % 2 == 0)
        }
        settings.appsPerAnswer = 7
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let apps = try session.apps()
            #expect(apps.map(\.bundleID) == settings.apps.map(\.bundleID))
            #expect(
                apps[3].name == "App 3" && apps[3].version == "1.3" && !apps[3].sharesFiles
                    && apps[4].sharesFiles)
            let some = try session.apps(bundleIDs: ["org.example.a4", "org.example.none"])
            #expect(Array(some.keys) == ["org.example.a4"])
            #expect(try session.apps(bundleIDs: []).isEmpty)
        }
    }

    @Test("A list of apps without apps is called malformed")
    func malformedList() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.omitsAppsInLists = true
        try withSimulatedDevice(settings) { device in
            let error = failure { try openSession(device).apps() }
            #expect(error?.code == .protocolViolation && error?.message.contains("malformed") == true)
        }
    }

    @Test("An old iOS gives the container", arguments: FilesTests.devices)
    func oldSystem(_ settings: SimulatedDeviceSettings) throws {
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let access = try session.roots(for: appID)
            #expect(access.granted == [.container, .documents, .media] && access.refused.isEmpty)
            #expect(access.app?.name == "Reader")
            // The connection that was made for the question is used.
            #expect(try session.open(.container(bundleID: appID)).list("/").contains("Documents"))
            #expect(device.counters.requests.filter { $0.key.hasPrefix("house_arrest.") }.map(\.value) == [1])
            #expect(try session.open(.documents(bundleID: appID)).list("/Documents").isEmpty)
        }
    }

    @Test(
        "A root that does not depend on the description of the app is opened while the device is asked for that",
        arguments: [("8.1", appID, "VendContainer"), ("12.5.7", "com.apple.iBooks", "VendDocuments")])
    func besideLookup(version: String, bundleID: String, command: String) throws {
        var settings = SimulatedDeviceSettings.reader
        settings.iosVersion = version
        settings.apps[0].bundleID = bundleID
        try withSimulatedDevice(settings) { device in
            let opened = DispatchSemaphore(value: 0)
            let wasOpened = Shared<Bool>()
            let trace = DeviceTrace { call in
                if call.name == "house_arrest." + command { opened.signal() }
                // The description arrives only after the root was opened.
                guard call.name == "installation_proxy.Lookup" else { return }
                wasOpened.set(opened.wait(timeout: .now() + .seconds(10)) == .success)
            }
            let session = try openSession(device, DeviceSessionOptions(trace: trace))
            #expect(try session.roots(for: bundleID).app?.bundleID == bundleID)
            #expect(wasOpened.wait())
            #expect(device.counters.total(of: "house_arrest") == 1)
        }
    }

    @Test("The description of an app that was requested together with files is requested once")
    func describedOnce() throws {
        try withSimulatedDevice(.reader) { device in
            let session = try openSession(device)
            func lookups() -> Int { device.counters.requests["installation_proxy.Lookup"] ?? 0 }
            let ids = [appID, "com.example.missing"]
            let apps = try session.apps(bundleIDs: ids, readyingFiles: true, OperationContext())
            #expect(try session.roots(for: appID).app == apps[appID])
            #expect(lookups() == 1)
            // An answer is used once, and only for apps that it is about.
            _ = try session.roots(for: appID)
            #expect(lookups() == 2)
            _ = try session.apps(bundleIDs: ids, readyingFiles: true, OperationContext())
            let missing = try session.roots(for: "com.example.missing")
            #expect(missing.app == nil && missing.refused.first?.error.code == .appNotInstalled)
            #expect(lookups() == 3)
            _ = try session.apps(bundleIDs: ids, readyingFiles: true, OperationContext())
            _ = try session.roots(for: "com.example.other")
            #expect(lookups() == 5)
        }
    }

    @Test("Since iOS 8.3 the container is refused with the reason, and the Documents folder is given")
    func newSystem() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.iosVersion = "12.5.7"
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let access = try session.roots(for: appID)
            #expect(access.granted == [.documents, .media])
            let refusal = try #require(access.refused.first)
            #expect(refusal.root == .container && refusal.error.code == .accessRefused)
            #expect(refusal.error.message.contains("12.5.7") && refusal.error.hint?.contains("8.3") == true)
            #expect(refusal.error.subject == appID)
            let files = try session.open(.documents(bundleID: appID))
            try files.write(.bytes([1]), to: "/Documents/a")
            #expect(try device.documentNames() == ["a"])
            #expect(code { try session.open(.container(bundleID: appID)) } == .accessRefused)
        }
    }

    @Test("An app that shares no files gives nothing, and the reason is file sharing")
    func noSharing() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.iosVersion = "12.5.7"
        settings.apps = [SimulatedApp(bundleID: appID, name: "Reader", fileSharing: false)]
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            let access = try session.roots(for: appID)
            #expect(access.granted == [.media])
            #expect(access.refused.map(\.root) == [.container, .documents])
            #expect(access.refused[1].error.hint?.contains("UIFileSharingEnabled") == true)
            let error = failure { try session.open(.documents(bundleID: appID)) }
            #expect(error?.code == .accessRefused && error?.message.contains("Reader") == true)
        }
    }

    @Test("An app that is not installed and one that is refused have different errors")
    func notInstalled() throws {
        try withSimulatedDevice(.reader) { device in
            let session = try openSession(device)
            let access = try session.roots(for: "org.example.none")
            #expect(access.app == nil && access.granted == [.media])
            #expect(access.refused.map(\.error.code) == [.appNotInstalled, .appNotInstalled])
            let error = failure { try session.open(.container(bundleID: "org.example.none")) }
            #expect(error?.code == .appNotInstalled && error?.subject == "org.example.none")
        }
    }

    @Test("A connection to a service that is refused once is tried again, and one refused twice is an error")
    func refusedConnection() throws {
        try withSimulatedDevice(.reader) { device in
            let session = try openSession(device)
            device.refuseConnections(1)
            #expect(try session.apps().count == 1)
            session.close()
            device.refuseConnections(2)
            #expect(code { try session.apps() } == .connectionLost)
        }
    }

    @Test("A blank name of an app or device does not count")
    func blankNames() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.name = ""
        settings.apps[0].name = " "
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(try session.information().name == nil)
            #expect(try session.apps().map(\.name) == [appID])
        }
    }

    @Test("A service that is refused carries lockdownd's reason")
    func refusedService() throws {
        var settings = SimulatedDeviceSettings.reader
        settings.refusedServices = [
            "com.apple.afc": "ServiceProhibited", DeviceRootService.apps: "ServiceLimit",
        ]
        try withSimulatedDevice(settings) { device in
            let session = try openSession(device)
            #expect(code { try session.open(.media) } == .accessRefused)
            let error = failure { try session.apps() }
            #expect(error?.code == .busy && error?.native?.number == -28)
        }
    }
}

private enum DeviceRootService {
    static let apps = "com.apple.mobile.installation_proxy"
}
