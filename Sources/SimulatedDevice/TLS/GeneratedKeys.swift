import Synchronization

/// Private keys that are made once per process, because making one takes a tenth of a second.
///
/// Simulated devices of one process share a device key and the hosts they trust share theirs, unless a folder already
/// holds others. Nothing secret depends on them.
enum GeneratedKeys {
    enum Role: Hashable {
        case device
        /// The host's own key, which signs as well: a real host has a second one for that.
        case host
    }

    private static let keys = Mutex<[Role: [UInt8]]>([:])

    /// The key of a role, PEM.
    static func key(_ role: Role) throws -> [UInt8] {
        try keys.withLock { keys in
            if let key = keys[role] { return key }
            let key = try Certificates.newKey()
            keys[role] = key
            return key
        }
    }
}
