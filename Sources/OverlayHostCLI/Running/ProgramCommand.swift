import ArgumentParser
import OverlayHost

/// A command of the program. The parser creates it, and it runs with everything it needs in its invocation.
protocol ProgramCommand: ParsableCommand, Sendable {
    /// The options that commands have in common.
    var global: GlobalOptions<Self> { get }

    /// The common options that the command takes. It lists them in its help, and refuses those that it would silently
    /// ignore.
    static var takes: Set<CommonOption> { get }

    /// Whether `--simulated` starts a device before the command runs; if false, the command does that itself.
    static var startsSimulation: Bool { get }

    /// Does the work and prints the result. The status shows whether single items failed; other errors are thrown.
    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus
}

extension ProgramCommand {
    static var startsSimulation: Bool { true }

    /// The common options of a command line.
    var options: RunOptions { RunOptions(global) }

    /// Refuses an option that would be silently ignored.
    func checkOptions() throws(HostError) {
        let unused = options.given.subtracting(Self.takes)
        for option in CommonOption.allCases where unused.contains(option) {
            guard let refusal = option.refusal else { continue }
            throw HostError(.usage, refusal, subject: option.rawValue, hint: "Leave out the option.")
        }
    }
}

/// A command whose last positional argument is a list of items, such as thousands of paths.
protocol ListCommand: ProgramCommand {
    /// The items, in the order of the command line.
    var items: [String] { get set }
}

/// A command with an option that is repeated for each item.
protocol ItemOptionCommand: ListCommand {
    /// The option, such as `--uuid`. The word after it is its value.
    static var itemOption: String { get }
    /// Its values, in the order of the command line.
    var itemOptionValues: [String] { get set }
}

/// A command about overlays without a device, which can run again with a new build.
protocol OverlayCommand: ProgramCommand {
    /// The file of the overlay; nil means the one under development.
    var overlayFile: String? { get }
}

/// A command about one device. If `--device` selects several, it runs once for each.
///
/// In that case `run` is called on several threads at once, each with its own invocation.
protocol DeviceCommand: ProgramCommand {
    /// Whether this command line concerns devices at all.
    var isAboutDevices: Bool { get }

    /// Refuses what makes no sense for several devices, such as a single output file.
    func checkForMany() throws(HostError)
}

extension DeviceCommand {
    static var takes: Set<CommonOption> { Set(CommonOption.allCases) }

    var isAboutDevices: Bool { true }

    func checkForMany() throws(HostError) {}
}
