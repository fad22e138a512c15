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
            DevicesCommand.self, AppsCommand.self, OverlaysCommand.self, BooksCommand.self, InfoCommand.self,
            UploadCommand.self, GetCommand.self, DeleteCommand.self, UpdateCommand.self,
            CollectionsCommand.self,
            PrefsCommand.self, WatchCommand.self, PerformCommand.self,
            SniffCommand.self, FetchCommand.self, SimulateCommand.self, NewCommand.self, DoctorCommand.self,
            CheckCommand.self,
            EjectCommand.self,
            TraceCommand.self, ReplayCommand.self,
        ])
}
