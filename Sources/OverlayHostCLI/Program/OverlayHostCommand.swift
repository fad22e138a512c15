import ArgumentParser
import OverlayHost

/// The root of the command line.
struct OverlayHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlayhost",
        abstract: "Manage the books inside reader apps on iPhones and iPads.",
        discussion: """
            BOOK is a path as 'overlayhost books' shows it, a uuid, or a title that only one book has.
            Without a device at hand, --simulated shows everything on a simulated iPad.
            """,
        version: "overlayhost \(OverlayHostVersion.text)",
        subcommands: [
            OverlaysCommand.self, PrefsCommand.self, SimulateCommand.self,
        ])
}
