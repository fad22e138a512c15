import Foundation
import PropertyLists
import SimulatedDevice
import TestSupport
import Testing

@Suite("The answers of lockdownd are those of a device")
struct LockdownTests {
    @Test("A reply names lockdownd's type and the request")
    func type() throws {
        let own = try OwnDaemon()
        let reply = try own.lockdown().askList(["Request": "QueryType", "Label": "test"])
        #expect(reply == ["Request": "QueryType", "Type": "com.apple.mobile.lockdown"])
    }

    @Test("Before iOS 5 a reply carries its result")
    func oldResult() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.iosVersion = "4.3.5"
        let own = try OwnDaemon(settings)
        let lockdown = try own.lockdown()
        #expect(try lockdown.askList(["Request": "QueryType"])["Result"] == "Success")
        let refused = try lockdown.askList(["Request": "Dance"])
        #expect(refused["Result"] == "Failure")
        #expect(refused["Error"] == "InvalidRequest")
    }

    @Test("Without a session only what identifies the device can be read")
    func valuesBeforeSession() throws {
        let own = try OwnDaemon()
        let lockdown = try own.lockdown()
        let value = { (key: String) in try lockdown.askList(["Request": "GetValue", "Key": .string(key)]) }
        #expect(try value("ProductVersion")["Value"] == "9.3.5")
        #expect(try value("ProductVersion")["Key"] == "ProductVersion")
        #expect(try value("SerialNumber")["Error"] == "GetProhibited")
        #expect(try value("NoSuchKey")["Error"] == "MissingValue")
        #expect(
            try lockdown.askList(["Request": "GetValue", "Domain": "com.apple.disk_usage"])["Error"]
                == "GetProhibited")
        let all = try lockdown.askList(["Request": "GetValue"])["Value"]?.dictionary ?? [:]
        #expect(all["DeviceName"] == "Simulated iPad")
        #expect(all["SerialNumber"] == nil)
        let key = try value("DevicePublicKey")["Value"]?.data.map { String(decoding: $0, as: UTF8.self) }
        #expect(key?.hasPrefix("-----BEGIN RSA PUBLIC KEY-----") == true)
    }

    @Test("With a session everything can be read, settings as they are now")
    func valuesInSession() throws {
        let own = try OwnDaemon()
        let lockdown = try own.session()
        let value = { (domain: String, key: String) in
            try lockdown.askList(["Request": "GetValue", "Domain": .string(domain), "Key": .string(key)])[
                "Value"]
        }
        #expect(try lockdown.askList(["Request": "GetValue", "Key": "SerialNumber"])["Value"] != nil)
        #expect(try value("com.apple.disk_usage", "TotalDiskCapacity") == 64_000_000_000)
        try own.device.update {
            $0.freeBytes = 12345
            $0.isLocked = true
        }
        #expect(try value("com.apple.disk_usage", "TotalDataAvailable") == 12345)
        #expect(try value("com.apple.mobile.battery", "BatteryCurrentCapacity") == 100)
        #expect(try value("com.apple.international", "Language") == "en")
        #expect(try lockdown.askList(["Request": "GetValue", "Key": "PasswordProtected"])["Value"] == true)
        #expect(
            try lockdown.askList(["Request": "GetValue", "Domain": "no.such"])["Value"] == .dictionary([:]))
    }

    @Test("A host may rename the device and set its language, and nothing else")
    func writing() throws {
        let own = try OwnDaemon()
        let set = { (lockdown: MuxTestClient, key: String, domain: String?) in
            var request: [String: PropertyList] = [
                "Request": "SetValue", "Key": .string(key), "Value": "new",
            ]
            if let domain { request["Domain"] = .string(domain) }
            return try lockdown.askList(.dictionary(request))
        }
        #expect(try set(own.lockdown(), "DeviceName", nil)["Error"] == "SessionInactive")
        let lockdown = try own.session()
        #expect(try set(lockdown, "DeviceName", nil)["Error"] == nil)
        #expect(own.device.settings.name == "new")
        #expect(try set(lockdown, "ProductVersion", nil)["Error"] == "SetProhibited")
        #expect(try set(lockdown, "Language", "com.apple.international")["Error"] == nil)
        let read: PropertyList = [
            "Request": "GetValue", "Domain": "com.apple.international", "Key": "Language",
        ]
        #expect(try lockdown.askList(read)["Value"] == "new")
        let remove: PropertyList = [
            "Request": "RemoveValue", "Domain": "com.apple.international", "Key": "Language",
        ]
        #expect(try lockdown.askList(remove)["Error"] == nil)
        #expect(try lockdown.askList(read)["Value"] == "en")
        #expect(
            try lockdown.askList(["Request": "RemoveValue", "Key": "UniqueDeviceID"])["Error"]
                == "RemoveProhibited")
    }

    @Test("A session needs a known host, happens once at a time, and ends by its own id")
    func sessions() throws {
        let own = try OwnDaemon()
        let hostID = PropertyList.string(try own.hostID())
        let lockdown = try own.lockdown()
        #expect(try lockdown.askList(["Request": "StartSession"])["Error"] == "MissingHostID")
        #expect(try lockdown.askList(["Request": "StartSession", "HostID": "x"])["Error"] == "InvalidHostID")
        #expect(
            try lockdown.askList(["Request": "StopSession", "SessionID": "x"])["Error"] == "SessionInactive")
        let session = try lockdown.askList(["Request": "StartSession", "HostID": hostID])
        #expect(session["EnableSessionSSL"] == false)
        #expect(
            try lockdown.askList(["Request": "StartSession", "HostID": hostID])["Error"] == "SessionActive")
        #expect(try lockdown.askList(["Request": "StopSession"])["Error"] == "MissingSessionID")
        #expect(
            try lockdown.askList(["Request": "StopSession", "SessionID": "x"])["Error"] == "InvalidSessionID")
        let stop: PropertyList = ["Request": "StopSession", "SessionID": session["SessionID"] ?? ""]
        #expect(try lockdown.askList(stop) == ["Request": "StopSession"])
        #expect(try lockdown.askList(["Request": "StartSession", "HostID": hostID])["SessionID"] != nil)
        #expect(try lockdown.askList(["Request": "Goodbye"])["Error"] == nil)
        #expect(try lockdown.isEnded())
    }

    @Test("A service is refused with the name of the reason")
    func serviceRefusals() throws {
        let own = try OwnDaemon()
        let start = { (lockdown: MuxTestClient, name: String?) in
            var request: [String: PropertyList] = ["Request": "StartService"]
            if let name { request["Service"] = .string(name) }
            return try lockdown.askList(.dictionary(request))["Error"]
        }
        #expect(try start(own.lockdown(), "com.apple.afc") == "SessionInactive")
        let lockdown = try own.session()
        #expect(try start(lockdown, nil) == "MissingService")
        #expect(try start(lockdown, "com.apple.nothing") == "InvalidService")
        try own.device.update { $0.refusedServices = ["com.apple.afc": "ServiceProhibited"] }
        #expect(try start(lockdown, "com.apple.afc") == "ServiceProhibited")
        try own.device.update {
            $0.refusedServices = [:]
            $0.isLocked = true
        }
        #expect(try start(lockdown, "com.apple.afc") == "PasswordProtected")
        #expect(try start(lockdown, "com.apple.mobile.house_arrest") == "PasswordProtected")
        #expect(try start(lockdown, "com.apple.mobile.installation_proxy") == nil)
        try own.device.update { $0.trust = .denied }
        #expect(try start(lockdown, "com.apple.mobile.installation_proxy") == "InvalidHostID")
    }

    @Test("A started service has a port for one connection")
    func ports() throws {
        let own = try OwnDaemon()
        let request: PropertyList = ["Request": "StartService", "Service": "com.apple.afc"]
        let port = try #require(
            try own.session().askList(request)["Port"]?.integer.flatMap { UInt16(exactly: $0) })
        let connection = try own.connection(port: port)
        let second = try own.client()
        #expect(try second.connect(try second.number(of: own.device.settings.udid), port: port) == 3)
        withExtendedLifetime(connection) {}
    }

    @Test("The limit of file connections counts open and expected ones, and ends with them")
    func limit() throws {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.connectionLimit = 2
        let own = try OwnDaemon(settings)
        let lockdown = try own.session()
        let request: PropertyList = ["Request": "StartService", "Service": "com.apple.afc"]
        let first = try own.service("com.apple.afc")
        #expect(try lockdown.askList(request)["Port"] != nil)
        #expect(try lockdown.askList(request)["Error"] == "ServiceLimit")
        #expect(
            try lockdown.askList([
                "Request": "StartService", "Service": "com.apple.mobile.installation_proxy",
            ])["Port"] != nil)
        try own.device.update { $0.connectionLimit = nil }
        #expect(try lockdown.askList(request)["Port"] != nil)
        withExtendedLifetime(first) {}
    }

    @Test("Requests are counted by name, and names the device does not know together")
    func counting() throws {
        let own = try OwnDaemon()
        let lockdown = try own.lockdown()
        own.device.resetCounters()
        for request in ["QueryType", "GetValue", "QueryType", "One", "Two"] {
            _ = try lockdown.askList(["Request": .string(request)])
        }
        let counters = own.device.counters
        #expect(
            counters.requests == ["lockdown.QueryType": 2, "lockdown.GetValue": 1, "lockdown.unknown": 2])
        #expect(counters.total(of: "lockdown") == 5)
        #expect(counters.bytesReceived > 500)
        #expect(counters.bytesSent > 500)
    }

    @Test("Invalid data instead of a request ends the connection")
    func rubbish() throws {
        let own = try OwnDaemon()
        for bytes in [[0, 0, 0, 5] + Array("hello".utf8), [255, 255, 255, 255], [0, 0, 0, 0]] as [[UInt8]] {
            let lockdown = try own.lockdown()
            try lockdown.send(bytes)
            #expect(try lockdown.isEnded())
        }
        let cut = try own.lockdown()
        try cut.send([0, 0, 1])
        cut.endSending()
        #expect(try cut.isEnded())
    }
}
