import DeviceTransport
import Glibc
import JSON
import OverlayHost
import Platform
import Synchronization

/// The process that runs this command again for each new build of its overlay, as the command sees it; see
/// `WatchRunner`.
///
/// The two processes share a connection. The command reports which overlay serves it, with one JSON object per line.
/// The parent sends a byte when there is a new build, and closes its direction to cancel the command. Any thread.
final class WatchingParent: Sendable {
    /// The first argument of a command that a parent started. It is followed by the connection, the device and the
    /// rebuilt file.
    static let mark = "--run-by-watch"

    /// The device that the parent has selected; nil means the one in the command line.
    let device: String?
    /// The overlay that was rebuilt, so that the command runs again; nil in the first run.
    let rebuiltFile: String?
    private let connection: Int32
    private let state = Mutex((hasReported: false, isSuperseded: false))

    /// Removes the parent's words from the arguments; nil if there are none.
    init?(_ arguments: inout [String]) {
        guard arguments.first == Self.mark, arguments.count >= 4, let connection = Int32(arguments[1]) else {
            return nil
        }
        self.connection = connection
        device = arguments[2].isEmpty ? nil : arguments[2]
        rebuiltFile = arguments[3].isEmpty ? nil : arguments[3]
        arguments.removeFirst(4)
        // Workers must not keep the connection open after the command has ended.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        ProcessName.set("overlayhost")
    }

    /// Whether a new build ends this run.
    var isSuperseded: Bool { state.withLock { $0.isSuperseded } }

    /// Reports which overlay serves the command.
    func report(_ overlay: LoadedOverlay) { report(file: overlay.file, copy: overlay.loadedFile) }

    /// Cancels the run when the parent requests it. An overlay in this process cannot be stopped, so the new build
    /// waits.
    func listen(_ options: RunOptions, _ invocation: Invocation, _ cancellation: Cancellation) {
        let (console, progress, isOwn) = (invocation.console, invocation.progress, options.inProcess)
        let hasThread = SystemThread.detached { [self] in
            var byte: UInt8 = 0
            while true {
                let count = read(connection, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return cancellation.cancel() }
                if isOwn {
                    console.note(
                        "A new build is available. It will be used after this run, because "
                            + "--in-process cannot stop an overlay.", above: progress)
                } else {
                    state.withLock { $0.isSuperseded = true }
                    console.note("A new build is available; stopping this run.", above: progress)
                    cancellation.cancel()
                }
            }
        }
        if !hasThread { console.note("The system has no thread left: new builds cannot stop this run.") }
    }

    /// Runs the command, and reports the file for which the parent should wait if no overlay served the command.
    func run(_ command: any ProgramCommand, _ invocation: Invocation) throws(HostError) -> ExitStatus {
        var status: ExitStatus
        do throws(HostError) {
            status = try command.run(invocation)
        } catch {
            status = error.exitStatus
            invocation.progress.clear()
            if rebuiltFile != nil, error.code == .overlayRefused, command is any DeviceCommand {
                invocation.console.note(TerminalText.sanitized("Cannot use the new build. \(error)"))
            } else if !isSuperseded || ![.cancelled, .stopped].contains(error.code) {
                invocation.console.report(error)
            }
        }
        if !state.withLock({ $0.hasReported }), (command as? any OverlayCommand)?.overlayFile == nil,
            !invocation.cancellation.isCancelled
        {
            report(file: try invocation.setup.fileToWatch(), copy: nil)
        }
        if invocation.console.outputError() != nil { send(.document(["output_failed": .bool(true)])) }
        return status
    }

    private func report(file: String, copy: String?) {
        state.withLock { $0.hasReported = true }
        send(.document(["file": .string(file), "copy": .optional(copy)]))
    }

    /// If the parent has ended, the report is not needed.
    private func send(_ message: JSONValue) {
        _ = writeAll(Array((message.text(.line) + "\n").utf8), to: connection)
    }
}
