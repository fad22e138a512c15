import Claims
import MarvinCommands
import OverlayKit

extension MarvinOverlay: PerformsCommands {
    /// Sends one of the companion's commands to Marvin and delivers the answer, if there is one.
    ///
    /// `paths` are the books that the command concerns. A long command can be cancelled: Marvin is asked to stop.
    public func perform(
        _ command: String, parameters: [(String, String)], paths: [String],
        answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        guard let known = CompanionCommand(named: command) else {
            throw OverlayError(
                .notSupported, "Marvin has no such command.", subject: command,
                hint: "Use one of \(CompanionCommand.names.joined(separator: ", ")).")
        }
        var device = try device()
        if known.isLong {
            device = MarvinDevice(
                host: host, paths: device.paths, timing: timing.patient, now: now, wallClock: wallClock,
                cache: cache)
        }
        try device.requireOnline()
        try device.claimed { claim throws(OverlayError) in
            let books = try books(paths, device)
            let command = try known.command(parameters, books)
            let response = known.response.map { CommandResponse($0, device) }
            try response?.prepare()
            try claim.renew()
            let (progress, total) = (host.progress, max(1, books.count))
            progress.report(0, of: total, phase: "Waiting for Marvin")
            let outcome = DeviceExchange.run(command, on: device) { fraction in
                progress.report(Int(fraction * Double(total)), of: total, phase: "Marvin is working")
            }
            guard outcome.isCompleted else {
                throw OverlayError(outcome, command.name, cancelled: device.interruption())
            }
            if let rejection = outcome.rejections.first {
                throw OverlayError(
                    .rejected, "Marvin did only part of it. Marvin reports: '\(rejection.message)'",
                    domain: .readerApp, nativeCode: 1)
            }
            try response?.deliver(answer)
        }
    }

    private func books(_ paths: [String], _ device: MarvinDevice) throws(OverlayError) -> [LibraryBook] {
        guard !paths.isEmpty else { return [] }
        var library: [[UInt8]: LibraryBook] = [:]
        for book in try device.libraryBooks() { library[book.fileName.bytes] = book }
        var books: [LibraryBook] = []
        for path in paths {
            guard let book = library[path.bytes] else { throw .noSuchBook(path) }
            books.append(book)
        }
        return books
    }
}
