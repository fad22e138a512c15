import FoundationEssentials
import Platform

/// The settings of a simulated device as a JSON file. People and scripts can edit it, even while the device runs.
///
/// The member names are the property names in snake case (`bundle_id`). All members are optional; an omitted member
/// leaves its setting unchanged. Times are in milliseconds, sizes in bytes.
public struct SimulatedDeviceFile: Codable, Sendable, Equatable {
    /// One installed app.
    public struct App: Codable, Sendable, Equatable {
        /// `CFBundleIdentifier`.
        public var bundleId: String
        /// The name under the icon.
        public var name: String
        /// `CFBundleShortVersionString`.
        public var version: String?
        /// `UIFileSharingEnabled`; true if omitted.
        public var fileSharing: Bool?
        /// Whether a developer installed it; false if omitted.
        public var developmentSigned: Bool?
        /// Whether it is part of iOS; false if omitted.
        public var system: Bool?
        /// `marvin`, `marvin-in-documents`, `goodreader`, `kindle`, `reader`, or `plain` if omitted.
        public var behavesAs: String?
        /// The document types that it declares (`CFBundleDocumentTypes`): extensions, or uniform type identifiers,
        /// which contain a dot. If omitted, the types that an app of this kind ships with.
        public var opens: [String]?
    }

    /// One fault of the file service; see `Fault` for what each means.
    public struct FaultEntry: Codable, Sendable, Equatable {
        /// `status`, `disconnect`, `disconnect-unanswered`, `stall`, `stop-reading`, `late-reply`,
        /// `wrong-packet-number`, `short-read`, `disk-full` or `partial-reply`.
        public var effect: String
        /// The status code, milliseconds, packet number or number of bytes that the effect needs.
        public var value: UInt64?
        /// Affects only requests for this path.
        public var path: String?
        /// Whether it affects requests below `path` too; false if omitted.
        public var below: Bool?
        /// Affects only this operation, by its AFC name.
        public var operation: String?
        /// The number of matching requests that pass first.
        public var skipping: Int?
        /// The number of requests after those that it affects.
        public var times: Int?
    }

    /// The UDID. A change takes effect when the device is attached the next time.
    public var udid: String?
    /// The name the user gave the device.
    public var name: String?
    /// The model identifier.
    public var model: String?
    /// The version of iOS.
    public var ios: String?
    /// Whether the device is locked, with the passcode screen showing.
    public var locked: Bool?
    /// Whether the passcode was entered since the device was switched on. Has no effect while it is not `locked`.
    public var unlockedSinceStart: Bool?
    /// `trusted`, `neverPaired`, `pairingPending` or `denied`.
    public var trust: String?
    /// Whether lockdownd sessions switch to TLS.
    public var tls: Bool?
    /// Whether service connections are encrypted too.
    public var serviceTls: Bool?
    /// The time in milliseconds that the device spends on each request, up to an hour.
    public var requestLatency: Double?
    /// The round-trip time of the link in milliseconds, up to an hour.
    public var linkRoundTrip: Double?
    /// The bandwidth of the link in bytes per second; 0 for no limit.
    public var bandwidth: Int?
    /// The number of file connections that may be open at once; 0 for no limit.
    public var connectionLimit: Int?
    /// The size of the data volume in bytes.
    public var totalBytes: UInt64?
    /// The free space of the data volume in bytes.
    public var freeBytes: UInt64?
    /// Whether the cable is plugged in, or the device is on the network.
    public var attached: Bool?
    /// `usb`, `network` or `usbAndNetwork`; a change re-attaches the device.
    public var connection: String?
    /// Services that do not start, by name, each with the error that lockdownd answers.
    public var refusedServices: [String: String]?
    /// The result of TLS handshakes of services: `works`, `fails` or `isUnanswered`.
    public var serviceHandshake: String?
    /// The time in milliseconds after which lockdownd ends an idle connection, up to an hour.
    public var lockdownIdleLimit: Double?
    /// The apps, in list order.
    public var apps: [App]?
    /// How names are matched to files: `exact`, `equivalent` or `decomposed`.
    public var fileNames: String?
    /// The number of files that may be open at once; 0 for no limit.
    public var openFileLimit: Int?
    /// Whether MAKE_DIR answers 10 for an existing folder and does not create parents.
    public var refusesExistingFolders: Bool?
    /// Whether RENAME_PATH replaces an object that has the new name. If false, it answers 16.
    public var renameReplaces: Bool?
    /// The status that RENAME_PATH answers if a folder would replace a file.
    public var folderOntoFileStatus: UInt64?
    /// Whether entries directly in an app's container can be created, renamed and removed.
    public var writableContainerRoot: Bool?
    /// Folders that contain a file whose name is not UTF-8.
    public var undecodableNames: [String]?
    /// The faults of the file service. Changing the list restarts its counts.
    public var faults: [FaultEntry]?
    /// The behaviour of the simulated Marvins: a name of `MarvinBehaviour.named`.
    public var marvin: String?
    /// What the simulated BibDesks do by themselves: a `BibDeskBehaviour`.
    public var bibdesk: String?

