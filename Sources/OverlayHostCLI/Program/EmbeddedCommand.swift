import Platform
import OverlayHost
import Synchronization

/// A command line that runs inside another program, which receives its documents. Any thread.
package final class EmbeddedCommand: Sendable {
    private let words: [String]
    private let interruption = Interruption()
    private let hasRun = Mutex(false)
    /// Commands use the process's environment and the user's folders, so only one runs at a time.
    private static let turn = Mutex(())

    /// Creates a command with these words, which do not include the program's name.
    package init(_ words: [String]) { self.words = words }

    /// Runs it and returns its exit status; `usage` if it has run before.
    ///
    /// - Parameters:
    ///   - program: the path of `overlayhost`, which runs overlays and beside which they are found.
    ///   - result: receives what the program would print with `--json`.
    ///   - note: receives what it would print on standard error. Like `result`, it is called on any thread, but the
    ///     two are never called at the same time. Both may call `cancel`.
    package func run(
        program executable: String, result: @escaping @Sendable ([UInt8]) -> Void,
        note: @escaping @Sendable (String) -> Void
    ) -> Int32 {
        let isFirst = hasRun.withLock { hasRun in
            defer { hasRun = true }
            return !hasRun
        }
        guard isFirst else { return ExitStatus.usage.rawValue }
        StandardStreams.isEmbedded.withLock { $0 = true }
        let output = Mutex(())
        let program = CommandLineProgram(
            interruption: interruption, paths: HostPaths.current().with(executable: executable),
            console: { _, quiet in
                Console(
                    isJSON: true, isQuiet: quiet,
                    output: { text in output.withLock { _ in result(Array(text.utf8)) } },
                    bytes: { bytes in output.withLock { _ in result(bytes) } },
                    diagnostics: { text in output.withLock { _ in note(text) } })
            })
        let status = Self.turn.withLock { _ in program.run(["--json"] + words) }
        return interruption.cancellation.isCancelled && status != .done
            ? ExitStatus.interrupted.rawValue : status.rawValue
    }

    /// Ends it as Ctrl-C would. Any thread, even inside a callback; this makes no callbacks itself.
    package func cancel() { interruption.cancellation.cancel() }
}
