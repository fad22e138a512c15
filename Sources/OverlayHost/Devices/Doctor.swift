import OverlayABI
import DeviceTransport
import Synchronization

/// Checks every part of the connection from usbmuxd to the reader app and reports the first problem: the `doctor`
/// command.
///
/// ```swift
/// func diagnosis(_ request: SessionRequest) -> String {
///     guard let problem = Doctor.run(request).headline else { return "Everything works." }
///     return problem.message + " " + (problem.hint ?? "")
/// }
/// ```
public struct Doctor: Sendable {
    /// The checks in their order. Checks that could not be made after a failure are missing.
    public var checks: [Check]
    /// The reader app; nil if it was not found.
    public var app: ReaderApp?
    /// The device; nil if it did not report its information.
    public var device: DeviceSummary?
    /// Functions that are not available for the reader app although every check succeeds: those that the overlay
    /// reports for this device, and commands for which the overlay has no method.
    public var missing: [MissingAbility] = []

    /// A check of one part of the connection.
    public struct Check: Sendable, Equatable {
        /// `isolation`, `preferences` (only if they are invalid), `usbmuxd`, `device`, `trust`, `passcode`, `app`,
        /// `file-sharing`, `overlay`, `reader` or `books`.
        public var check: String
        /// Whether the check succeeded.
        public var ok: Bool
        /// The result, as one sentence.
        public var message: String
        /// What the user can do; nil if the check succeeded.
        public var hint: String?
        /// The error code; nil if the check succeeded.
        public var code: HostError.Code?
    }

    /// Whether every check succeeded.
    public var ok: Bool { checks.allSatisfy(\.ok) }

    /// The first failed check.
    public var headline: Check? { checks.first { !$0.ok } }

    /// The exit status for a program that only runs these checks: that of the first failure, or 0.
    public var exitStatus: ExitStatus { headline.map { ($0.code ?? .failed).exitStatus } ?? .done }

    /// Creates a diagnosis for an `error` that occurred before the first check.
    public init(failing check: String, _ error: HostError) {
        checks = [Check(check, failed: error)]
    }

    private init(_ examination: Examination) {
        (checks, app, missing) = (examination.checks, examination.app, examination.missing)
        device = examination.device
    }

    /// Runs the checks. Does not throw: an error is a failed check. Blocks, for the reader app at most
    /// `request.presenceLimit`.
    public static func run(_ request: SessionRequest) -> Doctor {
        var examination = Examination(request)
        do throws(HostError) {
            let device = try examination.findDevice()
            defer { device.close() }
            try examination.examine(device)
        } catch {
            examination.fail(error)
        }
        return Doctor(examination)
    }

    /// Runs the checks on an attached device.
    static func run(_ request: SessionRequest, on device: any DeviceAccess) -> Doctor {
        var examination = Examination(request)
        do throws(HostError) { try examination.examine(device) } catch { examination.fail(error) }
        return Doctor(examination)
    }
}

extension Doctor.Check {
    /// Creates a check that failed with `error`.
    init(_ check: String, failed error: HostError) {
        let message = error.subject.map { "\($0): \(error.message)" } ?? error.message
        self.init(check: check, ok: false, message: message, hint: error.hint, code: error.code)
    }
}

/// Collects the warnings of the overlay during the checks.
private final class CollectedWarnings: Sendable {
    private let stored = Mutex<[String]>([])
    var sentences: [String] { stored.withLock { $0 } }
    func add(_ sentence: String) { stored.withLock { $0.append(sentence) } }
}

/// The checks in progress. An error belongs to the check in `current`.
private struct Examination {
    let request: SessionRequest
    var checks: [Doctor.Check] = []
    var app: ReaderApp?
    var missing: [MissingAbility] = []
    private(set) var device: DeviceSummary?
    private var current = "usbmuxd"
    /// The UDID and the name of the device; nil until they are known.
    private var named: (udid: String, name: String)?
    private let warnings: CollectedWarnings

    init(_ request: SessionRequest) {
        let warnings = CollectedWarnings()
        var request = request
        request.warning = { warnings.add($0) }
        (self.request, self.warnings) = (request, warnings)
    }

