import Diagnostics
import BookFolders
import Glibc
import MarvinCommands
import OverlayKit

/// Carries out a command exchange on the device.
struct DeviceExchange: CommandExchangeHost {
    let device: MarvinDevice
    /// Reports Marvin's progress, from 0 to 1.
    let progress: (Double) -> Void
    /// Does other work instead of waiting; returns false if there is none.
    var meanwhile: () -> Bool = { false }

    /// Sends a command to Marvin and waits until it is done or withdrawn, or the device is gone.
    ///
    /// - Parameter meanwhile: does a short piece of other work instead of waiting; returns false if there is none.
    static func run(
        _ command: Command, staged: [String] = [], on device: MarvinDevice,
        meanwhile: @escaping () -> Bool = { false }, progress: @escaping (Double) -> Void
    ) -> CommandOutcome {
        var exchange = CommandExchange(
            command, stagedDocuments: staged, stagingFolder: device.paths.staging, timing: device.timing)
        let log = device.host.log
        log.debug(
            "marvin", "The command's text.",
            ["command": String(decoding: command.abridged.encoded(), as: UTF8.self)])
        let outcome = exchange.run(
            on: DeviceExchange(device: device, progress: progress, meanwhile: meanwhile))
        log.info(
            "marvin", "The command ended.",
            [
                "command": command.name.rawValue, "books": "\(command.fileNames.count)",
                "ending": outcome.ending.rawValue,
            ])
        for rejection in outcome.rejections where rejection.fileName == nil {
            log.notice("marvin", "Marvin reports: '\(rejection.reason)'")
        }
        if !outcome.leftBehind.isEmpty {
            log.notice(
                "marvin", "Left on the device.", ["files": outcome.leftBehind.joined(separator: ", ")])
        }
        return outcome
    }

    var now: Duration { device.now() }

    var isCancelled: Bool { device.host.cancellation.isCancelled }

    func perform(_ action: CommandExchange.Action) -> CommandExchange.Reply {
        do {
            return try carryOut(action)
        } catch {
            switch error.status {
            case .deviceGone: return .deviceGone(error)
            case .notFound: return .missing
            default: return .failed(error)
            }
        }
    }

    private func carryOut(_ action: CommandExchange.Action) throws(OverlayError) -> CommandExchange.Reply {
        let transport = device.host.transport
        switch action {
        case .read(let path):
            guard let bytes = try MarvinDevice.smallFile(transport, device.root, path) else {
                return .missing
            }
            return .contents(bytes)
        case .list(let folder):
            guard let names = try device.names(in: folder) else { return .missing }
            return .names(names.sorted())
        case .exists(let path):
            switch try transport.stat(device.root, [path]).first {
            case .success?: return .done
            case .failure(let error)?: throw error
            case nil: return .missing
            }
        case .write(let path, let bytes):
            try transport.write(device.root, path, bytes)
        case .rename(let from, let to):
            try transport.rename(device.root, from, to: to)
        case .remove(let path):
            try transport.remove(device.root, path)
        case .wait(let pause):
            if meanwhile() { break }
            do {
                try device.host.cancellation.wait(for: pause)
            } catch {
                // A cancelled or timed-out wait ends early; the exchange checks `isCancelled` next.
                guard error.status == .cancelled || error.status == .timedOut else { throw error }
            }
        case .report(let fraction):
            progress(fraction)
        case .finish:
            break
        }
        return .done
    }
}

extension OverlayError {
    /// Why a command was not carried out.
    ///
    /// - Parameter cancelled: the host's error if the host ended the wait.
    init(_ outcome: CommandOutcome, _ name: CommandName, cancelled: OverlayError?) {
        guard let error = outcome.error(for: name) else {
            self.init(.failed, "The command ended without a result.")
            return
        }
        if let lower = outcome.underlying as? OverlayError, error.code != .timedOut {
            self = lower.ofCommands
            if error.code == .deviceGone { status = .deviceGone }
            hint = [hint, error.hint].compactMap { $0 }.joined(separator: " ")
            if hint?.isEmpty ?? false { hint = nil }
            return
        }
        let status: OverlayStatus =
            switch error.code {
            case .offline: .appUnavailable
            case .busy: .busy
            case .timedOut: .timedOut
            case .refused: .rejected
            // The user stopped it in Marvin; the host was not interrupted.
            case .cancelled where outcome.status?.code == .cancelled && cancelled == nil: .rejected
            case .cancelled: cancelled?.status ?? .cancelled
            case .deviceGone: .deviceGone
            default: .failed
            }
        // Suggest a restart only if Marvin refused the command. A restart does not help if the command failed.
        let restart = error.code == .refused ? MarvinHint.restart : nil
        let hints = [restart, error.hint].compactMap { $0 }
        let code = outcome.status.flatMap { $0.isFinal ? $0.code.rawValue : nil }
        self.init(
            status,
            status == .timedOut && error.code == .cancelled ? "Time ran out." : error.message,
            hint: hints.isEmpty ? nil : hints.joined(separator: " "),
            domain: code == nil ? .none : .readerApp, nativeCode: Int64(code ?? 0),
            retryable: error.isRetryable)
    }
}

