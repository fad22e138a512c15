import HostErrors

/// The description of a device for users.
///
/// ```swift
/// func describe(_ device: DeviceSummary) -> String {
///     if let problem = device.problem { return "\(device.name ?? device.udid): \(problem.message)" }
///     return "\(device.name ?? device.udid), \(device.model ?? "unknown model"), iOS \(device.ios ?? "unknown")"
/// }
/// ```
public struct DeviceSummary: Sendable, Equatable {
    /// The unique identifier.
    public var udid: String
    /// The name that the owner chose; nil if the device does not report it.
    public var name: String?
    /// The model, such as `iPad2,5`.
    public var model: String?
    /// The version of iOS.
    public var ios: String?
    /// `usb` or `network`.
    public var connection: String
    /// Whether device and computer trust each other (`PairingState`); nil if the device could not be asked.
    public var pairing: String?
    /// The reason why the device could not be asked.
    public var problem: HostError?

    /// Creates a summary.
    public init(
        udid: String, name: String? = nil, model: String? = nil, ios: String? = nil, connection: String,
        pairing: String? = nil, problem: HostError? = nil
    ) {
        self.udid = udid
        self.name = name
        self.model = model
        self.ios = ios
        self.connection = connection
        self.pairing = pairing
        self.problem = problem
    }

    /// Compares the displayed values. Problems are compared by their messages.
    public static func == (left: DeviceSummary, right: DeviceSummary) -> Bool {
        left.udid == right.udid && left.name == right.name && left.model == right.model
            && left.ios == right.ios
            && left.connection == right.connection && left.pairing == right.pairing
            && left.problem?.message == right.problem?.message
    }
}

/// The reader app of a session.
///
/// ```swift
/// func describe(_ session: HostSession) -> String {
///     let app = session.app
///     return "\(app.name) \(app.version ?? "") opens \(app.formats.joined(separator: ", "))."
/// }
/// ```
public struct ReaderApp: Sendable, Equatable {
    /// The bundle identifier.
    public var bundleID: String
    /// The name on the home screen.
    public var name: String
    /// The version; nil if unknown.
    public var version: String?
    /// The extensions of the files that the app declares to open, in lower case, without a dot, in the app's order;
    /// empty if unknown.
    public var formats: [String]
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`).
    public var sharesFiles: Bool

    /// Creates an app.
    public init(
        bundleID: String, name: String, version: String? = nil, formats: [String] = [],
        sharesFiles: Bool = false
    ) {
        self.bundleID = bundleID
        self.name = name
        self.version = version
        self.formats = formats
        self.sharesFiles = sharesFiles
    }
}
