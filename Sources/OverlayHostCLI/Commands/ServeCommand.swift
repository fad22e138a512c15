import Synchronization
import ArgumentParser
import Glibc
import OverlayHost
import Platform

/// `serve`: gives another program access to devices over standard input and output.
struct ServeCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve another program over standard input and output (JSON-RPC 2.0).",
        usage: "overlayhost serve [<options>]",
        discussion: """
            Reads one request per line and writes one message per line, until its input ends. Sessions with reader apps stay \
            open between requests. The protocol is described in docs/rpc.
            """)

    @OptionGroup var global: GlobalOptions<ServeCommand>

    static let takes = Set(CommonOption.allCases).subtracting([.app, .watch])

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        guard !StandardStreams.isEmbedded.withLock({ $0 }) else {
            throw HostError(
                .usage, "The command serve needs its own standard input and output.", subject: "serve",
                hint: "Run 'overlayhost serve' as a separate process.")
        }
        // From now on, text printed by an overlay or a library cannot come between the messages.
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
            throw HostError(
                .hostIO, "Cannot write to standard output: \(systemText(errno)).", native: .posix(errno))
        }
        let server = try RequestServer(
            input: STDIN_FILENO, output: output, invocation.setup, device: invocation.options.device,
            invocation.console)
        let registration = invocation.cancellation.whenCancelled { server.stop() }
        defer { withExtendedLifetime(registration) {} }
        server.run()
        return .done
    }
}
