import CSystemShims
import Glibc

/// What keeps a worker from everything that is not its overlay's business, as far as the running kernel can.
public struct Confinement: Sendable, Equatable {
    /// The parts that are in force: `SHIM_…` bits.
    let parts: UInt32
    /// Version of Landlock that the kernel has; 0 without.
    let landlock: UInt32

    init(parts: UInt32, landlock: UInt32) {
        self.parts = parts
        self.landlock = landlock
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        func word(_ at: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }
        }
        self.init(parts: word(0), landlock: word(4))
    }

    var bytes: [UInt8] {
        [parts, landlock].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// What the running kernel offers.
    public static func offered() -> Confinement {
        var landlock: UInt32 = 0
        let parts = shim_confinement_offered(&landlock)
        return Confinement(parts: parts, landlock: landlock)
    }

    private static let names: [(part: UInt32, name: String)] = [
        (SHIM_NO_NEW_PRIVILEGES, "no new privileges"), (SHIM_LIMITS, "limits of memory and files"),
        (SHIM_LANDLOCK, "files (Landlock)"), (SHIM_LANDLOCK_NETWORK, "TCP (Landlock)"),
        (SHIM_LANDLOCK_SCOPES, "signals and abstract sockets (Landlock)"),
        (SHIM_SECCOMP, "system calls (seccomp)"),
    ]

    /// What an overlay can do for want of parts that the kernel does not have, for people.
    public var consequences: [String] {
        var clauses: [String] = []
        if parts & SHIM_LANDLOCK == 0 { clauses.append("read and write the files that you can") }
        if parts & SHIM_SECCOMP == 0 { clauses.append("open sockets and start programs") }
        return clauses
    }

    /// The parts in force, for people.
    public var inForce: [String] { Self.names.filter { parts & $0.part != 0 }.map(\.name) }

    /// The parts that the kernel does not have, for people.
    public var missing: [String] { Self.names.filter { parts & $0.part == 0 }.map(\.name) }

    /// What an overlay's author should know whose words speak of a refusal, which the kernel tells nobody but the overlay; nil for
    /// other words.
    static func hint(for words: String) -> String? {
        guard [EACCES, EPERM].contains(where: { words.contains(String(cString: strerror($0))) }) else {
            return nil
        }
        return
            "Overlays may use no files of this computer, no sockets and no other programs (docs/isolation.md)."
    }

    /// Takes away from this process, which must have one thread, what an overlay has no business with.
    ///
    /// - Parameters:
    ///   - library: the overlay, which may be read.
    ///   - scratch: a folder it may write; empty for none.
    ///   - memory: bytes of its own that it may have.
    ///   - withheld: parts that are left out, as on a kernel that lacks them.
    static func enforce(library: String, scratch: String, memory: UInt64, withheld: UInt32) -> Confinement {
        let readable = readablePlaces(library).map { strdup($0) } + [nil]
        defer { for place in readable { free(place) } }
        var landlock: UInt32 = 0
        let parts = readable.withUnsafeBufferPointer { places in
            places.withMemoryRebound(to: UnsafePointer<CChar>?.self) {
                shim_confine($0.baseAddress, scratch, memory, withheld, &landlock)
            }
        }
        return Confinement(parts: parts, landlock: landlock)
    }

    /// The library with what it brings in `../runtime`, and what every program needs: libraries, time zones, locales.
    private static func readablePlaces(_ library: String) -> [String] {
        var places = [
            library, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo",
            "/usr/share/locale", "/etc/ld.so.cache", "/etc/localtime", "/etc/timezone",
        ]
        if let slash = library.lastIndex(of: "/") { places.append(String(library[..<slash]) + "/../runtime") }
        if let path = getenv("LD_LIBRARY_PATH") {
            places += String(cString: path).split(separator: ":").map { String($0) }
        }
        return places + foldersOfLoadedLibraries()
    }

    /// The folders of the libraries that this program uses, such as that of the Swift runtime.
    private static func foldersOfLoadedLibraries() -> [String] {
        guard let file = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(file) }
        var folders: Set<String> = []
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { free(line) }
        while getline(&line, &room, file) > 0, let text = line {
            let words = String(cString: text).split(
                separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard words.count == 6, words[5].contains(".so"), let slash = words[5].lastIndex(of: "/") else {
                continue
            }
            let folder = words[5][..<slash].drop { $0 == " " }
            if !folder.isEmpty { folders.insert(String(folder)) }
        }
        return folders.sorted()
    }
}
