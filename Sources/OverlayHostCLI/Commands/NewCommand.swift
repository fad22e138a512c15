import JSON
import ArgumentParser
import OverlayHost

/// `new`: creates a small, complete project of an overlay.
struct NewCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Create a project for a new overlay.",
        usage: "overlayhost new <name> --language <language> [<options>]",
        discussion: """
            The new overlay lists, fetches, adds and deletes books in an app that keeps them as files in \
            its shared folder. The project builds as it is; 'make run' tries it on a simulated device.
            """)

    @Argument(help: ArgumentHelp("The name of the overlay.", valueName: "name")) var name: String
    @Option(
        help: ArgumentHelp(
            "The programming language: \(ProjectLanguage.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "language"), completion: .list(ProjectLanguage.allCases.map(\.rawValue)))
    var language: String
    @Option(
        help: ArgumentHelp(
            "The bundle id of the reader app. Defaults to an example id.", valueName: "id"))
    var bundleId: String?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder to create for the project. Defaults to the name.", valueName: "dir"))
    var output: String?
    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<NewCommand>

    static let takes: Set<CommonOption> = []

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let name = try ProjectName(self.name)
        guard let language = ProjectLanguage(self.language) else {
            let known = ProjectLanguage.allCases.map(\.rawValue).joined(separator: ", ")
            throw HostError(
                .usage, "No template for this language.", subject: self.language,
                hint:
                    "Available: \(known). You can write an overlay in any language that can export C functions; "
                    + "see docs/abi.md.")
        }
        let template = ProjectTemplate(
            language: language, name: name, bundleID: try name.bundleID(bundleId),
            places: try TemplatePlaces(invocation.setup.paths))
        let folder = output ?? self.name
        let files = try template.files()
        if dryRun {
            try ProjectFolder(path: folder).checkIsNew()
        } else {
            try ProjectFolder(path: folder).write(files)
        }
        invocation.console.result(
            .document([
                "name": .string(name.id), "language": .string(language.rawValue), "folder": .string(folder),
                "bundle_id": .string(template.bundleID), "files": .texts(files.map(\.path).sorted()),
                "dry_run": dryRun ? .bool(true) : nil,
            ])
        ) {
            if dryRun {
                return files.map(\.path).sorted()
                    .map { "would be created  " + TerminalText.sanitized("\(folder)/\($0)") }
                    .joined(separator: "\n")
            }
            return """
                Created a \(language.name) project for the app \(template.bundleID) in \
                \(TerminalText.sanitized(folder)). Next:
                    cd \(TerminalText.sanitized(folder))
                    make run
                """
        }
        if dryRun { DryRun.note(invocation.console) }
        return .done
    }
}
