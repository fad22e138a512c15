import ArgumentParser
import OverlayHost

/// One verb of the command line: parsed by the parser, run with everything it needs given to it.
protocol Verb: ParsableCommand {
    /// The options every verb takes.
    var global: GlobalOptions { get }

    /// Does the verb's work and prints its result. The status tells whether single items failed; everything else is thrown.
    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus
}
