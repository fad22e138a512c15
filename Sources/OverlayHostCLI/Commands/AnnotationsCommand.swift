import ArgumentParser
import JSON
import OverlayHost
import Platform

/// `annotations [BOOK…]`: the highlights, notes and bookmarks in books, in one app or all.
struct AnnotationsCommand: DeviceCommand, ListCommand {
    /// The output formats.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case markdown, json, csv, html
    }

    static let configuration = CommandConfiguration(
        commandName: "annotations", abstract: "Export highlights, notes and bookmarks.",
        usage: "overlayhost annotations [<book> ...] [--format <format>] [<options>]",
        discussion: """
            Without BOOK, exports the annotations of all books that have some. Without --app, searches \
            every reader app on the device.
            """)

    @Argument(
        help: ArgumentHelp("A book: path, uuid, unique title or cite key.", valueName: "book"),
        completion: .custom(KnownNames.books))
    var books: [String] = []
    @Option(help: ArgumentHelp("The format: markdown, json, csv or html.", valueName: "format"))
    var format: Format?
    @OptionGroup var global: GlobalOptions<AnnotationsCommand>

    var items: [String] {
        get { books }
        set { books = newValue }
    }

    func validate() throws {
        guard global.json, let format, format != .json else { return }
        throw ValidationError("--json and --format \(format.rawValue) cannot be used together.")
    }

    func checkForMany() throws(HostError) {
        guard let format, format != .markdown else { return }
        throw HostError(
            .usage, "--format \(format.rawValue) can export the annotations of one device only.",
            hint: "Choose one device with --device, or use --json.")
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let served = try invocation.openApps()
        defer { served?.close() }
        let apps = Self.apps(served)
        // The session with the app of the preferences opens the device itself.
        if apps.allSatisfy({ $0 == nil }) { served?.close() }
        var found: [AnnotatedBook] = []
        var failures: [(app: String?, error: HostError)] = []
        // The names that at least one app knows, and for the other names the books whose title or UUID begins with
        // them.
        var known: Set<String> = []
        var begun: [String: [AnnotatedBook]] = [:]
        // The names that stand for several books of an app.
        var ambiguous: [String: HostError] = [:]
        for app in apps {
            do throws(HostError) {
                let (list, names) = try annotated(app, invocation, &begun, &ambiguous)
                found += list
                known.formUnion(names)
            } catch {
                guard apps.count > 1, ![.cancelled, .deviceGone].contains(error.code) else { throw error }
                failures.append((app?.bundleID, error))
                if let app {
                    invocation.console.note("\(TerminalText.sanitized(app.bundleID)): \(error.message)")
                }
            }
        }
        if failures.count == apps.count, let failure = failures.first { throw failure.error }
        var problems: [(name: String, error: HostError)] = []
        for name in books where !known.contains(name) || ambiguous[name] != nil {
            do throws(HostError) {
                if let error = ambiguous[name] { throw error }
                let book = try chosen(name, begun[name] ?? [], app: invocation.options.app)
                known.insert(name)
                if !found.contains(where: { $0.app == book.app && $0.book.path == book.book.path }) {
                    found.append(book)
                }
            } catch {
                // An app that cannot be searched may have the book.
                if failures.isEmpty || error.code != .notFound { problems.append((name, error)) }
            }
        }
        // If some of the books were found, they are exported.
        if known.isEmpty, let problem = problems.first { throw problem.error }
        invocation.progress.clear()
        for problem in problems {
            failures.append((nil, problem.error))
            invocation.console.note("\(TerminalText.sanitized(problem.name)): \(problem.error.message)")
        }
        print(found, failures, invocation.console)
        return failures.isEmpty ? .done : .someFailed
    }

    /// The only book whose title or UUID begins with a name that no app knows.
    private func chosen(
        _ name: String, _ candidates: [AnnotatedBook], app: String?
    ) throws(HostError) -> AnnotatedBook {
        guard let first = candidates.first else {
            throw HostError(
                .notFound, "No book has this path, uuid, title or cite key.", subject: name,
                hint: "List the books with: overlayhost books" + (app.map { " --app \($0.shellWord)" } ?? ""),
                hintCode: .list)
        }
        guard candidates.count == 1 else {
            let apps = candidates.map { "'\($0.book.title ?? $0.book.path)' (\($0.app))" }
            throw HostError(
                .invalidArgument,
                "Books in several apps have titles that begin like this: \(apps.joined(separator: "; ")).",
                subject: name, hint: "Give more of the title, or choose an app with --app.")
        }
        return first
    }

    /// The apps to search. A single nil stands for the app that the options name, or that the session chooses if the
    /// device has no app that can be served.
    private static func apps(_ served: DeviceApps?) -> [FoundReaderApp?] {
        guard let apps = served?.apps, !apps.isEmpty else { return [nil] }
        return apps
    }

    /// The annotated books of an app, and the names that it knows.
    ///
    /// - Parameters:
    ///   - begun: receives the books whose title or UUID begins with a name that the app does not know.
    ///   - ambiguous: receives the errors for names of several books.
    private func annotated(
        _ app: FoundReaderApp?, _ invocation: Invocation, _ begun: inout [String: [AnnotatedBook]],
        _ ambiguous: inout [String: HostError]
    ) throws(HostError) -> ([AnnotatedBook], known: [String]) {
        let session = try invocation.openSession(app)
        defer { session.close() }
        let list = try session.books(withAnnotations: true)
        guard !books.isEmpty else {
            return (
                try session.annotatedBooks(of: list).map {
                    AnnotatedBook(app: session.app.name, book: $0)
                }, []
            )
        }
        var (found, known): ([AnnotatedBook], [String]) = ([], [])
        for (name, result) in zip(books, try session.find(books)) {
            switch result {
            case .success(let book):
                known.append(name)
                if !found.contains(where: { $0.book.path == book.path }) {
                    let read = try session.readingPDFAnnotations(of: [book])
                    found += read.map { AnnotatedBook(app: session.app.name, book: $0) }
                }
            case .failure(let error):
                // Several books with this title are an error. If there is none, another app may have it.
                guard error.code == .notFound else {
                    ambiguous[name] = error
                    continue
                }
                if case .success(let book)? = try session.find([name], by: .beginnings).first {
                    let read = try session.readingPDFAnnotations(of: [book])
                    begun[name, default: []] += read.map { AnnotatedBook(app: session.app.name, book: $0) }
                }
            }
        }
        return (found, known)
    }

    /// - Parameter failures: the apps whose annotations are not known.
    private func print(
        _ found: [AnnotatedBook], _ failures: [(app: String?, error: HostError)], _ console: Console
    ) {
        let errors = failures.map { failure in
            JSONValue.document([
                "app": .optional(failure.app), "error": ErrorReport.body(failure.error),
            ])
        }
        let document = JSONValue.document([
            "books": .array(found.map(\.json)), "errors": errors.isEmpty ? nil : .array(errors),
        ])
        console.result(document) {
            switch format ?? .markdown {
            case .json: document.text(.indented)
            case .csv: AnnotationsText.csv(found)
            case .html: AnnotationsText.html(found)
            case .markdown: AnnotationsText.markdown(found)
            }
        }
        let count = found.reduce(0) { $0 + $1.book.annotations.count }
        if count == 0, failures.isEmpty, !console.isJSON { console.note("There are no annotations.") }
    }
}
