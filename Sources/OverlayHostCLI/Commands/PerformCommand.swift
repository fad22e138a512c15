import ArgumentParser
import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform

/// `perform COMMAND [BOOK…]`: sends a command of the reader app that no other command sends. For development.
struct PerformCommand: DeviceCommand, ListCommand {
    static let configuration = CommandConfiguration(
        commandName: "perform",
        abstract: "Send an app-specific command to the reader app (development mode only).",
        usage:
            "overlayhost perform <command> [<book> ...] [<options>]",
        discussion: """
            The overlay's help lists the commands ('overlayhost overlays NAME'). The response goes to \
            standard output unless -o names a file.
            """)

    @Argument(help: "The command's name, as in the overlay's help.") var command: String
    @Argument(
        help: ArgumentHelp("A book's path, uuid, unique title or cite key.", valueName: "book"),
        completion: .custom(KnownNames.books))
    var books: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter of the command. Repeatable.", valueName: "name=value"))
    var parameter: [String] = []
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file for the response. It must not exist yet.", valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(help: DryRun.help) var dryRun = false
    @OptionGroup var global: GlobalOptions<PerformCommand>

    var items: [String] {
        get { books }
        set { books = newValue }
    }

    func validate() throws {
        for text in parameter where (text.firstIndex(of: "=") ?? text.startIndex) == text.startIndex {
            throw ValidationError("A parameter must look like NAME=VALUE, not '\(text)'.")
        }
    }

    func checkForMany() throws(HostError) {
        guard output == nil else {
            throw HostError(
                .usage, "-o can save the response from one device only.",
                hint: "Choose one device with --device.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        guard try invocation.setup.overlays().preferences.bool("development_mode") else {
            throw HostError(
                .configuration, "The command perform requires development mode.",
                hint: "Turn it on with: overlayhost prefs set development_mode true")
        }
        let session = try invocation.openSession()
        defer { session.close() }
        guard !dryRun else {
            if let output, access(output, F_OK) == 0 { throw NewFile.failure(EEXIST, output, "answer") }
            try show(try session.paths(of: books), BookOrigin(session), invocation)
            return .done
        }
        let answer = try session.perform(command, parameters: pairs, books: books)
        invocation.progress.clear()
        if let output { try NewFile.write(answer, to: output, what: "answer") }
        try print(answer, invocation.console)
        return .done
    }

    /// Shows what would be sent.
    private func show(_ paths: [String], _ place: BookOrigin, _ invocation: Invocation) throws(HostError) {
        invocation.progress.clear()
        var document = place.members
        document["dry_run"] = .bool(true)
        document["command"] = .string(command)
        document["parameters"] = .array(
            pairs.map { .document(["name": .string($0.0), "value": .string($0.1)]) })
        document["books"] = .texts(paths)
        invocation.console.result(.object(document)) {
            let words = [command] + pairs.map { "\($0.0)=\($0.1)" } + paths
            return "would be performed  " + TerminalText.sanitized(words.joined(separator: "  "))
        }
        DryRun.note(invocation.console)
    }

    /// The parameters in order.
    private var pairs: [(String, String)] {
        parameter.compactMap { text in
            guard let sign = text.firstIndex(of: "=") else { return nil }
            return (String(text[..<sign]), String(text[text.index(after: sign)...]))
        }
    }

    private func print(_ answer: [UInt8], _ console: Console) throws(HostError) {
        if console.isJSON {
            let text = String(validating: answer, as: UTF8.self)
            console.result(
                .document([
                    "command": .string(command), "size": .integer(Int64(answer.count)),
                    "file": output.map { .string($0) },
                    // Bytes that are not text are written only to a file.
                    "answer": output == nil ? .optional(text) : nil,
                ])
            ) { "" }
        } else if let output {
            console.line("\(TerminalText.sanitized(output)): \(ByteCount.text(UInt64(answer.count)))")
        } else if !answer.isEmpty {
            try ByteOutput(nil, console).write(Data(answer))
            if console.isTerminal, answer.last != UInt8(ascii: "\n") { console.line("") }
        }
    }
}
