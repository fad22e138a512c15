import CSystemShims
import Glibc
import Platform

/// The restrictions that keep a worker from everything that its overlay does not need, as far as the running kernel
/// supports.
///
/// ```swift
/// let confinement = Confinement.offered()
/// print("In force:", confinement.inForce.joined(separator: ", "))
/// for consequence in confinement.consequences { print("Overlays can \(consequence).") }
/// ```
public struct Confinement: Sendable, Equatable {
    /// The active parts: `SHIM_…` bits.
    let parts: UInt32
    /// The active version of Landlock; 0 if there is none.
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

    package var bytes: [UInt8] {
        [parts, landlock].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// The confinement that the running kernel supports.
    public static func offered() -> Confinement {
        var landlock: UInt32 = 0
        let parts = shim_confinement_offered(&landlock)
        return Confinement(parts: parts, landlock: landlock)
    }

    private static let names: [(part: UInt32, name: String)] = [
        (SHIM_NO_NEW_PRIVILEGES, "no new privileges"), (SHIM_CAPABILITIES, "no capabilities"),
        (SHIM_LIMITS, "limits on memory and files"), (SHIM_THREADS, "a limit on threads"),
        (SHIM_LANDLOCK, "files (Landlock)"), (SHIM_LANDLOCK_NETWORK, "TCP (Landlock)"),
        (SHIM_LANDLOCK_SCOPES, "signals and abstract sockets (Landlock)"),
        (SHIM_SECCOMP, "system calls (seccomp)"),
    ]

    /// The actions that an overlay can perform because of parts that the kernel does not support, for display.
    public var consequences: [String] {
        var clauses: [String] = []
        if parts & SHIM_LANDLOCK == 0 { clauses.append("read and write all your files") }
        if parts & SHIM_SECCOMP == 0 { clauses.append("open sockets and start programs") }
        return clauses
    }

    /// The active parts, for display.
    public var inForce: [String] { Self.names.filter { parts & $0.part != 0 }.map(\.name) }

    /// The inactive parts, for display.
    public var missing: [String] { Self.names.filter { parts & $0.part == 0 }.map(\.name) }

    /// The parts of another confinement that are not active here, for display.
    package func lacking(of other: Confinement) -> [String] {
        let older = (1..<max(1, other.landlock)).contains(landlock)
        return Self.names.filter { other.parts & ~parts & $0.part != 0 }.map(\.name)
            + (older ? ["version \(other.landlock) of Landlock"] : [])
    }

    /// The expected confinement of a worker: the one that the running kernel supports, without the parts that the
    /// options omit.
    package static func expected(_ options: WorkerOptions) -> Confinement {
        let offered = offered()
        let hasLandlock = options.withheld & SHIM_LANDLOCK == 0
        let landlock = hasLandlock ? min(offered.landlock, options.newestLandlock) : 0
        var parts = offered.parts & ~options.withheld
        if landlock < 1 { parts &= ~SHIM_LANDLOCK }
        if landlock < 4 { parts &= ~SHIM_LANDLOCK_NETWORK }
        if landlock < 6 { parts &= ~SHIM_LANDLOCK_SCOPES }
        // Granting threads requires restricted system calls.
        if parts & SHIM_SECCOMP == 0 { parts &= ~SHIM_THREADS }
        return Confinement(parts: parts, landlock: landlock)
    }

    /// A hint for the author of an overlay whose output mentions a refusal, because the kernel reports refusals only
    /// to the overlay; nil for other output.
    package static func hint(for words: String) -> String? {
        guard [EACCES, EPERM].contains(where: { words.contains(systemText($0)) }) else {
            return nil
        }
        return
            "Overlays may not use local files, sockets or other programs (docs/isolation.md)."
    }

    /// Restricts this process, which must have one thread, to the needs of an overlay: its library, the library's
    /// dependencies, and its folder for temporary files.
    static func enforce(_ arguments: WorkerProgram.Arguments) -> Confinement {
        arguments.scratch.withCString { scratch in
            enforce(
                shim_confinement(
                    readable: nil, writable: scratch, memory: arguments.memory, processor_seconds: 0,
                    withheld: arguments.withheld, newest_landlock: arguments.newestLandlock,
                    grants: WorkerProgram.grants, starts_program: 0),
                readable: readablePlaces(arguments.library))
        }
    }

    /// Activates a confinement in this process, which must have one thread.
    ///
    /// - Parameter readable: the files and folders that the process may read.
    static func enforce(_ wanted: shim_confinement, readable: [String]) -> Confinement {
        let readable = readable.map { strdup($0) } + [nil]
        defer { for place in readable { free(place) } }
        var (wanted, landlock): (shim_confinement, UInt32) = (wanted, 0)
        let parts = readable.withUnsafeBufferPointer { places in
            places.withMemoryRebound(to: UnsafePointer<CChar>?.self) { places in
                wanted.readable = places.baseAddress
                return shim_confine(&wanted, &landlock)
            }
        }
        return Confinement(parts: parts, landlock: landlock)
    }

    /// The library, the libraries in `../runtime`, and the files that every program needs: libraries, time zones,
    /// locales.
    private static func readablePlaces(_ library: String) -> [String] {
        var places = [
            library, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo",
            "/usr/share/locale", "/etc/ld.so.cache", "/etc/localtime", "/etc/timezone",
        ]
        if let folder = library.pathFolder { places.append(folder + "/../runtime") }
        if let path = getenv("LD_LIBRARY_PATH") {
            places += String(cString: path).split(separator: ":").map { String($0) }
        }
        return places + foldersOfLoadedLibraries()
    }

    /// The folders of the libraries that this program uses, such as the Swift runtime, and the folders of the files to
    /// which their names are links.
    private static func foldersOfLoadedLibraries() -> [String] {
        var folders: Set<String> = []
        withUnsafeMutablePointer(to: &folders) { folders in
            shim_each_loaded_library(
                { path, folders in
                    guard let path, let folders = folders?.assumingMemoryBound(to: Set<String>.self) else {
                        return
                    }
                    let file = realpath(path, nil)
                    defer { free(file) }
                    for name in [path, file.map { UnsafePointer($0) }].compactMap({ $0 }) {
                        guard let folder = String(cString: name).pathFolder, !folder.isEmpty else { continue }
                        folders.pointee.insert(String(folder))
                    }
                }, folders)
        }
        return folders.sorted()
    }
}
