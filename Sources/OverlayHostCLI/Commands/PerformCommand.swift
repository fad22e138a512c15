import ArgumentParser
import Foundation
import JSON
import OverlayHost

/// `perform COMMAND [BOOK…]`: a command of the reader app that no other verb is for, while developing.
struct PerformCommand: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "perform", abstract: "Send the reader app a command of its own, in development mode.",
        usage:
            "overlayhost perform <command> [<book> ...] [<options>]",
        discussion: """
            Which commands there are, the overlay's help tells ('overlayhost overlays NAME'). The answer goes to \
            standard output unless -o names a file.
            """)

    @Argument(help: "The command, as the overlay calls it.") var command: String
    @Argument(help: ArgumentHelp("A path, a uuid, or a unique title.", valueName: "book")) var books:
        [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A parameter of the command. Repeatable.", valueName: "name=value"))
    var parameter: [String] = []
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file for the answer, which must not exist.", valueName: "file"),
        completion: .file())
    var output: String?
    @OptionGroup var global: GlobalOptions<PerformCommand>

    func validate() throws {
        for text in parameter where (text.firstIndex(of: "=") ?? text.startIndex) == text.startIndex {
            throw ValidationError("'\(text)' is no parameter; it must look like NAME=VALUE.")
        }
    }

    func checkForMany() throws(HostError) {
        guard output == nil else {
            throw HostError(
                .usage, "-o names one file, which cannot take the answers of several devices.",
                hint: "Name one device with --device.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        guard try invocation.setup.overlays().preferences.bool("development_mode") else {
            throw HostError(
                .configuration, "Commands of a reader app are sent in development mode only.",
                subject: "development_mode",
                hint: "Switch it on with: overlayhost prefs set development_mode true.")
        }
        let session = try invocation.openSession()
        defer { session.close() }
        let answer = try session.perform(command, parameters: pairs, books: books)
        invocation.progress.clear()
        if let output { try NewFile.write(answer, to: output, what: "answer") }
        try print(answer, invocation.console)
        return .done
    }

    /// The parameters in their order.
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
                    // Bytes that are no text fit into a file only.
                    "answer": output == nil ? .optional(text) : nil,
                ])
            ) { "" }
        } else if let output {
            console.line("\(TerminalText.sanitized(output)): \(ByteCount.text(UInt64(answer.count)))")
        } else if !answer.isEmpty {
            try ByteOutput(nil, console).write(Data(answer))
            if console.width != nil, answer.last != UInt8(ascii: "\n") { console.line("") }
        }
    }
}
