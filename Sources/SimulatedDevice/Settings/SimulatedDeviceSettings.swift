/// Everything about a simulated device that can be chosen, and changed while it runs.
public struct SimulatedDeviceSettings: Sendable, Equatable {
    /// The UDID: 40 hexadecimal digits, or the newer form of 25 characters with a dash after the eighth.
    ///
    /// Read when the device is attached; a change shows at the next attach.
    public var udid: String
    /// How the device is connected; read when it is attached.
    public var attachment: DeviceAttachment
    /// The name the user gave the device.
    public var name: String
    /// The model identifier, for example `iPad4,2`.
    public var productType: String
    /// The version of iOS, `a.b` or `a.b.c`; it decides what lockdownd and house_arrest allow.
    public var iosVersion: String
    /// Whether the passcode screen is up. A locked device accepts no pairing, and starts a file service only for a host that
    /// presents the escrow bag of its pairing, provided that `wasUnlockedSinceStart`.
    public var isLocked: Bool
    /// Whether the passcode was entered since the device was switched on. Until then an escrow bag opens nothing, and lockdownd
    /// answers `MissingValue` to it. Without effect while `isLocked` is false.
    public var wasUnlockedSinceStart: Bool
    /// Whether the device trusts the host.
    public var trust: DeviceTrust
    /// Whether lockdownd sessions switch to TLS, as on every real device.
    public var usesTLS: Bool
    /// Whether service connections are encrypted as well; without effect while `usesTLS` is false.
    public var serviceTLS: Bool
    /// The apps installed, in the order installation_proxy lists them.
    public var apps: [SimulatedApp]
    /// Size of the data volume in bytes.
    public var totalBytes: UInt64
    /// Free space on the data volume in bytes.
    public var freeBytes: UInt64
    /// Time the device spends on each lockdown, house_arrest or AFC request, one after the other on a connection.
    public var requestLatency: Duration
    /// Round-trip time of the link; requests and replies in flight overlap.
    ///
    /// A connection gets a link when round trip or bandwidth is set at the moment it is opened; from then on changes
    /// of either take effect at once.
    public var linkRoundTrip: Duration
    /// What the link carries in bytes per second, all connections of the device together; nil for no limit.
    public var bandwidth: Int?
    /// How many file connections (house_arrest and AFC) may be open at once; nil for no limit.
    public var connectionLimit: Int?
    /// How many apps installation_proxy puts into one part of its answer, at least 1.
    public var appsPerAnswer: Int
    /// Services lockdownd refuses to start, by name, and the error it answers, for example `ServiceProhibited`.
    public var refusedServices: [String: String]
    /// What happens when a service connection begins with a TLS handshake.
    public var serviceHandshake: TLSHandshake
    /// How long a connection to lockdownd may be idle before the device closes it; a change applies to open connections as well.
    public var lockdownIdleLimit: Duration
    /// How names, folders and open files are treated.
    public var fileRules: FileRules
    /// What goes wrong in the file service.
    public var faults: FaultPlan

    /// A trusted, unlocked iPad with TLS as a real one has it, no apps, and no delays.
    public init(
        udid: String = "0123456789abcdef0123456789abcdef01234567", attachment: DeviceAttachment = .usb,
        name: String = "Simulated iPad",
        productType: String = "iPad4,2", iosVersion: String = "9.3.5", isLocked: Bool = false,
        wasUnlockedSinceStart: Bool = false, trust: DeviceTrust = .trusted, usesTLS: Bool = true,
        serviceTLS: Bool = true,
        apps: [SimulatedApp] = [],
        totalBytes: UInt64 = 64_000_000_000, freeBytes: UInt64 = 32_000_000_000,
        requestLatency: Duration = .zero,
        linkRoundTrip: Duration = .zero, bandwidth: Int? = nil, connectionLimit: Int? = nil,
        appsPerAnswer: Int = 20, refusedServices: [String: String] = [:],
        serviceHandshake: TLSHandshake = .works, lockdownIdleLimit: Duration = .seconds(60),
        fileRules: FileRules = FileRules(), faults: FaultPlan = FaultPlan()
    ) {
        self.udid = udid
        self.attachment = attachment
        self.name = name
        self.productType = productType
        self.iosVersion = iosVersion
        self.isLocked = isLocked
        self.wasUnlockedSinceStart = wasUnlockedSinceStart
        self.trust = trust
        self.usesTLS = usesTLS
        self.serviceTLS = serviceTLS
        self.apps = apps
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.requestLatency = requestLatency
        self.linkRoundTrip = linkRoundTrip
        self.bandwidth = bandwidth
        self.connectionLimit = connectionLimit
        self.appsPerAnswer = appsPerAnswer
        self.refusedServices = refusedServices
        self.serviceHandshake = serviceHandshake
        self.lockdownIdleLimit = lockdownIdleLimit
        self.fileRules = fileRules
        self.faults = faults
    }
}

/// The ways a simulated device is connected to the computer.
public enum DeviceAttachment: String, Sendable, Equatable, CaseIterable {
    /// By cable.
    case usb
    /// By network: clients reach it by TCP at its own loopback address instead of through the daemon.
    case network
    /// Both at once, as two entries with the same UDID.
    case usbAndNetwork
}

/// Whether a simulated device trusts the host that it is connected to.
public enum DeviceTrust: String, Sendable, Equatable, CaseIterable {
    /// Paired: the daemon holds a pair record that the device honours.
    case trusted
    /// Never paired, or has forgotten the host; a host that asks to pair is accepted at once.
    case neverPaired
    /// The question "Trust This Computer?" is on the screen and unanswered.
    case pairingPending
    /// The question was answered with "Don't Trust".
    case denied
}

/// What a simulated device does when a service connection begins with a TLS handshake.
public enum TLSHandshake: String, Sendable, Equatable, CaseIterable {
    /// It answers.
    case works
    /// It closes the connection.
    case fails
    /// It says nothing for as long as the connection lasts.
    case isUnanswered
}
