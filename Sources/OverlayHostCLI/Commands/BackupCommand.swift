import ArgumentParser
import JSON
import OverlayHost
import Platform

/// `backup DIR`: copies all books with their metadata; `backup --verify DIR`: checks the copies.
struct BackupCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy all books with metadata, covers and highlights.",
        usage: "overlayhost backup [--dry-run] [--repair | --verify] <dir> [<options>]",
        discussion: """
            Each device and each app gets a folder in DIR. What has not changed since the last backup is not copied again. \
            Books that are gone from the device stay in the backup. Without --app, every reader app on the device is \
            backed up. If a backup is interrupted, run it again to finish it.
            """)

    @Argument(
        help: ArgumentHelp("The folder of the backups; created if missing.", valueName: "dir"),
        completion: .directory)
    var folder: String
    @Flag(help: "Show what would be done without changing anything.") var dryRun = false
    @Flag(
        help: "Read every file in DIR and compare it with its checksum. Needs no device, and changes nothing."
    )
    var verify = false
    @Flag(help: "Also compare every file with its checksum first, and copy damaged ones again.")
    var repair = false
    @OptionGroup var global: GlobalOptions<BackupCommand>

    var isAboutDevices: Bool { !verify }

    func validate() throws {
        if folder.isEmpty { throw ValidationError("DIR is empty. Give the backup folder.") }
        guard verify else { return }
        if dryRun { throw ValidationError("--verify and --dry-run cannot be used together.") }
        if repair { throw ValidationError("--verify and --repair cannot be used together.") }
        if global.device != nil || global.app != nil {
            throw ValidationError("--verify checks everything in DIR; leave out --device and --app.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        verify ? try verify(invocation) : try backUp(invocation)
    }

    // MARK: making

    private func backUp(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let request = BackupRequest(
            folder: folder, isDryRun: dryRun, repairs: repair, annotations: AnnotationsText.ofBook)
        try request.checkFolder()
        let served = try invocation.openApps()
        defer { served?.close() }
        let apps: [FoundReaderApp?] = if let served { served.apps } else { [nil] }
        var parts: [BackupDocument.Part] = []
        var (device, ending): (String?, HostError?)
        for app in apps {
            do throws(HostError) {
                let session = try invocation.openSession(app)
                defer { session.close() }
                device = session.device.udid
                let result = try session.backup(request)
                parts.append(BackupDocument.Part(session.app, result))
                ending = result.results?.failure
            } catch {
                guard let app, apps.count > 1 else { throw error }
                parts.append(BackupDocument.Part(app.bundleID, app.name, error))
                ending = error
            }
            // After an error of one app, the next is still tried, unless nothing can continue.
            if let ending, [.cancelled, .deviceGone, .noSpace].contains(ending.code) { break }
            ending = nil
        }
        invocation.progress.clear()
        let document = BackupDocument(parts, device: device, isDryRun: dryRun, failure: ending)
        document.print(on: invocation.console)
        return document.exitStatus
    }

    // MARK: verifying

    private func verify(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let (cancellation, progress) = (invocation.cancellation, invocation.progress)
        let verification = try BackupVerification.run(folder) {
            cancellation.isCancelled
        } progress: { done, total in
            progress.update(ProgressLine(phase: "Verifying", bytesDone: done, bytesTotal: total))
        }
        progress.clear()
        let findings = verification.findings
        let document = JSONValue.document([
            "folder": .string(folder), "books": .integer(Int64(verification.books)),
            "files": .integer(Int64(verification.files)),
            "bytes": .integer(Int64(clamping: verification.bytes)),
            "problems": .array(
                findings.map { finding in
                    .document([
                        "path": .string(finding.path), "problem": .string(finding.problem.rawValue),
                        "title": finding.title.map { .string($0) },
                    ])
                }),
        ])
        invocation.console.result(document) {
            findings.map { finding in
                "\(finding.problem.rawValue)  \(TerminalText.sanitized(finding.path))"
            }.joined(separator: "\n")
        }
        guard !invocation.console.isJSON else { return findings.isEmpty ? .done : .someFailed }
        let (books, files) = (verification.books, verification.files)
        let what =
            "\(books) \(books == 1 ? "book" : "books") in \(files) \(files == 1 ? "file" : "files") "
            + "(\(ByteCount.text(verification.bytes)))"
        invocation.console.note(
            findings.isEmpty
                ? "\(what): all files are intact. They were not compared with the device."
                : "\(what): \(findings.count) \(findings.count == 1 ? "is" : "are") missing or damaged. "
                    + Self.advice(on: findings))
        return findings.isEmpty ? .done : .someFailed
    }

    /// What to do about the findings. A manifest is missing after a first backup was interrupted.
    private static func advice(on findings: [BackupVerification.Finding]) -> String {
        findings.allSatisfy { $0.title == nil }
            ? "Run the backup again: it finishes what was interrupted, and writes the manifest anew."
            : "Run the backup with --repair to copy what is still on the device."
    }
}
