import ArgumentParser
import OverlayHost

/// One verb of the command line: parsed by the parser, run with everything it needs given to it.
protocol Verb: ParsableCommand, Sendable {
    /// The options that verbs have in common.
    var global: GlobalOptions<Self> { get }

    /// Those of them that mean something to this verb: it lists these in its help, and refuses what would be passed over in
    /// silence.
    static var takes: Set<CommonOption> { get }

    /// Whether `--simulated` starts a device before the verb runs; false: the verb sees to it itself.
    static var startsSimulation: Bool { get }

    /// Does the verb's work and prints its result. The status tells whether single items failed; everything else is thrown.
    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus
}

extension Verb {
    static var startsSimulation: Bool { true }

    /// The common options of a command line.
    var options: RunOptions { RunOptions(global) }

    /// Refuses an option that would be passed over in silence, as if what it names had been looked at.
    func checkOptions() throws(HostError) {
        let unused = options.given.subtracting(Self.takes)
        for option in CommonOption.allCases where unused.contains(option) {
            guard let refusal = option.refusal else { continue }
            throw HostError(.usage, refusal, subject: option.rawValue, hint: "Leave out the option.")
        }
    }
}

/// A verb with a list of items as its last positional argument, such as thousands of paths.
protocol ListVerb: Verb {
    /// The items, in the order of the command line.
    var items: [String] { get set }
}

/// A verb with an option that is repeated for each item.
protocol ItemOptionVerb: ListVerb {
    /// The option, such as `--uuid`. The word after it is its value.
    static var itemOption: String { get }
    /// Its values, in the order of the command line.
    var itemOptionValues: [String] { get set }
}

/// A verb about overlays without a device, which can be run again with a new build of one.
protocol OverlayVerb: Verb {
    /// The file of the overlay that is meant; nil: the one under development.
    var overlayFile: String? { get }
}

/// A verb about one device, which is run once for each where `--device` means several.
///
/// `run` is called on several threads at once then, each time with its own invocation.
protocol DeviceVerb: Verb {
    /// Whether this command line is about devices at all.
    var isAboutDevices: Bool { get }

    /// Refuses what makes no sense for several devices, such as one file for what each of them gives.
    func checkForMany() throws(HostError)
}

extension DeviceVerb {
    static var takes: Set<CommonOption> { Set(CommonOption.allCases) }

    var isAboutDevices: Bool { true }

    func checkForMany() throws(HostError) {}
}
