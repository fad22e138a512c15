import ArgumentParser
import OverlayHost

/// One verb of the command line: parsed by the parser, run with everything it needs given to it.
protocol Verb: ParsableCommand, Sendable {
    /// The options every verb takes.
    var global: GlobalOptions { get }

    /// Does the verb's work and prints its result. The status tells whether single items failed; everything else is thrown.
    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus
}

/// A verb about one device, which is run once for each where `--device` means several.
///
/// `run` is called on several threads at once then, each time with an invocation of its own.
protocol DeviceVerb: Verb {
    /// Whether this command line is about devices at all.
    var isAboutDevices: Bool { get }

    /// Refuses what makes no sense for several devices, such as one file for what each of them gives.
    func checkForMany() throws(HostError)
}

extension DeviceVerb {
    var isAboutDevices: Bool { true }

    func checkForMany() throws(HostError) {}
}
