/// The settings of a simulated device. They can be changed while it runs.
public struct SimulatedDeviceSettings: Sendable, Equatable {
    /// The UDID: 40 hexadecimal digits, or the newer form of 25 characters with a dash after the eighth.
    ///
    /// A change takes effect when the device is attached the next time.
    public var udid: String
    /// How the device is connected. A change takes effect when it is attached the next time.
    public var attachment: DeviceAttachment
    /// The name the user gave the device.
    public var name: String
    /// The model identifier, for example `iPad4,2`.
    public var productType: String
    /// The version of iOS, `a.b` or `a.b.c`. It determines what lockdownd and house_arrest allow.
    public var iosVersion: String
    /// Whether the device is locked, with the passcode screen showing. A locked device does not accept pairing. It
    /// starts a file service only for a host that presents the escrow bag of its pairing, and only if
    /// `wasUnlockedSinceStart`.
    public var isLocked: Bool
    /// Whether the passcode was entered since the device was switched on. Until then, lockdownd answers
    /// `MissingValue` to an escrow bag. Has no effect while `isLocked` is false.
    public var wasUnlockedSinceStart: Bool
    /// Whether the device trusts the host.
    public var trust: DeviceTrust
    /// Whether lockdownd sessions switch to TLS, as on every real device.
    public var usesTLS: Bool
    /// Whether service connections are encrypted too. Has no effect while `usesTLS` is false.
    public var serviceTLS: Bool
    /// The installed apps, in the order in which installation_proxy lists them.
    public var apps: [SimulatedApp]
    /// The size of the data volume in bytes.
    public var totalBytes: UInt64
    /// The free space on the data volume in bytes.
    public var freeBytes: UInt64
    /// The time that the device spends on each lockdown, house_arrest or AFC request. The requests of one connection
    /// are processed one after the other.
    public var requestLatency: Duration
    /// The round-trip time of the link. Requests and replies in transit overlap.
    ///
    /// A connection gets a simulated link if a round trip or bandwidth is set when it is opened. From then on,
    /// changes of either take effect at once.
    public var linkRoundTrip: Duration
    /// The bandwidth of the link in bytes per second, for all connections of the device together; nil for no limit.
    public var bandwidth: Int?
    /// The number of file connections (house_arrest and AFC) that may be open at once; nil for no limit.
    public var connectionLimit: Int?
    /// The number of apps in one part of installation_proxy's answer, at least 1.
    public var appsPerAnswer: Int
    /// Services that lockdownd refuses to start, by name, with the error it answers, for example `ServiceProhibited`.
    public var refusedServices: [String: String]
    /// The behaviour when a service connection begins with a TLS handshake.
    public var serviceHandshake: TLSHandshake
    /// The time after which the device closes an idle connection to lockdownd. A change also affects open
    /// connections.
    public var lockdownIdleLimit: Duration
    /// The rules for names, folders and open files.
    public var fileRules: FileRules
    /// The faults of the file service.
    public var faults: FaultPlan
    /// Whether house_arrest closes the connection, instead of answering, when it is asked for a container.
    public var hangsUpOnContainers = false
    /// Whether the parts of installation_proxy's list of apps have no apps in them.
    public var omitsAppsInLists = false
    /// What the installed BibDesks do by themselves.
    public var bibDesk = BibDeskBehaviour.normal

    /// Creates the settings of a trusted, unlocked iPad that uses TLS like a real one, and has no apps and no delays.
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

/// Whether a simulated device trusts the host to which it is connected.
public enum DeviceTrust: String, Sendable, Equatable, CaseIterable {
    /// Paired: the daemon has a pair record that the device accepts.
    case trusted
    /// Never paired, or the device has forgotten the host. A host that asks to pair is accepted at once.
    case neverPaired
    /// The question "Trust This Computer?" is on the screen and has not been answered.
    case pairingPending
    /// The question was answered with "Don't Trust".
    case denied
}

/// What a simulated device does when a service connection begins with a TLS handshake.
public enum TLSHandshake: String, Sendable, Equatable, CaseIterable {
    /// It completes the handshake.
    case works
    /// It closes the connection.
    case fails
    /// It does not answer for as long as the connection lasts.
    case isUnanswered
}
