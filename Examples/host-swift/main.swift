import Logging
import OverlayHost

// A program that embeds the host: lists the books of the reader app on the attached device.
//
//     ExampleHost [PLUGINS-FOLDER]

// Overlays run in separate processes, which are this program started again. They do not get past this call.
WorkerProgram.runIfAsked()

/// Finds the overlays, connects to the reader app, and prints its books.
func listBooks(_ folders: [String]) throws(HostError) {
    let paths = HostPaths.current()
    let discovery = OverlayDiscovery(
        options: folders, paths: paths,
        isolation: .worker(WorkerOptions(program: paths.workerProgram)))
    let catalog = discovery.discover()
    for problem in catalog.problems { print(problem) }

    let session = try HostSession(
        SessionRequest(
            overlays: catalog, discovery: discovery, preferences: Preferences(file: paths.preferencesFile),
            loggers: SessionLoggers(Logger(label: "example") { _ in SwiftLogNoOpLogHandler() }),
            notice: { print($0) }))
    defer { session.close() }
    print(
        "\(session.app.name) on \(session.device.name ?? session.device.udid), by the overlay \(session.overlay.name)"
    )
    for book in try session.books() {
        print(
            "\(book.title ?? book.path), by \(book.authors?.joined(separator: ", ") ?? "an unknown author")")
    }
}

do throws(HostError) {
    try listBooks(Array(CommandLine.arguments.dropFirst()))
} catch {
    print(error)
}
