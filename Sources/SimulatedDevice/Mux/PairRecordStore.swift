import FoundationEssentials
import Glibc
import Platform
import PropertyLists
import Synchronization

/// The daemon's pair records, one file per device, and the identity of their host.
final class PairRecordStore: Sendable {
    private let folder: URL
    // Files are replaced atomically. The lock keeps a deletion and a replacement apart.
    private let access = Mutex(())

    init(folder: URL) { self.folder = folder }

    /// The id of this host. It is created at first use and kept.
    func hostIdentity() throws -> String {
        try access.withLock { _ in
            let file = folder.appendingPathComponent("SystemConfiguration.plist")
            if let data = try contents(file),
                let identity = try PropertyList(parsing: data)["SystemBUID"]?.string
            {
                return identity
            }
            let identity = UUID().uuidString
            let list: PropertyList = ["SystemBUID": .string(identity)]
            try write(Data(try list.encoded()), to: file)
            return identity
        }
    }

    /// The saved bytes of a record; nil if there is none.
    func record(_ name: String) throws -> Data? {
        guard let file = file(name) else { return nil }
        return try access.withLock { _ in try contents(file) }
    }

    /// Saves a record. Returns false if the name is not that of a device.
    func save(_ name: String, _ data: Data) throws -> Bool {
        guard let file = file(name) else { return false }
        try access.withLock { _ in try write(data, to: file) }
        return true
    }

    /// Deletes a record. Returns false if there is none.
    func delete(_ name: String) throws -> Bool {
        guard let file = file(name) else { return false }
        return try access.withLock { _ in
            guard FileManager.default.fileExists(atPath: file.path) else { return false }
            try FileManager.default.removeItem(at: file)
            return true
        }
    }

    /// The file of a record; nil for a name that is not a UDID, so that no client can choose a path.
    private func file(_ name: String) -> URL? {
        let isAllowed = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed) else { return nil }
        return folder.appendingPathComponent(name + ".plist")
    }

    private func contents(_ file: URL) throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
    }

    private func write(_ data: Data, to file: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The file contains private keys, so only its owner may read it.
        let code = TemporaryFile.write([UInt8](data), to: file.path, mode: 0o600)
        if code != 0 { throw SimulationError.system(code, "The file cannot be written", subject: file.path) }
    }
}
