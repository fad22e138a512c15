import HostErrors

/// One device as the person sees it.
public struct DeviceSummary: Sendable, Equatable {
    /// The unique id.
    public var udid: String
    /// The name its owner gave it; nil if it does not tell.
    public var name: String?
    /// The model, such as `iPad2,5`.
    public var model: String?
    /// The version of iOS.
    public var ios: String?
    /// `usb` or `network`.
    public var connection: String
    /// Whether device and computer trust each other (`PairingState`); nil if it could not be asked.
    public var pairing: String?
    /// Why it could not be asked.
    public var problem: HostError?

    /// A device.
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

    /// Two summaries are equal when they show the same; a problem counts by its message.
    public static func == (left: DeviceSummary, right: DeviceSummary) -> Bool {
        left.udid == right.udid && left.name == right.name && left.model == right.model
            && left.ios == right.ios
            && left.connection == right.connection && left.pairing == right.pairing
            && left.problem?.message == right.problem?.message
    }
}

/// The reader app a session is about.
public struct ReaderApp: Sendable, Equatable {
    /// Its bundle id.
    public var bundleID: String
    /// Its name on the home screen.
    public var name: String
    /// Its version; nil if unknown.
    public var version: String?
    /// Extensions of the files it says it opens, in lower case without a dot, in its order; empty: unknown.
    public var formats: [String]
    /// Whether it shares its Documents folder (`UIFileSharingEnabled`).
    public var sharesFiles: Bool

    /// An app.
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
