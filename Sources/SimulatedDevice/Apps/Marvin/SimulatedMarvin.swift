import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A simulated Marvin: a thread that answers the commands that a host leaves in the app's container, and maintains
/// the app's library.
///
/// It does not know the device around it and uses only the folder. It notices commands through inotify, so the answer
/// does not wait for a poll. All members may be used from any thread.
public final class SimulatedMarvin: Sendable {
    /// The folders of the app.
    public let container: MarvinContainer
    /// The model identifier and the iOS version that `connected.xml` states.
    public let device: String, system: String

    private let state: MarvinState

    /// - `device`: the model identifier, for example `iPad4,2`.
    /// - `system`: the version of iOS.
    public init(
        container: MarvinContainer, device: String = "iPad4,2", system: String = "8.1.3",
        behaviour: MarvinBehaviour = MarvinBehaviour()
    ) {
        self.container = container
        self.device = device
        self.system = system
        state = MarvinState(behaviour)
    }

    /// Creates the app as installed on a simulated device.
    public convenience init(
        device: SimulatedDevice, app: SimulatedApp, behaviour: MarvinBehaviour = MarvinBehaviour()
    ) {
        let settings = device.settings
        self.init(
            container: MarvinContainer(
                folder: device.containerFolder(of: app.bundleID), version: app.version,
                place: app.kind == .marvinInDocuments ? .documents : .library),
            device: settings.productType, system: settings.iosVersion, behaviour: behaviour)
    }

    deinit {
        stop()
    }

    /// Launches the app. On return, `connected.xml` matches the behaviour. Has no effect if the app is running.
    ///
    /// - Throws: `SimulationError` if the database or the folder cannot be used, or an error of the file system.
    public func start() throws {
        guard state.begin() else { return }
        let (container, device, system, state) = (container, device, system, state)
        let isRunning = SystemThread.detached {
            state.end(Self.live(container, device: device, system: system, state: state))
        }
        if !isRunning { state.end(POSIXError(.EAGAIN)) }
        try state.waitUntilStarted()
    }

    /// Runs the app until it ends. Returns the error if it could not start, otherwise nil. On return, its database
    /// and its watch are closed, so the folder can be removed.
    private static func live(
        _ container: MarvinContainer, device: String, system: String, state: MarvinState
    ) -> (any Error)? {
        do {
            let worker = try MarvinWorker(container, device: device, system: system, state: state)
            worker.run()
            return nil
        } catch {
            return error
        }
    }

    /// Ends the app as if the user closed it, and waits until its thread has ended. On return, `connected.xml` is
    /// removed.
    public func stop() {
        state.stop()
    }

    /// The behaviour of the app. A new value is in effect when the setter returns, and revives an app that died.
    public var behaviour: MarvinBehaviour {
        get { state.behaviour }
        set { state.setBehaviour(newValue) }
    }

    /// Changes the behaviour. The change is in effect when this returns, and revives an app that died.
    public func update(_ change: (inout MarvinBehaviour) -> Void) {
        var behaviour = behaviour
        change(&behaviour)
        self.behaviour = behaviour
    }

    /// Errors of the app itself that it could not report to the host.
    public var troubles: [String] { state.troubles }
}
