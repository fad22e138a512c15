import DeviceTransport

/// What a session is built from: the person's choices, the overlays found, and who listens.
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
    /// `--device`: the beginning of a UDID or name; nil: the only device there is.
    public var device: String?
    /// `--app`: a name or bundle id; nil: `preferred_reader_app`, else the only served app on the device.
    public var app: String?
    /// The device, which is being opened already; nil: the session opens it.
    public var opening: DeviceOpening?
    /// The overlays found.
    public var overlays: OverlayCatalog
    /// Loads the overlay under development, if the preferences name one.
    public var discovery: OverlayDiscovery
    /// The preferences; overlays see their own part of them.
    public var preferences: Preferences
    /// Hear the host, the overlay, and the calls between them.
    public var loggers: SessionLoggers
    /// Ends what the session is doing.
    public var cancellation: Cancellation
    /// Hears how far a command is: on the thread of the overlay, at most once per answer of the device; must return soon.
    public var progress: (@Sendable (ProgressUpdate) -> Void)?
    /// Hears sentences for the person: what the session waits for while it is being opened, and warnings of the overlay that
    /// no logger shows; any thread.
    public var notice: (@Sendable (String) -> Void)?
    /// Hears those warnings in place of `notice`; nil: `notice` does. Any thread.
    package var warning: (@Sendable (String) -> Void)?
    /// Called with what a cancel has to wait for, an overlay that is running; on its own thread, while the session
    /// exists.
    public var unfinished: (@Sendable (UnfinishedCall) -> Void)?
    /// Hears which overlay serves the session, before any of its methods runs; on the session's thread.
    package var overlayChosen: (@Sendable (LoadedOverlay) -> Void)?
    /// Hears the row of each item of an upload, deletion, change or fetch as soon as it is known, with the item's place among those
    /// that were given; on the thread of the overlay or of the session. An item given twice is reported once.
    package var reported: (@Sendable (Int, ItemRow) -> Void)?
    /// How long to wait for a reader app that is not listening yet.
    public var presenceLimit: Duration
    /// Where sessions keep files: the small files of overlays, what syncs agreed on last, fetched files, and the trash for files
    /// that a sync removes. Also where programs are looked for that read books, and what starts them.
    public var paths: HostPaths
    /// The folder in which indexes of books are kept for `BookQuery.search`; nil: they are made again for each search.
    public var searchFolder: String?
    /// Take new builds of the overlay's file, each before the next command: `watch` in the preferences.
    public var watchesOverlay = false

    /// A request with the usual choices.
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
