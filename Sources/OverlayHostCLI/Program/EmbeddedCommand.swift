import OverlayHost
import Synchronization

/// A command line that runs within another program: its documents go to that program. Any thread.
package final class EmbeddedCommand: Sendable {
    private let words: [String]
    private let interruption = Interruption()
    private let hasRun = Mutex(false)
    /// Commands use the process's environment and folders of the person, so that one runs at a time.
    private static let turn = Mutex(())

    /// A command of these words, the program's name left out.
    package init(_ words: [String]) { self.words = words }

    /// Runs it and gives its exit status; `usage` if it has run before.
    ///
    /// - Parameters:
    ///   - program: the file of `overlayhost`, which runs overlays, and beside which they are found.
    ///   - result: receives what the program would print with `--json`.
    ///   - note: receives what it would say on standard error; like `result` on any thread, one of the two at a time. Within
    ///     both `cancel` may be called.
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

    /// Ends it as Ctrl-C would. Any thread, also one on which the command calls back: no callback is made from here.
    package func cancel() { interruption.cancellation.cancel() }
}
