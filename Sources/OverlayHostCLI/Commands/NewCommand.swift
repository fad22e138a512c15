import ArgumentParser
import OverlayHost

/// `new`: a small complete project of an overlay.
struct NewCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a small complete project of a new overlay.",
        usage: "overlayhost new <name> --language <language> [<options>]",
        discussion: """
            The project lists, fetches, adds and deletes the books of an app that keeps them as files in the folder it \
            shares with computers. It builds as it is, and 'make run' in it shows it at work on a simulated device.
            """)

    @Argument(help: ArgumentHelp("The name of the overlay.", valueName: "name")) var name: String
    @Option(
        help: ArgumentHelp(
            "What it is written in: \(ProjectLanguage.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "language"))
    var language: String
    @Option(
        help: ArgumentHelp(
            "The bundle id of the reader app; an invented one unless given.", valueName: "id"))
    var bundleId: String?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder of the project, which is made; the name unless given.", valueName: "dir"))
    var output: String?
    @OptionGroup var global: GlobalOptions<NewCommand>

    static let takes: Set<CommonOption> = []

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let name = try ProjectName(self.name)
        guard let language = ProjectLanguage(self.language) else {
            let known = ProjectLanguage.allCases.map(\.rawValue).joined(separator: ", ")
            throw HostError(
                .usage, "There is no template for this language.", subject: self.language,
                hint: "There is one for: \(known). Any language with a C ABI can do it; see docs/abi.md.")
        }
        let template = ProjectTemplate(
            language: language, name: name, bundleID: try name.bundleID(bundleId),
            places: try TemplatePlaces(invocation.setup.paths))
        let folder = output ?? self.name
        let files = try template.files()
        try ProjectFolder(path: folder).write(files)
        invocation.console.result(
            .document([
                "name": .string(name.id), "language": .string(language.rawValue), "folder": .string(folder),
                "bundle_id": .string(template.bundleID), "files": .texts(files.map(\.path).sorted()),
            ])
        ) {
            """
            A project in \(language.name) for the app \(template.bundleID) is in \(TerminalText.sanitized(folder)). Go on with:
                cd \(TerminalText.sanitized(folder))
                make run
            """
        }
        return .done
    }
}