    private var context: OperationContext { OperationContext(cancellation: request.cancellation) }

    private mutating func pass(_ message: String, next: String) {
        checks.append(Doctor.Check(check: current, ok: true, message: message))
        current = next
    }

    mutating func fail(_ error: HostError) {
        // The preferences are read during other checks, but their errors belong to a check of their own.
        if error.exitStatus == .configuration { current = "preferences" }
        var error = error
        if let named, error.subject == named.udid { error.subject = named.name }
        checks.append(Doctor.Check(current, failed: error))
    }

    mutating func findDevice() throws(HostError) -> any DeviceAccess {
        let (context, trace) = (context, request.loggers.deviceTrace)
        let devices = try transporting { () throws(TransportError) in
            try DeviceCatalog(trace: trace).devices(context)
        }
        pass(
            "usbmuxd is running and lists \(devices.count == 1 ? "1 device" : "\(devices.count) devices").",
            next: "device")
        do throws(HostError) {
            return try ReaderTarget.device(request.device, trace: trace, context)
        } catch {
            var error = error
            if error.code == .noDevice {
                error.hint = [error.hint, Self.wiFiHint].compactMap { $0 }.joined(separator: " ")
            }
            throw error
        }
    }

    /// The hint for a device that is on the same network but not attached.
    private static let wiFiHint =
        "A device on Wi-Fi is attached only if usbmuxd serves the network: usbmuxd2 and netmuxd do, "
        + "Debian's usbmuxd serves only cables."

    mutating func examine(_ device: any DeviceAccess) throws(HostError) {
        let context = context
        current = "device"
        let information = try transporting { () throws(TransportError) in try device.information(context) }
        named = information.name.map { (device.device.udid, $0) }
        self.device = DeviceSummary(device.device, information)
        let words = [
            information.name, information.productType, information.productVersion.map { "iOS \($0)" },
        ]
        pass(words.compactMap { $0 }.joined(separator: ", ") + " (\(device.device.udid)).", next: "trust")
        try checkTrust(device, context)
        let (choice, app, access) = try findApp(device, information, context)
        pass("\(app.name)\(app.version.map { " \($0)" } ?? "") is on the device.", next: "file-sharing")
        try checkFiles(app, access)
        let overlay = try ReaderTarget.overlay(choice, request)
        let link = try ReaderLink(
            ReaderTarget(
                device: device, information: information, overlay: overlay, app: app, access: access,
                choice: choice),
            request)
        defer { link.close() }
        checkMethods(overlay)
        try link.waitForReader(request.presenceLimit)
        pass("\(app.name) is ready.", next: "books")
        let settings = try link.instance.settings()
        // A missing method has already been reported.
        if overlay.methods.books != nil { try checkBooks(link, app, settings) }
        self.app = app
        missing = settings.missing + Self.unserved(overlay, settings)
    }

    /// Reads the library, which may fail even if all other checks succeed.
    private mutating func checkBooks(
        _ link: ReaderLink, _ app: ReaderApp, _ settings: AppAbilities
    ) throws(HostError) {
        if let missing = settings.missing("books") {
            throw HostError(
                .notSupported, missing.reason, subject: app.name, hint: missing.hint,
                hintCode: missing.hintCode)
        }
        link.progress.begin("Reading the library", counting: [.read, .pull])
        let count = try link.instance.books().count
        let words = count == 1 ? "1 book" : "\(count) books"
        pass((["\(app.name) lists \(words)."] + warnings.sentences).joined(separator: " "), next: "books")
    }

    /// The commands that change books for which the overlay has no method. The `books` check covers `books`.
    private static func unserved(_ overlay: LoadedOverlay, _ settings: AppAbilities) -> [MissingAbility] {
        let served = OverlayAbilities.words(overlay.descriptor, methods: overlay.implementedMethods)
        return ["upload", "get", "delete", "update"]
            .filter { !served.contains($0) && settings.missing($0) == nil }
            .map {
                MissingAbility(
                    ability: $0, reason: "The overlay \(overlay.descriptor.name) does not support this.",
                    hint: nil)
            }
    }

