import ArgumentParser
import OverlayHost

/// The root of the command line.
struct OverlayHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlayhost",
        abstract: "Manage books in reader apps on iPhone and iPad.",
        discussion: """
            BOOK is a path as shown by 'overlayhost books', a uuid, a unique title or cite key, or the \
            beginning of one.
            To try overlayhost without a device, use --simulated.
            """,
        version: "overlayhost \(OverlayHostVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Book",
                subcommands: [
                    BooksCommand.self, InfoCommand.self, UploadCommand.self, GetCommand.self,
                    DeleteCommand.self, UpdateCommand.self, CollectionsCommand.self, AnnotationsCommand.self,
                ]),
            CommandGroup(
                name: "Library",
                subcommands: [SyncCommand.self, DiffCommand.self, BackupCommand.self]),
            CommandGroup(
                name: "Device",
                subcommands: [
                    DevicesCommand.self, AppsCommand.self, DoctorCommand.self, ReportCommand.self,
                    WatchCommand.self,
                    EjectCommand.self, DfCommand.self, ServeCommand.self,
                ]),
            CommandGroup(name: "File", subcommands: [SniffCommand.self, FetchCommand.self]),
            CommandGroup(name: "Setting", subcommands: [PrefsCommand.self, OverlaysCommand.self]),
            CommandGroup(
                name: "Overlay author",
                subcommands: [
                    NewCommand.self, SimulateCommand.self, CheckCommand.self, PerformCommand.self,
                    TraceCommand.self, ReplayCommand.self,
                ]),
        ])

    /// The command or group with this name; nil if there is none.
    static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }
}
