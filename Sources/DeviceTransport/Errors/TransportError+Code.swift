extension TransportError {
    /// A kind of failure. The list may grow: treat an unknown code like `.ioFailure`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable spelling, for JSON and logs.
        public let rawValue: String

        /// Makes a code from its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The spelling.
        public var description: String { rawValue }
    }
}

extension TransportError.Code {
    private init(_ value: String) { self.init(rawValue: value) }

    /// No usbmuxd answers, so no device can be seen.
    public static let muxUnavailable = Self("mux-unavailable")
    /// No attached device, or none that matches.
    public static let noDevice = Self("no-device")
    /// Several devices match.
    public static let ambiguousDevice = Self("ambiguous-device")
    /// The device was unplugged, or usbmuxd lost it.
    public static let deviceGone = Self("device-gone")
    /// This computer is not trusted by the device, or the device forgot that it was.
    public static let notPaired = Self("not-paired")
    /// The trust dialog is open on the device and waits for an answer.
    public static let pairingPending = Self("pairing-pending")
    /// The person chose not to trust this computer.
    public static let pairingDenied = Self("pairing-denied")
    /// The device is locked with its passcode.
    public static let passcodeLocked = Self("passcode-locked")
    /// The app is not on the device.
    public static let appNotInstalled = Self("app-not-installed")
    /// iOS does not give access to this app's files.
    public static let accessRefused = Self("access-refused")
    /// The device did not start a service, or not one more of it.
    public static let serviceRefused = Self("service-refused")
    /// The encrypted connection could not be made, or broke.
    public static let tlsFailed = Self("tls-failed")
    /// The device closed one connection but is still there.
    public static let connectionLost = Self("connection-lost")
    /// No such file or folder.
    public static let notFound = Self("not-found")
    /// The device does not permit this operation on this path.
    public static let permissionDenied = Self("permission-denied")
    /// There is something of that name already.
    public static let exists = Self("exists")
    /// The device is full.
    public static let noSpace = Self("no-space")
    /// A folder where a file was expected.
    public static let isFolder = Self("is-folder")
    /// A file where a folder was expected.
    public static let notFolder = Self("not-folder")
    /// The folder has entries and nobody asked to remove them.
    public static let folderNotEmpty = Self("folder-not-empty")
    /// Somebody else is using this; try again.
    public static let busy = Self("busy")
    /// The limit set for the call passed, or the device was silent for too long.
    public static let timedOut = Self("timed-out")
    /// The call was cancelled.
    public static let cancelled = Self("cancelled")
    /// The device said something the protocol does not allow, or reported success without a result.
    public static let protocolViolation = Self("protocol-violation")
    /// What is on the device, or was fetched from it, is not what was sent.
    public static let verificationFailed = Self("verification-failed")
    /// The caller asked for something that makes no sense.
    public static let invalidArgument = Self("invalid-argument")
    /// The device cannot do this.
    public static let notSupported = Self("not-supported")
    /// More was to be read than the caller or this module allows.
    public static let tooLarge = Self("too-large")
    /// This process has so many open files that libimobiledevice could not work.
    public static let tooManyDescriptors = Self("too-many-descriptors")
    /// Reading or writing failed, on the device or on this computer.
    public static let ioFailure = Self("io-failure")
    /// A fault that should not happen: out of memory, a library in an unexpected state.
    public static let internalFailure = Self("internal-failure")
}
