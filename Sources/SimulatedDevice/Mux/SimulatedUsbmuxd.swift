import Diagnostics
import FoundationEssentials
import Glibc
import Synchronization

/// A simulated usbmuxd. Set `USBMUXD_SOCKET_ADDRESS` to make any libimobiledevice client use it.
///
/// All members may be used from any thread. The daemon serves connections on its own threads.
public final class SimulatedUsbmuxd: Sendable {
    /// The path of the Unix socket. It must be shorter than 108 bytes.
    public let socketPath: String
    /// The folder that keeps the pair records and the host's identity.
    public let recordsFolder: URL

    /// Creates a daemon for `socketPath`. Its pair records are kept in `recordsFolder`; if nil, in `PairRecords` next
    /// to the socket.
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

    /// Opens the socket and starts to answer. A second call does nothing.
    ///
    /// Replaces a socket file that another daemon left behind. Throws `SimulationError` if the path is too long, if
    /// another program answers there, or if the socket cannot be opened.
    public func start() throws {
        try running.withLock { running in
            guard running == nil else { return }
            let listener = try UnixListener(path: socketPath)
            core.reopen()
            let accepting = WorkerThreads()
            let isStarted = accepting.start { [core] in listener.acceptAll(core.accept) }
            guard isStarted else {
                listener.close()
                throw SimulationError(.system, "The system cannot start a thread for the daemon.")
            }
            running = Running(listener: listener, accepting: accepting)
        }
    }

    /// Ends all connections and removes the socket file. Returns when the last thread has ended.
    ///
    /// Devices stay attached and are available again after another `start`, with new DeviceIDs.
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

    /// Attaches a device. Listeners are informed, and the device gets a DeviceID that was not used before.
    ///
    /// A device that is already attached is detached first.
    public func attach(_ device: SimulatedDevice) { core.attach(device) }

    /// Detaches a device. All connections to it end at once, and listeners are informed.
    ///
    /// Returns when no service of the device is active, unless one of them made the call.
    public func detach(_ device: SimulatedDevice) { core.detach(device) }

    /// Whether a device is attached by cable or network.
    public func isAttached(_ device: SimulatedDevice) -> Bool { core.isAttached(device) }

    private struct Running {
        let listener: UnixListener
        let accepting: WorkerThreads
    }

    private let core: DaemonCore
    private let running = Mutex<Running?>(nil)

    deinit { stop() }
}
