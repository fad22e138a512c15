import PropertyLists
import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Services answer as on a device")
struct ServiceTests {
    static let apps = (0..<45).map { index in
        SimulatedApp(
            bundleID: "org.example.app\(index)", name: "App \(index) ä", version: "1.\(index)",
            fileSharing: index % 2 == 0, developmentSigned: index == 7)
    }

    @Test("Browse comes in parts that add up to all apps")
    func browse() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = Self.apps
        let own = try OwnDaemon(settings)
        let service = try own.service("com.apple.mobile.installation_proxy")
        try service.sendList(["Command": "Browse", "ClientOptions": ["ApplicationType": "User"]])
        var names: [String] = []
        var sizes: [Int64] = []
        while true {
            let part = try service.list()
            if part["Status"] == "Complete" { break }
            #expect(part["CurrentIndex"] == .integer(Int64(names.count)))
            #expect(part["Total"] == 45)
            sizes.append(part["CurrentAmount"]?.integer ?? 0)
            names += part["CurrentList"]?.array?.compactMap { $0["CFBundleIdentifier"]?.string } ?? []
        }
        #expect(sizes == [20, 20, 5])
        #expect(names == Self.apps.map(\.bundleID))
    }

    @Test("Browse and Lookup give the attributes asked for, of the apps asked for")
    func attributes() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = Self.apps
        let own = try OwnDaemon(settings)
        let service = try own.service("com.apple.mobile.installation_proxy")
        let reply = try service.askList([
            "Command": "Lookup",
            "ClientOptions": [
                "BundleIDs": ["org.example.app4", "org.example.app7", "org.example.none"],
                "ReturnAttributes": ["CFBundleShortVersionString", "UIFileSharingEnabled"],
            ],
        ])
        #expect(reply["Status"] == "Complete")
        #expect(
            reply["LookupResult"] == [
                "org.example.app4": ["CFBundleShortVersionString": "1.4", "UIFileSharingEnabled": true],
                "org.example.app7": ["CFBundleShortVersionString": "1.7"],
            ])
        #expect(
            try service.askList(["Command": "Browse", "ClientOptions": ["ApplicationType": "System"]])
                == ["Status": "Complete"])
        #expect(try service.askList(["Command": "Dance"])["Error"] == "UnknownCommand")
    }

    @Test("Every app is listed by ideviceinstaller", arguments: [true, false])
    func installer(usesTLS: Bool) throws {
        let settings = SimulatedDeviceSettings(
            iosVersion: "12.5", usesTLS: usesTLS, serviceTLS: usesTLS, apps: Self.apps)
        try withSimulatedDevice(settings) { device in
            let result = try listOfApps(["-u", device.settings.udid])
            #expect(result.status == 0, "\(result)")
            for app in Self.apps { #expect(result.output.contains(app.bundleID + ",")) }
        }
    }

    @Test(
        "A container is vended or refused as the version of iOS and the app allow",
        arguments: [
            ("VendContainer", "8.2", "store", nil),
            ("VendContainer", "8.3", "store", "InstallationLookupFailed"),
            ("VendContainer", "17.4", "store", "InstallationLookupFailed"),
            ("VendContainer", "17.4", "developer", nil),
            ("VendContainer", "8.2", "none", "ApplicationLookupFailed"),
            ("VendDocuments", "17.4", "store", nil),
            ("VendDocuments", "8.2", "private", "InstallationLookupFailed"),
            ("VendDocuments", "9.3", "none", "ApplicationLookupFailed"),
            ("VendContainer", "8.2", "system", nil),
            ("VendContainer", "8.3", "system", "InstallationLookupFailed"),
            ("VendDocuments", "17.4", "system", "InstallationLookupFailed"),
            ("Dance", "9.3", "store", "UnknownCommand"),
        ] as [(String, String, String, String?)])
    func vending(command: String, version: String, app: String, refusal: String?) throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.iosVersion = version
        settings.apps = [
            SimulatedApp(bundleID: "store", name: "Store"),
            SimulatedApp(bundleID: "private", name: "Private", fileSharing: false),
            SimulatedApp(bundleID: "developer", name: "Developer", developmentSigned: true),
            SimulatedApp(bundleID: "system", name: "System"),
        ]
        settings.apps[3].isSystem = true
        let own = try OwnDaemon(settings)
        let service = try own.service("com.apple.mobile.house_arrest")
        let reply = try service.askList(["Command": .string(command), "Identifier": .string(app)])
        #expect(reply["Error"]?.string == refusal)
        #expect(reply["Status"]?.string == (refusal == nil ? "Complete" : nil))
        if refusal != nil { #expect(try service.isEnded()) }
    }

    @Test("A notification reaches only the hosts that observe it")
    func notifications() throws {
        let own = try OwnDaemon()
        let name = "com.apple.mobile.notification_proxy"
        let observer = try own.service(name)
        let other = try own.service(name)
        try observer.sendList(["Command": "ObserveNotification", "Name": "one"])
        try other.sendList(["Command": "ObserveNotification", "Name": "two"])
        // Observing has no reply. An answered Shutdown on a third connection does not order the others, but a
        // notification that a connection posts itself comes back to it after it has observed.
        try observer.sendList(["Command": "PostNotification", "Name": "one"])
        #expect(try observer.list() == ["Command": "RelayNotification", "Name": "one"])
        try other.sendList(["Command": "PostNotification", "Name": "two"])
        #expect(try other.list() == ["Command": "RelayNotification", "Name": "two"])
        own.device.postNotification("one")
        #expect(try observer.list() == ["Command": "RelayNotification", "Name": "one"])
        try other.sendList(["Command": "Shutdown"])
        #expect(try other.list() == ["Command": "ProxyDeath"])
        #expect(try other.isEnded())
    }
}