    /// Creates a file that changes nothing.
    public init() {}

    /// Reads a file of at most 1 MiB. Throws the error of the read, and `SimulatedDeviceFileError` for invalid
    /// content.
    public init(contentsOf url: URL) throws {
        let data = Data(try FileBeginning.read(url.path, length: 1 << 20))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            self = try decoder.decode(SimulatedDeviceFile.self, from: data)
        } catch let error as DecodingError {
            throw SimulatedDeviceFileError(error)
        }
    }

    /// Writes the complete file in a form for editing.
    public func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let code = TemporaryFile.write([UInt8](try encoder.encode(self)), to: url.path, mode: 0o666)
        if code != 0 { throw SimulationError.system(code, "The file cannot be written", subject: url.path) }
    }

    /// Creates a file with all settings of an attached device.
    public init(_ settings: SimulatedDeviceSettings) {
        udid = settings.udid
        name = settings.name
        model = settings.productType
        ios = settings.iosVersion
        locked = settings.isLocked
        unlockedSinceStart = settings.wasUnlockedSinceStart
        trust = settings.trust.rawValue
        tls = settings.usesTLS
        serviceTls = settings.serviceTLS
        requestLatency = Self.milliseconds(settings.requestLatency)
        linkRoundTrip = Self.milliseconds(settings.linkRoundTrip)
        bandwidth = settings.bandwidth ?? 0
        connectionLimit = settings.connectionLimit ?? 0
        totalBytes = settings.totalBytes
        freeBytes = settings.freeBytes
        attached = true
        connection = settings.attachment.rawValue
        refusedServices = settings.refusedServices
        serviceHandshake = settings.serviceHandshake.rawValue
        lockdownIdleLimit = Self.milliseconds(settings.lockdownIdleLimit)
        state(settings.fileRules)
        if settings.bibDesk != .normal { bibdesk = settings.bibDesk.rawValue }
        apps = settings.apps.map { app in
            App(
                bundleId: app.bundleID, name: app.name, version: app.version, fileSharing: app.fileSharing,
                developmentSigned: app.developmentSigned, system: app.isSystem ? true : nil,
                behavesAs: Self.kinds.first { $0.value == app.kind }?.key,
                opens: app.documentTypes.isEmpty ? nil : app.documentTypes.flatMap(Self.opened))
        }
    }

    /// Changes the settings to the values in the file. Throws `SimulatedDeviceFileError` for an invalid value.
    public func apply(to settings: inout SimulatedDeviceSettings) throws(SimulatedDeviceFileError) {
        if let udid { settings.udid = udid }
        if let name { settings.name = name }
        if let model { settings.productType = model }
        if let ios { settings.iosVersion = try Self.version(ios) }
        if let locked { settings.isLocked = locked }
        if let unlockedSinceStart { settings.wasUnlockedSinceStart = unlockedSinceStart }
        if let trust {
            settings.trust = try Self.known(
                DeviceTrust(rawValue: trust), "trust", trust, of: DeviceTrust.allCases.map(\.rawValue))
        }
        if let tls { settings.usesTLS = tls }
        if let serviceTls { settings.serviceTLS = serviceTls }
        if let requestLatency {
            settings.requestLatency = try Self.duration(requestLatency, "requestLatency")
        }
        if let linkRoundTrip { settings.linkRoundTrip = try Self.duration(linkRoundTrip, "linkRoundTrip") }
        if let bandwidth { settings.bandwidth = bandwidth > 0 ? bandwidth : nil }
        if let connectionLimit { settings.connectionLimit = connectionLimit > 0 ? connectionLimit : nil }
        if let totalBytes { settings.totalBytes = totalBytes }
        if let freeBytes { settings.freeBytes = freeBytes }
        if let connection {
            settings.attachment = try Self.known(
                DeviceAttachment(rawValue: connection), "connection", connection,
                of: DeviceAttachment.allCases.map(\.rawValue))
        }
        if let refusedServices { settings.refusedServices = refusedServices }
        if let serviceHandshake {
            settings.serviceHandshake = try Self.known(
                TLSHandshake(rawValue: serviceHandshake), "serviceHandshake", serviceHandshake,
                of: TLSHandshake.allCases.map(\.rawValue))
        }
        if let lockdownIdleLimit {
            settings.lockdownIdleLimit = try Self.duration(lockdownIdleLimit, "lockdownIdleLimit")
        }
        try apply(to: &settings.fileRules)
        if let apps { settings.apps = try apps.map(Self.app) }
        if let bibdesk {
            settings.bibDesk = try Self.known(
                BibDeskBehaviour(rawValue: bibdesk), "bibdesk", bibdesk,
                of: BibDeskBehaviour.allCases.map(\.rawValue))
        }
        if let faults { settings.faults = FaultPlan(try faults.map(Self.fault)) }
    }

    /// The behaviour that `marvin` names; nil if it is omitted.
    public func marvinBehaviour() throws(SimulatedDeviceFileError) -> MarvinBehaviour? {
        guard let marvin else { return nil }
        return try Self.known(
            MarvinBehaviour(named: marvin), "marvin", marvin, of: MarvinBehaviour.named.map(\.name))
    }

    /// Checks for an iOS version: two or three numbers of at most three digits.
    private static func version(_ text: String) throws(SimulatedDeviceFileError) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fits = parts.allSatisfy {
            (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard fits, parts.count == 2 || parts.count == 3 else {
            throw SimulatedDeviceFileError(
                member: "ios", value: text, expected: "a version such as 8.1 or 9.3.5")
        }
        return text
    }

    /// The kinds of apps by their names.
    private static let kinds: [String: SimulatedApp.Kind] = [
        "marvin": .marvin, "marvin-in-documents": .marvinInDocuments, "goodreader": .goodReader,
        "kindle": .kindle, "reader": .reader, "plain": .plain, "bibdesk": .bibDesk(.linkedFiles),
        "bibdesk-flat": .bibDesk(.flat), "bibdesk-documents": .bibDesk(.documents),
    ]

    /// A document type in the short form of the file.
    private static func opened(_ type: SimulatedApp.DocumentType) -> [String] {
        let extensions = type.extensions + type.declaredExtensions
        return extensions.isEmpty ? type.contentTypes : extensions
    }

    private static func documentTypes(_ app: App, _ kind: SimulatedApp.Kind) -> [SimulatedApp.DocumentType] {
        guard let opens = app.opens else {
            switch kind {
            case .kindle: return SimulatedReader.kindle().documentTypes
            case .reader: return SimulatedReader.paperback().documentTypes
            default: return []
            }
        }
        return opens.map { word in
            word.contains(".")
                ? SimulatedApp.DocumentType([word]) : SimulatedApp.DocumentType(extensions: [word])
        }
    }

    private static func app(_ app: App) throws(SimulatedDeviceFileError) -> SimulatedApp {
        // The id becomes the name of a folder inside the device's folder.
        guard !app.bundleId.isEmpty, !app.bundleId.contains("/"), !app.bundleId.hasPrefix(".") else {
            throw SimulatedDeviceFileError(
                member: "bundleId", value: app.bundleId, expected: "a bundle id such as org.example.reader")
        }
        let kind = try known(
            kinds[app.behavesAs ?? "plain"], "behavesAs", app.behavesAs ?? "", of: kinds.keys.sorted())
        var installed = SimulatedApp(
            bundleID: app.bundleId, name: app.name, version: app.version ?? "1.0",
            fileSharing: app.fileSharing ?? true, developmentSigned: app.developmentSigned ?? false,
            kind: kind, documentTypes: documentTypes(app, kind))
        installed.isSystem = app.system ?? false
        return installed
    }

    private static func fault(_ entry: FaultEntry) throws(SimulatedDeviceFileError) -> Fault {
        let value = entry.value ?? 0
        let effects: [String: Fault.Effect] = [
            "status": .status(value), "disconnect": .disconnect,
            "disconnect-unanswered": .disconnectUnanswered,
            "stall": .stall, "stop-reading": .stopReading,
            "late-reply": .lateReply(.milliseconds(Int64(clamping: value))),
            "wrong-packet-number": .wrongPacketNumber(value), "short-read": .shortRead(Int(clamping: value)),
            "disk-full": .diskFull(keeping: Int(clamping: value)),
            "partial-reply": .partialReply(Int(clamping: value)),
        ]
        let path = entry.path.map { entry.below == true ? Fault.Path.below($0) : .exactly($0) }
        return Fault(
            try known(effects[entry.effect], "effect", entry.effect, of: effects.keys.sorted()), path: path,
            operation: entry.operation,
            skipping: max(0, entry.skipping ?? 0), times: entry.times)
    }

    static func known<Value>(
        _ value: Value?, _ member: String, _ text: String, of names: [String]
    ) throws(SimulatedDeviceFileError) -> Value {
        guard let value else {
            throw SimulatedDeviceFileError(
                member: member, value: text, expected: "one of \(names.joined(separator: ", "))")
        }
        return value
    }

    private static func duration(_ value: Double, _ member: String) throws(SimulatedDeviceFileError)
        -> Duration
    {
        guard value >= 0, value <= 3_600_000 else {
            throw SimulatedDeviceFileError(
                member: member, value: "\(value)", expected: "milliseconds from 0 to 3600000")
        }
        return .microseconds(Int64(value * 1000))
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
    }
}
