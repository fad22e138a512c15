import DeviceTransport
import Glibc
import OverlayABI
import Platform
import Synchronization

/// A report that users can send about a new kind of device: versions, and every request with its status. It does not
/// contain names, titles, identifiers or paths.
///
/// ```swift
/// func report(_ request: SessionRequest) {
///     let report = DeviceReport.run(request)
///     print(report.host, report.device?.model ?? "no device", report.overlays)
///     for asked in report.requests where asked.status != "ok" { print(asked.name, asked.native ?? asked.status) }
/// }
/// ```
public struct DeviceReport: Sendable, Equatable {
    /// A request to the device.
    public struct Request: Sendable, Equatable {
        /// The called function, such as `lockdownd.GetValue` or `AFC.GET_FILE_INFO`.
        public var name: String
        /// A key or a service of Apple; nil for anything else, which might name an app or a device.
        public var subject: String?
        /// `ok`, or the code of the failure.
        public var status: String
        /// The status of the layer that failed, such as `lockdownd -17 LOCKDOWN_E_PASSWORD_PROTECTED`.
        public var native: String?
        /// The duration, rounded to ten milliseconds; the longest of several equal requests.
        public var milliseconds: Int
        /// The number of consecutive equal requests.
        public var count = 1
    }

    /// Name and version of the host, and the version of its contract.
    public var host: String
    /// The operating system and the machine type.
    public var system: String
    /// The file names of the libraries used for devices, which contain their versions.
    public var libraries: [String]
    /// The overlays as `id version`, followed by `refused` if they cannot be used.
    public var overlays: [String]
    /// The model, iOS version and connection of the device; nil if no device was reached.
    public var device: (model: String?, ios: String?, connection: String)? {
        deviceFacts.map { ($0.model, $0.ios, $0.connection) }
    }
    /// The checks of `doctor`, with their error codes.
    public var checks: [(name: String, code: String?)] { checkFacts.map { ($0.name, $0.code) } }
    /// The requests, at most `mostRequests`. Consecutive equal requests are combined.
    public var requests: [Request]

    /// The largest number of requests in a report.
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

    /// Runs the checks of `doctor`, which list the books of an app, and records the requests. Does not throw. Blocks
    /// as long as `Doctor.run`.
    public static func run(_ request: SessionRequest) -> DeviceReport {
        let heard = Mutex<[Request]>([])
        var request = request
        request.loggers.observer = { call in
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

    /// Removes characters that do not occur in versions and codes from an external text, and limits its length.
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

    /// Name and version of the system, such as `Debian GNU/Linux 12`, which distributions store in a file.
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

    /// The file names of the libraries in this process, without their folders.
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
    /// The keys of lockdownd that are requested.
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
        // Remove the name of an unknown error, because the device may choose any text.
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
