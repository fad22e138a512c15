import DeviceTransport
import Glibc
import OverlayABI
import Platform
import Synchronization

/// What a person can send who tries a device that nothing was tried on before: versions, and every request with its status. It
/// has no names, titles, identifiers and paths.
public struct DeviceReport: Sendable, Equatable {
    /// A request to the device, in their order.
    public struct Request: Sendable, Equatable {
        /// What was called, such as `lockdownd.GetValue` or `AFC.GET_FILE_INFO`.
        public var name: String
        /// A key or a service of Apple's; nil for anything else, which might name an app or a device.
        public var subject: String?
        /// `ok`, or the kind of failure.
        public var status: String
        /// The status of the layer that failed, such as `lockdownd -17 LOCKDOWN_E_PASSWORD_PROTECTED`.
        public var native: String?
        /// How long it took, to the next ten milliseconds; of several, the longest.
        public var milliseconds: Int
        /// How many equal requests came one after the other.
        public var count = 1
    }

    /// Name and version of the host and of its contract.
    public var host: String
    /// The operating system and the machine.
    public var system: String
    /// The files of the libraries that speak with devices, by which their versions are known.
    public var libraries: [String]
    /// The overlays as `id version`, followed by `refused` for those that cannot be used.
    public var overlays: [String]
    /// The device's model, iOS and connection; nil if none was reached.
    public var device: (model: String?, ios: String?, connection: String)? {
        deviceFacts.map { ($0.model, $0.ios, $0.connection) }
    }
    /// The checks of `doctor`, with the code of a failure.
    public var checks: [(name: String, code: String?)] { checkFacts.map { ($0.name, $0.code) } }
    /// The requests, equal ones that follow each other as one; at most `mostRequests`.
    public var requests: [Request]

    /// The most requests of a report.
    static let mostRequests = 500

    private struct DeviceFacts: Equatable {
        var model, ios: String?
        var connection: String
    }

    private struct CheckFacts: Equatable {
        var name: String
        var code: String?
    }

    private let deviceFacts: DeviceFacts?
    private let checkFacts: [CheckFacts]

    /// Runs the checks of `doctor`, which list the books of an app, and records the requests. Never throws; blocks as
    /// long as `Doctor.run`.
    public static func run(_ request: SessionRequest) -> DeviceReport {
        let heard = Mutex<[Request]>([])
        var request = request
        request.loggers.hears = { call in
            heard.withLock { add(Request(call), to: &$0) }
        }
        let doctor = Doctor.run(request)
        return DeviceReport(doctor, request.overlays, heard.withLock { $0 })
    }

    private static func add(_ request: Request, to requests: inout [Request]) {
        if let last = requests.last, last.name == request.name, last.subject == request.subject,
            last.status == request.status, last.native == request.native
        {
            requests[requests.count - 1].count += 1
            requests[requests.count - 1].milliseconds = max(last.milliseconds, request.milliseconds)
        } else if requests.count < mostRequests {
            requests.append(request)
        }
    }

    private init(_ doctor: Doctor, _ overlays: OverlayCatalog, _ requests: [Request]) {
        host = "overlayhost \(OverlayHostVersion.text), contract \(OVL_ABI_MAJOR).\(OVL_ABI_MINOR)"
        system = Self.system()
        libraries = Self.libraries()
        self.overlays = overlays.found.map { found in
            guard let descriptor = found.descriptor else { return "unknown refused" }
            let version = "\(Self.plain(descriptor.id)) \(Self.plain(descriptor.version))"
            return found.overlay == nil ? version + " refused" : version
        }
        deviceFacts = doctor.device.map {
            DeviceFacts(
                model: $0.model.map(Self.plain), ios: $0.ios.map(Self.plain), connection: $0.connection)
        }
        checkFacts = doctor.checks.map {
            CheckFacts(name: $0.check, code: $0.ok ? nil : $0.code?.rawValue ?? "failed")
        }
        self.requests = requests
    }

    /// A word from elsewhere: what is not of a version or a code is left out, and so is what is too long for one.
    static func plain(_ text: String) -> String {
        String(
            text.unicodeScalars.filter { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || "0123456789.,_-+ ".unicodeScalars.contains(scalar))
            }.prefix(64).map(Character.init))
    }

    // MARK: this computer

    private static func system() -> String {
        var name = utsname()
        uname(&name)
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { plain(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)) }
        }
        let system = osRelease() ?? text(name.sysname)
        return "\(system), \(text(name.sysname)) \(text(name.release)), \(text(name.machine))"
    }

    /// Such as `Debian GNU/Linux 12`: name and version, which distributions write into a file.
    private static func osRelease() -> String? {
        guard let file = fopen("/etc/os-release", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        var values: [Substring: String] = [:]
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = plain(parts[1].filter { $0 != "\"" }) }
        }
        return [values["ID"], values["VERSION_ID"]].compactMap { $0 }.joined(separator: " ")
    }

    /// The names of the files of libraries in this process, without their folders.
    private static func libraries() -> [String] {
        guard let maps = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(maps) }
        var names: Set<String> = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, maps) >= 0, let text = line.map({ String(cString: $0) }) {
            guard let name = text.pathNames.last.map({ plain(String($0)) }) else { continue }
            let wanted = ["libimobiledevice", "libusbmuxd", "libplist", "libssl", "libcrypto", "libsqlite3"]
            if wanted.contains(where: name.hasPrefix) { names.insert(name) }
        }
        return names.sorted()
    }
}

extension DeviceReport.Request {
    /// Keys of lockdownd that are asked for.
    private static let keys: Set<String> = [
        "DeviceName", "ProductType", "ProductVersion", "PasswordProtected", "DeviceClass", "BuildVersion",
        "UniqueDeviceID", "DevicePublicKey",
    ]

    init(_ call: DeviceTrace.Call) {
        let (seconds, attoseconds) = call.duration.components
        let subject = call.subject.flatMap { subject in
            subject.split(separator: ",").allSatisfy { $0.drop { $0 == " " }.hasPrefix("com.apple.") }
                || Self.keys.contains(subject)
                ? DeviceReport.plain(subject) : nil
        }
        // A name that the device made up is as unknown as its titles.
        let native = call.failure?.native.map { code in
            [code.domain.title, code.number.map { "\($0)" }, code.name.map(DeviceReport.plain)]
                .compactMap { $0 }.joined(separator: " ")
        }
        self.init(
            name: DeviceReport.plain(call.name), subject: subject,
            status: call.failure.map { DeviceReport.plain($0.code.rawValue) } ?? "ok", native: native,
            milliseconds: Int(clamping: (seconds * 100 + attoseconds / 10_000_000_000_000_000 + 1) * 10))
    }
}