extension OverlayError {
    /// Describes a failure with the protocol's files without naming the file, because users do not need to know it.
    var ofCommands: OverlayError {
        guard status == .noSpace else { return self }
        return OverlayError(
            .noSpace, "The device has no space left for a command to Marvin.",
            hint: "Free some space on the device, and run the same command again.", domain: domain,
            nativeCode: nativeCode)
    }

    /// The error for an item that was not tried because the user stopped an earlier one in Marvin.
    static var cancelledInMarvin: OverlayError {
        OverlayError(
            .rejected, "The book was not sent. The command was cancelled on the device.",
            hint: "Run the same command again.")
    }
}

extension MarvinDevice {
    /// Why the running method was ended from outside; nil if it was not.
    func interruption() -> OverlayError? {
        switch Result(catching: { () throws(OverlayError) in try host.cancellation.check() }) {
        case .success: nil
        case .failure(let error): error
        }
    }
}

/// Divides an upload into commands.
enum CommandBatches {
    static let preference = "upload_batch_size"
    static let fallback = 100

    /// The preferred number of books in a command, at least 1.
    static func size(_ prefs: PrefsService) throws(OverlayError) -> Int {
        max(1, try prefs.integer(preference, default: fallback))
    }

    /// The batches in order; only the last may be smaller.
    static func cut<Item>(_ items: [Item], size: Int) -> [ArraySlice<Item>] {
        stride(from: 0, to: items.count, by: max(1, size)).map { items[$0...].prefix(max(1, size)) }
    }
}

extension CommandTimestamp {
    /// The present time of the host.
    static var now: CommandTimestamp { CommandTimestamp(seconds: Int64(time(nil))) }
}

/// Marvin's messages about a command, in its own words.
struct MarvinMessages {
    /// The most messages that are shown, because a hostile app may send many, and rows repeat them.
    private static let mostMessages = 3
    private static let mostCharacters = 400

    private var byFile: [[UInt8]: String] = [:]
    /// The messages that do not concern a file of the command, each in quotation marks; nil if there are none.
    let general: String?

    /// - Parameter names: the names of the files in the command.
    init(_ outcome: CommandOutcome, about names: [String]) {
        // Marvin may spell a name differently from the command, as file systems do.
        let known = NameTable(names, by: { $0 })
        var said = outcome.rejections
        // After success, or if the command did not end, there are no rejections, but the messages may still be
        // useful.
        if said.isEmpty {
            said = (outcome.status?.messages ?? []).map { Rejection(message: $0, fileNames: names) }
        }
        var others: [String] = []
        for remark in said {
            guard let name = remark.fileName.flatMap({ known[$0] }) else {
                others.append(Self.shortened(remark.message))
                continue
            }
            if byFile[name.bytes] == nil { byFile[name.bytes] = Self.shortened(remark.reason) }
        }
        let shown = others.prefix(Self.mostMessages).map(Self.quoted).joined(separator: ", ")
        let rest = others.count - Self.mostMessages
        general =
            shown.isEmpty ? nil : rest > 0 ? "\(shown) and \(rest) more messages." : shown
    }

    private static func shortened(_ text: String) -> String {
        text.count > mostCharacters ? text.prefix(mostCharacters) + "…" : text
    }

    private static func quoted(_ text: String) -> String { "'\(text)'" }

    /// The message about one file; nil if there is none.
    func about(_ name: String) -> String? { byFile[name.bytes] }

    /// What the user should know about a file that succeeded; nil if there is nothing.
    func note(_ name: String) -> String? {
        let said = [about(name).map(Self.quoted), general].compactMap { $0 }
        return said.isEmpty ? nil : "Marvin reports: " + said.joined(separator: ", ")
    }
}