    /// Checks for the methods that every overlay needs; otherwise only the command `books` would report their
    /// absence.
    private mutating func checkMethods(_ overlay: LoadedOverlay) {
        let (methods, name) = (overlay.methods, "\(overlay.descriptor.name) \(overlay.descriptor.version)")
        guard methods.books == nil else { return pass("\(name) works (\(overlay.file)).", next: "reader") }
        let others = [
            (methods.upload_books != nil, "upload"), (methods.delete_books != nil, "delete"),
            (methods.get_file != nil || methods.prepare_addable_books != nil, "get"),
        ]
        let rest = others.filter(\.0).map(\.1).joined(separator: ", ")
        checks.append(
            Doctor.Check(
                check: current, ok: false,
                message: "\(name) starts, but cannot list books because its `books` method is missing "
                    + "(\(overlay.file)).",
                hint: (rest.isEmpty ? "No command can use it. " : "It still supports: \(rest). ")
                    + "Ask its author for `books`, or install another overlay for \(overlay.descriptor.appName).",
                code: .notSupported))
        current = "reader"
    }

    /// Finds the reader app, and determines the passcode check from the access that the device grants to the app. The
    /// state of the screen is not used, because files are accessible on a locked device that was unlocked before.
    private mutating func findApp(
        _ device: any DeviceAccess, _ information: DeviceInformation, _ context: OperationContext
    ) throws(HostError) -> (AppChoice, ReaderApp, GrantedRoots) {
        let isLocked = information.isPasscodeLocked == true
        let unlocked =
            isLocked
            ? "The device is locked, but its files are accessible because it was unlocked before."
            : "The device is unlocked."
        let choice: AppChoice
        let app: ReaderApp
        let access: GrantedRoots
        do throws(HostError) {
            choice = try ReaderTarget.choose(request, on: device, context)
            (app, access) = try ReaderTarget.app(choice, on: device, context)
        } catch {
            if error.code == .deviceLocked { throw error }
            pass(isLocked ? "The device is locked." : unlocked, next: "app")
            if error.code == .noOverlay || error.code == .overlayRefused { current = "overlay" }
            throw error
        }
        if let refusal = access.refused.first(where: { $0.error.code == .passcodeLocked }) {
            throw HostError(refusal.error)
        }
        pass(unlocked, next: "app")
        return (choice, app, access)
    }

    private mutating func checkTrust(
        _ device: any DeviceAccess, _ context: OperationContext
    ) throws(HostError) {
        var pairing = try transporting { () throws(TransportError) in try device.pairing(context) }
        var message = "The device trusts this computer."
        let mustAsk = pairing == .notPaired || pairing == .stale
        if mustAsk {
            // A user who runs the doctor wants to use the device, so the device asks for trust here.
            pairing = try transporting { () throws(TransportError) in try device.askForTrust(context) }
            message = "The device now trusts this computer."
        }
        if let obstacle = pairing.obstacle(wasAsked: mustAsk) {
            // The trust of a locked device can be determined only after it is unlocked.
            if pairing == .locked { current = "passcode" }
            throw obstacle
        }
        pass(message, next: "passcode")
    }

    private mutating func checkFiles(_ app: ReaderApp, _ access: GrantedRoots) throws(HostError) {
        // An app that is part of iOS stores its books in the media folder; any other app only has its own files.
        let usesMedia = KnownReaderApp.partOfIOS(app.bundleID) != nil
        let granted = access.granted.filter { usesMedia || $0 != .media }
        guard usesMedia ? granted.contains(.media) : !granted.isEmpty else {
            let refusal =
                usesMedia
                ? access.refused.first(where: { $0.root == .media })?.error : access.refusalOfAppFiles
            throw refusal.map { HostError($0) }
                ?? HostError(
                    .accessRefused, "iOS does not allow access to the app's files.", subject: app.name)
        }
        var message = "iOS allows access to: \(granted.map(\.rawValue).joined(separator: ", "))."
        if let refusal = access.refused.first(where: { $0.root == .container }) {
            message += " The container is not accessible. \(refusal.error.message)"
            if !usesMedia { message += " Only a copy of the app that is signed for development opens it." }
        }
        if usesMedia { message += " Its books are in the media folder." }
        pass(message, next: "overlay")
    }
}
