import ArgumentParser
import Fetching
import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform

/// `fetch PATH|URL [HREF]`: resources of a publication.
struct FetchCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Read a publication's resources, or a whole file.",
        usage: "overlayhost fetch <path|url> [<href> | --list] [<options>]",
        discussion: """
            Writes the bytes to standard output unless -o names a file. For a publication at a URL, only its \
            file list and the resource are downloaded. Name a resource as --list shows it; the \
            first / is optional. --list shows the media types that the publication declares, or those of \
            the file extensions.
            """)

    @Argument(
        help: ArgumentHelp("A file, an http or https URL, or - for standard input.", valueName: "path|url"),
        completion: .file())
    var input: String
    @Argument(help: "The resource, as --list shows it. Without it, the whole file.") var href: String?
    @Flag(help: "List the resources.") var list = false
    @Option(
        help: ArgumentHelp(
            "The first and last byte, counted from 0; A- reads to the end. A must be inside the file.",
            valueName: "A-B"))
    var range: ByteRangeArgument?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write. It must not exist yet.", valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(help: "Download a URL again, and keep no copy.") var noCache = false
    @OptionGroup var global: GlobalOptions<FetchCommand>

    static let takes: Set<CommonOption> = []

    func validate() throws {
        if list, href != nil || range != nil || output != nil {
            throw ValidationError("--list takes only a file or URL.")
        }
        if global.json, !list, output == nil {
            throw ValidationError("--json requires --list or -o.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let content = try invocation.content(input, usesCache: !noCache)
        defer { content.close() }
        if list {
            printList(try content.resources(), invocation)
        } else {
            try copy(content, invocation)
        }
        if global.verbose {
            let count = ByteCount.text(UInt64(max(0, content.bytesRead)))
            invocation.console.note("Read \(count) of the \(ByteCount.text(try content.length())) it has.")
        }
        return .done
    }

    /// Copies the resource until it ends, or until the reader of the output closes it.
    private func copy(_ content: OpenContent, _ invocation: Invocation) throws(HostError) {
        let sink = try ByteOutput(output, invocation.console)
        let count: Int64
        do throws(HostError) {
            count = try content.read(href, range?.range, mustBegin: true) { piece throws(HostError) in
                if invocation.cancellation.isCancelled { throw HostError(.cancelled, "Interrupted.") }
                try sink.write(piece)
            }
            try sink.finish()
        } catch {
            sink.abandon()
            guard error.code != .stopped else { return }
            var error = error
            if error.code == .notFound, let href, error.subject == href, error.hint == nil {
                error.hint = "--list shows the resources."
            }
            throw error
        }
        if let output {
            invocation.console.result(
                .document(["file": .string(output), "href": .optional(href), "size": .integer(count)])
            ) { "\(TerminalText.sanitized(output)): \(ByteCount.text(UInt64(max(0, count))))" }
        }
    }

    private func printList(_ resources: [ContentResource], _ invocation: Invocation) {
        let rows = resources.map { resource in
            JSONValue.document([
                "href": .string(resource.href), "media_type": .optional(resource.mediaType),
                "size": .integer(resource.length), "stored_size": .integer(resource.storedLength),
            ])
        }
        invocation.console.result(.document(["resources": .array(rows)])) {
            var table = TextTable([
                .init(title: "HREF", isKey: true), .init(title: "MEDIA TYPE", minimum: 12),
                .init(title: "SIZE", alignment: .right, minimum: 6),
            ])
            for resource in resources {
                table.add([
                    resource.href, resource.mediaType ?? "-", ByteCount.text(UInt64(max(0, resource.length))),
                ])
            }
            return table.render(width: invocation.console.width)
        }
    }
}

/// A byte range as people write it: `A-B` with both ends included, or `A-`.
struct ByteRangeArgument: ExpressibleByArgument, Equatable {
    /// The bytes, with an exclusive end.
    let range: Range<Int64>

    init?(argument: String) {
        let parts = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Self.number(parts[0]) else { return nil }
        if parts[1].isEmpty {
            range = first..<Int64.max
            return
        }
        guard let last = Self.number(parts[1]), last >= first, last < .max else { return nil }
        range = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }
}
