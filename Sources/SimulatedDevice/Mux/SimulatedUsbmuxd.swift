import FoundationEssentials
import Glibc
import Synchronization

/// A usbmuxd that any libimobiledevice client can be pointed at with `USBMUXD_SOCKET_ADDRESS`.
///
/// All members may be used from any thread; connections are served on threads of the daemon's own.
public final class SimulatedUsbmuxd: Sendable {
    /// The path of the Unix socket, shorter than 108 bytes.
    public let socketPath: String
    /// The folder that keeps the pair records and the host's identity.
    public let recordsFolder: URL

    /// Prepares a daemon for `socketPath`; its pair records are kept in `recordsFolder`, or else in `PairRecords` beside
    /// the socket.
    public init(socketPath: String, recordsFolder: URL? = nil) {
        self.socketPath = socketPath
        self.recordsFolder =
            recordsFolder
            ?? URL(fileURLWithPath: socketPath).deletingLastPathComponent()
            .appendingPathComponent("PairRecords", isDirectory: true)
        core = DaemonCore(recordsFolder: self.recordsFolder)
    }

    /// The value for `USBMUXD_SOCKET_ADDRESS`.
    public var address: String { "UNIX:" + socketPath }

    /// Opens the socket and begins to answer; a second call does nothing.
    ///
    /// A socket file that a daemon left behind is replaced. Throws `SimulationError` when the path is too long, when
    /// another program answers there, or when the system refuses the socket.
    public func start() throws {
        try running.withLock { running in
            guard running == nil else { return }
            let listener = try UnixListener(path: socketPath)
            core.reopen()
            let accepting = WorkerThreads()
            let isStarted = accepting.start { [core] in listener.acceptAll(core.accept) }
            guard isStarted else {
                listener.close()
                throw SimulationError(
                    .system, "The system cannot start a thread for the daemon.", subject: "pthread_create")
            }
            running = Running(listener: listener, accepting: accepting)
        }
    }

    /// Ends every connection, removes the socket file, and returns when the last thread has ended.
    ///
    /// Devices stay attached and are there again after another `start`, with new DeviceIDs.
    public func stop() {
        running.withLock { running in
            guard let current = running else { return }
            current.listener.wake()
            current.accepting.joinAll()
            current.listener.close()
            core.stop()
            running = nil
        }
    }

    /// Plugs a device in; listeners are told, and the device gets a DeviceID it never had before.
    ///
    /// A device that is plugged in already is pulled first.
    public func attach(_ device: SimulatedDevice) { core.attach(device) }

    /// Pulls a device's cable: every connection to it ends at once and listeners are told.
    ///
    /// Returns when no service of the device is at work any more, unless one of them made the call.
    public func detach(_ device: SimulatedDevice) { core.detach(device) }

    /// Whether a device is plugged in, or on the network.
    public func isAttached(_ device: SimulatedDevice) -> Bool { core.isAttached(device) }

    private struct Running {
        let listener: UnixListener
        let accepting: WorkerThreads
    }

    private let core: DaemonCore
    private let running = Mutex<Running?>(nil)

    deinit { stop() }
}
