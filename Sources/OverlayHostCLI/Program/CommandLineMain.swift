import Glibc
import OverlayHost

/// The program `overlayhost` from its first step to its last.
package enum CommandLineMain {
    /// Runs the command line of this process and ends it.
    package static func run() -> Never {
        // A worker is this program, too; it ends in here.
        WorkerProgram.runIfAsked()
        StandardStreams.occupy()
        let program = CommandLineProgram(
            interruption: .install(), paths: .current(),
            console: { StandardStreams.console(json: $0, quiet: $1) })
        let status = program.run(Array(CommandLine.arguments.dropFirst()))
        WorkerProgram.clearAway()
        // Everything has been written with write(2). exit() would run the libraries' clean-up while threads that wait for a
        // device may still use them, which OpenSSL does not survive.
        _exit(status.rawValue)
    }
}
