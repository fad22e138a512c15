import FoundationEssentials
import Glibc
import Platform
import Synchronization

/// A simulated Marvin: a thread that answers the commands a host leaves in the app's container, and keeps its library.
///
/// It knows nothing of the device around it; all it sees is the folder. Commands are noticed through inotify, so the
/// answer does not wait for a poll. All members may be used from any thread.
public final class SimulatedMarvin: Sendable {
    /// Where everything is.
    public let container: MarvinContainer
    /// The model identifier and the version of iOS that `connected.xml` names.
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

    /// The app as it is installed on a simulated device.
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

    /// Launches the app; when this returns, `connected.xml` is as the behaviour says. Nothing happens if it runs.
    ///
    /// - Throws: `SimulationError` when the database or the folder cannot be used, and errors of the file system.
    public func start() throws {
        guard state.begin() else { return }
        let (container, device, system, state) = (container, device, system, state)
        let isRunning = SystemThread.detached {
            state.end(Self.live(container, device: device, system: system, state: state))
        }
        if !isRunning { state.end(POSIXError(.EAGAIN)) }
        try state.waitUntilStarted()
    }

    /// Runs the app until it ends; the error if it could not start, otherwise nil. Its database and its watch are closed when
    /// this returns, so that the folder can be removed then.
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

    /// Ends the app as if the user closed it, and waits until its thread is done; `connected.xml` is gone then.
    public func stop() {
        state.stop()
    }

    /// How the app behaves; a new value is in effect when the setter returns, and revives an app that died.
    public var behaviour: MarvinBehaviour {
        get { state.behaviour }
        set { state.setBehaviour(newValue) }
    }

    /// Changes the behaviour; the change is in effect when this returns, and revives an app that died.
    public func update(_ change: (inout MarvinBehaviour) -> Void) {
        var behaviour = behaviour
        change(&behaviour)
        self.behaviour = behaviour
    }

    /// What went wrong in the app itself and could not be told to the host.
    public var troubles: [String] { state.troubles }
}
