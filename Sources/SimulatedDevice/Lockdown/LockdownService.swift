import Diagnostics
import FoundationEssentials
import PropertyLists

/// lockdownd on one connection: values, pairing, sessions, and starting other services.
final class LockdownService {
    let device: SimulatedDevice
    private let stream: ConnectionStream
    private let channel: PropertyListChannel
    private(set) var session: (id: String, hostID: String)?

    init(device: SimulatedDevice, stream: ConnectionStream) {
        self.device = device
        self.stream = stream
        channel = PropertyListChannel(stream: stream)
    }

    /// Answers requests until the client closes the connection, ends the conversation, or is idle for too long.
    func run() throws {
        while true {
            guard try stream.waitForInput(within: { device.settings.lockdownIdleLimit }) else {
                return device.counting.count { $0.idleConnectionsEnded += 1 }
            }
            guard let request = try channel.receive() else { return }
            let name = request["Request"]?.string ?? ""
            let isKnown = LockdownService.requests.contains(name)
            try device.accept("lockdown." + (isKnown ? name : "unknown"), on: stream)
            if try device.hasHookAnswered(request, on: stream) { continue }
            var reply: [String: PropertyList] = ["Request": .string(name)]
            var isRefused = false
            do {
                reply.merge(try answer(name, request)) { _, new in new }
            } catch let error as LockdownError {
                reply["Error"] = .string(error.rawValue)
                isRefused = true
            }
            // Hosts before iOS 5 checked the result instead of the absence of an error.
            if IOSVersion(device.settings.iosVersion) < IOSVersion(5) {
                reply["Result"] = isRefused ? "Failure" : "Success"
            }
            try channel.send(.dictionary(reply))
            if isRefused { continue }
            switch name {
            case "StartSession": try beginEncryption(reply["EnableSessionSSL"]?.boolean == true)
            case "StopSession": endSession()
            case "Goodbye": return
            default: break
            }
        }
    }

    private static let requests: Set<String> = [
        "QueryType", "GetValue", "SetValue", "RemoveValue", "Pair", "ValidatePair", "Unpair", "StartSession",
        "StopSession", "StartService", "Goodbye", "EnterRecovery", "Activate", "Deactivate",
    ]

    private func answer(_ name: String, _ request: PropertyList) throws -> [String: PropertyList] {
        switch name {
        case "QueryType": return ["Type": "com.apple.mobile.lockdown"]
        case "GetValue": return try value(request)
        case "SetValue": return try setValue(request)
        case "RemoveValue": return try removeValue(request)
        case "Pair": return try pair(request)
        case "ValidatePair": return try validatePair(request)
        case "Unpair": return try unpair(request)
        case "StartSession": return try startSession(request)
        case "StopSession":
            guard let session else { throw LockdownError.sessionInactive }
            guard let id = request["SessionID"]?.string else { throw LockdownError.missingSessionID }
            guard id == session.id else { throw LockdownError.invalidSessionID }
            return [:]
        case "StartService": return try startService(request)
        case "Goodbye", "EnterRecovery", "Activate", "Deactivate": return [:]
        default: throw LockdownError.invalidRequest
        }
    }

    // MARK: Sessions

    private func startSession(_ request: PropertyList) throws -> [String: PropertyList] {
        guard session == nil else { throw LockdownError.sessionActive }
        guard let hostID = request["HostID"]?.string else { throw LockdownError.missingHostID }
        guard device.knowsHost(hostID) else { throw LockdownError.invalidHostID }
        let id = UUID().uuidString
        session = (id, hostID)
        return ["SessionID": .string(id), "EnableSessionSSL": .boolean(device.settings.usesTLS)]
    }

    private func beginEncryption(_ isWanted: Bool) throws {
        guard isWanted, let session else { return }
        guard let context = try device.pairing.context(for: session.hostID) else {
            throw SimulationError(.cryptography, "The host was forgotten while its session began.")
        }
        try stream.startTLS(context)
    }

    private func endSession() {
        session = nil
        stream.stopTLS()
    }

    // MARK: Services

    private func startService(_ request: PropertyList) throws -> [String: PropertyList] {
        guard let session else { throw LockdownError.sessionInactive }
        guard device.knowsHost(session.hostID) else { throw LockdownError.invalidHostID }
        guard let name = request["Service"]?.string else { throw LockdownError.missingService }
        let service = try device.startService(
            name, hostID: session.hostID, escrowBag: request["EscrowBag"]?.data)
        var reply: [String: PropertyList] = ["Service": .string(name), "Port": .integer(Int64(service.port))]
        if service.tls != nil { reply["EnableServiceSSL"] = true }
        return reply
    }
}
