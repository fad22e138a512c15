import HostErrors
import OverlayCalls
import OverlayLoading
import Preferences
import WorkerRPC

extension Confinement {
    /// Compares the confinement of a worker with the expected one. If a weaker one is allowed, warns about it.
    ///
    /// - Throws: `notConfined` if a weaker one is not allowed.
    package func check(against expected: Confinement, _ options: WorkerOptions) throws(OverlayRefusal) {
        let lacking = lacking(of: expected)
        guard !lacking.isEmpty else { return }
        let parts = lacking.joined(separator: ", ")
        guard options.allowsWeakerIsolation else {
            throw OverlayRefusal(
                .notConfined,
                "Its process would run without protection that the kernel supports: \(parts).",
                hint: Self.weakerHint)
        }
        options.warn?(
            "Overlays run without protection that the kernel supports, because allow_weaker_isolation is on: "
                + "\(parts).")
    }

    package static let weakerHint =
        "Run overlayhost outside other sandboxes. If you trust your overlays, you can also allow weaker "
        + "isolation: overlayhost prefs set allow_weaker_isolation true"

    /// Returns the actual confinement of a worker, by starting one without an overlay and asking it. Blocks for some
    /// milliseconds.
    package static func inForce(_ options: WorkerOptions) throws(HostError) -> Confinement {
        do throws(WorkerFailure) {
            return try ask(
                WorkerProcess(library: "", temporary: HostPaths.current().temporary, options: options) {
                    "worker"
                })
        } catch {
            throw HostError(
                .overlayBroke, "The overlay's worker process \(error.clause).", subject: options.program,
                hint: "Check that the file is executable and that the system has memory and processes "
                    + "left.",
                underlying: error)
        }
    }

    private static func ask(_ process: WorkerProcess) throws(WorkerFailure) -> Confinement {
        defer { process.hangUp() }
        do throws(WorkerRPCError) {
            guard let notification = try process.rpc?.main.receiveNotification(),
                notification.kind == WorkerNotification.confined,
                let confinement = Confinement(notification.bytes)
            else { throw WorkerRPCError(.malformed, "It did not report its confinement.") }
            return confinement
        } catch {
            throw process.failure(error)
        }
    }
}
