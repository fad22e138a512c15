import ArgumentParser
import OverlayHost

/// The root of the command line.
struct OverlayHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlayhost",
        abstract: "Manage books in reader apps on iPhone and iPad.",
        discussion: """
            BOOK is a path as shown by 'overlayhost books', a uuid, or a unique title.
            To try overlayhost without a device, use --simulated.
            """,
        version: "overlayhost \(OverlayHostVersion.text)",
        subcommands: [
            DevicesCommand.self, AppsCommand.self, OverlaysCommand.self, BooksCommand.self, InfoCommand.self,
            UploadCommand.self, SyncCommand.self, DiffCommand.self, GetCommand.self, DeleteCommand.self,
            UpdateCommand.self, CollectionsCommand.self, AnnotationsCommand.self,
            PrefsCommand.self, WatchCommand.self, PerformCommand.self,
            SniffCommand.self, FetchCommand.self, SimulateCommand.self, NewCommand.self, DoctorCommand.self,
            CheckCommand.self,
            EjectCommand.self,
            TraceCommand.self, ReplayCommand.self,
        ])
}
