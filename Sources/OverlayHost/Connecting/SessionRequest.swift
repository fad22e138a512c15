import DeviceTransport

/// The settings of a session: the user's choices, the overlays, and handlers.
///
/// ```swift
/// func request(_ device: String, _ loggers: SessionLoggers) -> SessionRequest {
///     let paths = HostPaths.current()
///     let discovery = OverlayDiscovery(
///         paths: paths, isolation: .worker(WorkerOptions(program: paths.workerProgram)))
///     return SessionRequest(
///         device: device, overlays: discovery.discover(), discovery: discovery,
///         preferences: Preferences(file: paths.preferencesFile), loggers: loggers)
/// }
/// ```
public struct SessionRequest: Sendable {
    /// The value of `--device`: the beginning of a UDID or name; nil for the only device.
    public var device: String?
    /// The value of `--app`: a name or bundle identifier; nil to use `preferred_reader_app`, or else the only served
    /// app on the device.
    public var app: String?
    /// A device that is already being opened; nil to let the session open it.
    public var opening: DeviceOpening?
    /// The app to use, on a device that is open and that the session shares. Nil to open a device and choose by `app`.
    public var found: FoundReaderApp?
    /// The available overlays.
    public var overlays: OverlayCatalog
    /// Loads the overlay under development, if the preferences name one.
    public var discovery: OverlayDiscovery
    /// The preferences. Each overlay only sees its own part.
    public var preferences: Preferences
    /// The loggers for the host, the overlay, and the calls between them.
    public var loggers: SessionLoggers
    /// Cancels the current operation of the session.
    public var cancellation: Cancellation
    /// Receives the progress of a command, on the thread of the overlay, at most once per answer of the device. Must
    /// return soon.
    public var progress: (@Sendable (ProgressUpdate) -> Void)?
    /// Receives sentences for the user: what the session waits for while it is opened, and warnings of the overlay
    /// that are not in a log. Any thread.
    public var notice: (@Sendable (String) -> Void)?
    /// Receives the warnings of the overlay; nil to use `notice`. Any thread.
    package var warning: (@Sendable (String) -> Void)?
    /// Called with the running call of an overlay for which a cancellation must wait, on a separate thread, while the
    /// session exists.
    public var unfinished: (@Sendable (UnfinishedCall) -> Void)?
    /// Receives the overlay of the session before its methods are called, on the session's thread.
    package var overlayChosen: (@Sendable (LoadedOverlay) -> Void)?
    /// Receives the row of each item of an upload, deletion, change or fetch as soon as it is known, with the index
    /// of the item, on the thread of the overlay or of the session. An item that occurs twice is reported once.
    package var reported: (@Sendable (Int, ItemRow) -> Void)?
    /// The time to wait for a reader app that is not ready yet.
    public var presenceLimit: Duration
    /// The places of the session's files: small files of overlays, states of syncs, fetched files, and the trash for
    /// files that a sync removes. Also locates the programs that read books, and the one that starts them.
    public var paths: HostPaths
    /// The folder for the persistent indexes of `BookQuery.search`; nil to create an index for each search.
    public var searchFolder: String?
    /// Whether to load new builds of the overlay's file before the next command: the preference `watch`.
    public var watchesOverlay = false

    /// Creates a request with the usual settings.
    public init(
        device: String? = nil, app: String? = nil, overlays: OverlayCatalog, discovery: OverlayDiscovery,
        preferences: Preferences, loggers: SessionLoggers, cancellation: Cancellation = Cancellation(),
        progress: (@Sendable (ProgressUpdate) -> Void)? = nil,
        notice: (@Sendable (String) -> Void)? = nil, presenceLimit: Duration = .seconds(10),
        paths: HostPaths = .current()
    ) {
        self.device = device
        self.app = app
        self.overlays = overlays
        self.discovery = discovery
        self.preferences = preferences
        self.loggers = loggers
        self.cancellation = cancellation
        self.progress = progress
        self.notice = notice
        self.presenceLimit = presenceLimit
        self.paths = paths
    }

    /// Throws `cancelled` once the session is cancelled.
    func checkCancellation() throws(HostError) {
        if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
    }
}
