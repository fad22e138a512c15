import ArgumentParser
import OverlayHost

/// One verb of the command line: parsed by the parser, run with everything it needs given to it.
protocol Verb: ParsableCommand, Sendable {
    /// The options every verb takes.
    var global: GlobalOptions { get }

    /// Those of the options that choose a device or an app that this verb uses: none, unless it says so.
    static var deviceOptions: Set<DeviceOption> { get }

    /// Whether `--simulated` starts a device before the verb runs; false: the verb sees to it itself.
    static var startsSimulation: Bool { get }

    /// Does the verb's work and prints its result. The status tells whether single items failed; everything else is thrown.
    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus
}

/// An option that chooses a device or an app.
///
/// `--simulated` is none of them: like `USBMUXD_SOCKET_ADDRESS` it says where devices are to be found, for all verbs alike.
enum DeviceOption: String, CaseIterable {
    case device = "--device"
    case app = "--app"
}

extension Verb {
    static var deviceOptions: Set<DeviceOption> { [] }
    static var startsSimulation: Bool { true }

    /// Refuses an option that would be passed over in silence, as if what it names had been looked at.
    func checkOptions() throws(HostError) {
        let given: [DeviceOption: String?] = [.device: global.device, .app: global.app]
        let unused = DeviceOption.allCases.first {
            given[$0] != .some(nil) && !Self.deviceOptions.contains($0)
        }
        guard let unused else { return }
        throw HostError(
            .usage, "This verb is not about \(unused == .app ? "one reader app" : "a device").",
            subject: unused.rawValue, hint: "Leave the option out.")
    }
}

/// A verb about overlays without a device, which can be run again with a new build of one.
protocol OverlayVerb: Verb {
    /// The file of the overlay that is meant; nil: the one under development.
    var overlayFile: String? { get }
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
    static var deviceOptions: Set<DeviceOption> { Set(DeviceOption.allCases) }

    var isAboutDevices: Bool { true }

    func checkForMany() throws(HostError) {}
}
