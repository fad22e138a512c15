import OverlayABI

/// The device and the app an instance serves; the Swift form of `ovl_device`.
public struct DeviceInfo: Hashable, Sendable {
    /// The UDID.
    public var udid: String?
    /// The name its owner gave it.
    public var name: String?
    /// ProductType, such as `iPad2,5`.
    public var model: String?
    /// ProductVersion, such as `8.1.3`.
    public var iosVersion: String?
    /// Bundle id of the reader app.
    public var appID: String?
    /// Name of the reader app.
    public var appName: String?
    /// Version of the reader app as iOS reports it.
    public var appVersion: String?
    /// Extensions of the files the app says it opens, in lower case, without a dot, in its order. Empty: unknown.
    public var appFormats: [String]
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`).
    public var appFileSharing: Bool
    /// Whether the device is connected over Wi-Fi, not by a cable.
    public var isOverNetwork: Bool

    /// A device and its app.
    public init(
        udid: String? = nil, name: String? = nil, model: String? = nil, iosVersion: String? = nil,
        appID: String? = nil, appName: String? = nil, appVersion: String? = nil, appFormats: [String] = [],
        appFileSharing: Bool = false, isOverNetwork: Bool = false
    ) {
        self.udid = udid
        self.name = name
        self.model = model
        self.iosVersion = iosVersion
        self.appID = appID
        self.appName = appName
        self.appVersion = appVersion
        self.appFormats = appFormats
        self.appFileSharing = appFileSharing
        self.isOverNetwork = isOverNetwork
    }
}

/// How a USB device presents itself; the Swift form of `ovl_fingerprint`.
///
/// Through usbmuxd only vendor, product and serial are known; the other values are 0 or nil.
public struct Fingerprint: Hashable, Sendable {
    /// idVendor.
    public var vendorID: UInt32
    /// idProduct.
    public var productID: UInt32
    /// bcdDevice.
    public var deviceRelease: UInt32
    /// Name of the manufacturer.
    public var manufacturer: String?
    /// Name of the product.
    public var product: String?
    /// The UDID.
    public var serial: String?

    /// A fingerprint.
    public init(
        vendorID: UInt32 = 0, productID: UInt32 = 0, deviceRelease: UInt32 = 0, manufacturer: String? = nil,
        product: String? = nil, serial: String? = nil
    ) {
        self.vendorID = vendorID
        self.productID = productID
        self.deviceRelease = deviceRelease
        self.manufacturer = manufacturer
        self.product = product
        self.serial = serial
    }
}

/// The answer of `canHandle`; the Swift form of `ovl_presence`.
///
///     let presence = Presence.notNow(
///         .appOffline, "Paperboat is not running.", hint: "Open Paperboat on the device.")
public struct Presence: Hashable, Sendable {
    /// Whether the device can be served now: `OVL_PRESENCE_…`. An open set; take an unknown one as `no`.
    public struct Answer: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// An answer by its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// This overlay cannot serve the device.
        public static let no = Answer(rawValue: OVL_PRESENCE_NO)
        /// The device can be served now.
        public static let yes = Answer(rawValue: OVL_PRESENCE_YES)
        /// The device can be served once the reason is gone.
        public static let notNow = Answer(rawValue: OVL_PRESENCE_NOT_NOW)
    }

    /// Why not, or not now: `OVL_REASON_…`. An open set.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// A reason by its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// There is none.
        public static let none = Reason(rawValue: OVL_REASON_NONE)
        /// The reader app is not running.
        public static let appOffline = Reason(rawValue: OVL_REASON_APP_OFFLINE)
        /// The reader app runs, but not in its connection mode.
        public static let notInConnectionMode = Reason(rawValue: OVL_REASON_NOT_IN_CONNECTION_MODE)
        /// The reader app is not installed.
        public static let appMissing = Reason(rawValue: OVL_REASON_APP_MISSING)
        /// iOS refuses access to the reader app's files.
        public static let accessRefused = Reason(rawValue: OVL_REASON_ACCESS_REFUSED)
        /// The person ejected the device.
        public static let ejected = Reason(rawValue: OVL_REASON_EJECTED)
    }

    /// Whether the device can be served now.
    public var answer: Answer
    /// Why not, or not now.
    public var reason: Reason
    /// One sentence for a person.
    public var message: String?
    /// What the person can do.
    public var hint: String?
    /// Version that the reader app reports, if it does.
    public var appVersion: String?

    /// An answer with everything said.
    public init(
        answer: Answer, reason: Reason = .none, message: String? = nil, hint: String? = nil,
        appVersion: String? = nil
    ) {
        self.answer = answer
        self.reason = reason
        self.message = message
        self.hint = hint
        self.appVersion = appVersion
    }

    /// The device can be served now.
    public static func yes(appVersion: String? = nil) -> Presence {
        Presence(answer: .yes, appVersion: appVersion)
    }

    /// This overlay cannot serve the device.
    public static func no(_ reason: Reason, _ message: String, hint: String? = nil) -> Presence {
        Presence(answer: .no, reason: reason, message: message, hint: hint)
    }

    /// The device can be served once the reason is gone.
    public static func notNow(
        _ reason: Reason, _ message: String, hint: String? = nil, appVersion: String? = nil
    ) -> Presence {
        Presence(answer: .notNow, reason: reason, message: message, hint: hint, appVersion: appVersion)
    }
}
