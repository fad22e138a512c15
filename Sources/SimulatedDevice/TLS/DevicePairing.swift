import Diagnostics
import FoundationEssentials
import Glibc
import Platform
import PropertyLists
import Synchronization

/// A device's own key and the hosts with which it is paired, stored in `Lockdown` in the device's folder.
final class DevicePairing: Sendable {
    private struct State {
        var key: [UInt8]?
        var hosts: [String: PairedHost]?
        var contexts: [String: TLSContext] = [:]
    }

    private let folder: URL
    private let state = Mutex(State())

    init(folder: URL) { self.folder = folder }

    /// The private key in PEM. It is generated at first use.
    func privateKey() throws -> [UInt8] {
        try state.withLock { state in try privateKey(&state) }
    }

    func knows(_ hostID: String) throws -> Bool {
        try state.withLock { state in try hosts(&state)[hostID] != nil }
    }

    /// Whether this is the escrow bag that the device gave the host. For a host that was paired before bags were
    /// stored, any bag that is not empty is accepted.
    func accepts(escrowBag: Data, of hostID: String) throws -> Bool {
        try state.withLock { state in
            guard let host = try hosts(&state)[hostID] else { return false }
            return host.escrowBag.map { $0 == escrowBag } ?? !escrowBag.isEmpty
        }
    }

    func add(_ host: PairedHost) throws {
        try state.withLock { state in
            var hosts = try hosts(&state)
            hosts[host.hostID] = host
            try keep(hosts, &state)
        }
    }

    /// Forgets one host. Returns true if no host is left.
    func remove(_ hostID: String) throws -> Bool {
        try state.withLock { state in
            var hosts = try hosts(&state)
            hosts[hostID] = nil
            try keep(hosts, &state)
            return hosts.isEmpty
        }
    }

    func removeAll() throws {
        try state.withLock { state in
            if try !hosts(&state).isEmpty { try keep([:], &state) }
        }
    }

    /// The certificates that the device presents to a host in TLS and accepts from it; nil for an unknown host.
    func context(for hostID: String) throws -> TLSContext? {
        try state.withLock { state in
            if let context = state.contexts[hostID] { return context }
            guard let host = try hosts(&state)[hostID] else { return nil }
            let context = try TLSContext(
                key: try privateKey(&state), certificate: [UInt8](host.deviceCertificate),
                clients: [[UInt8](host.rootCertificate), [UInt8](host.hostCertificate)])
            state.contexts[hostID] = context
            return context
        }
    }

    /// Whether the certificates of a host are usable: all three can be parsed, and the first is for this device's
    /// key.
    func accepts(_ host: PairedHost) throws -> Bool {
        let key = try privateKey()
        do {
            _ = try TLSContext(
                key: key, certificate: [UInt8](host.deviceCertificate),
                clients: [[UInt8](host.rootCertificate), [UInt8](host.hostCertificate)])
            return true
        } catch let error as SimulationError where error.code == .cryptography {
            return false
        }
    }

    private var keyFile: URL { folder.appendingPathComponent("device-key.pem") }
    private var hostsFile: URL { folder.appendingPathComponent("hosts.plist") }

    private func privateKey(_ state: inout State) throws -> [UInt8] {
        if let key = state.key { return key }
        if FileManager.default.fileExists(atPath: keyFile.path) {
            let key = [UInt8](try Data(contentsOf: keyFile))
            state.key = key
            return key
        }
        let key = try GeneratedKeys.device()
        try write(Data(key), to: keyFile)
        state.key = key
        return key
    }

    private func hosts(_ state: inout State) throws -> [String: PairedHost] {
        if let hosts = state.hosts { return hosts }
        var hosts: [String: PairedHost] = [:]
        if FileManager.default.fileExists(atPath: hostsFile.path) {
            for (name, entry) in try PropertyList(parsing: try Data(contentsOf: hostsFile)).dictionary ?? [:]
            {
                hosts[name] = PairedHost(entry, hostID: name)
            }
        }
        state.hosts = hosts
        return hosts
    }

    private func keep(_ hosts: [String: PairedHost], _ state: inout State) throws {
        let list = PropertyList.dictionary(hosts.mapValues(\.propertyList))
        try write(Data(try list.encoded()), to: hostsFile)
        state.hosts = hosts
        state.contexts = [:]
    }

    private func write(_ data: Data, to file: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The file contains private keys, so only its owner may read it.
        let code = TemporaryFile.write([UInt8](data), to: file.path, mode: 0o600)
        if code != 0 { throw SimulationError.system(code, "The file cannot be written", subject: file.path) }
    }
}
