import Synchronization

/// Private keys that are made once per process, because making one takes a tenth of a second.
///
/// Simulated devices of one process share a device key and the hosts they trust share theirs, unless a folder already
/// holds others. Nothing secret depends on them.
enum GeneratedKeys {
    private static let deviceKey = Mutex<[UInt8]?>(nil)
    private static let hostKey = Mutex<[UInt8]?>(nil)

    /// The key of devices, PEM.
    static func device() throws -> [UInt8] { try deviceKey.withLock { try made(&$0) } }

    /// The host's own key, PEM, which signs as well: a real host has a second one for that.
    static func host() throws -> [UInt8] { try hostKey.withLock { try made(&$0) } }

    private static func made(_ key: inout [UInt8]?) throws -> [UInt8] {
        if let key { return key }
        let new = try Certificates.newKey()
        key = new
        return new
    }
}
