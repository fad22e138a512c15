import CommandProtocol
import OverlayKit

/// The claim of one host on one Marvin, so that two that know of claims take turns.
///
/// The protocol has no lock and AFC no exclusive creation of files. What AFC does atomically is a rename, and a folder
/// never replaces one that is not empty: so the claim is a folder with its owner inside, made under a name of its own and
/// renamed to the common one. Marvin and hosts that know nothing of claims look for other names and are not disturbed.
///
/// A claim expires when it is certain that its owner is gone, or when nothing in the staging folder has changed for a
/// minute by the device's own clock.
final class MarvinClaim {
    /// The folder, in the staging folder.
    static let folder = ".overlayhost-claim"
    /// How long a claim counts without any change in the staging folder; far longer than Marvin's silence is borne.
    static let lifetime = Duration.seconds(60)
    /// How often the owner shows that it is still there, at least.
    private static let renewal = Duration.seconds(15)
    private static let poll = Duration.milliseconds(250)

    private let device: MarvinDevice
    private let owner: ClaimOwner
    private var renewedAt: Duration

    private var path: String { device.paths.staged(Self.folder) }
    /// Where the claim is made, and where an expired one is put before it is removed.
    private var own: String { path + "-" + owner.text }
    private static func ownerFile(_ folder: String) -> String { folder + "/owner" }

    /// A claim that has not been made yet.
    private init(_ device: MarvinDevice) throws(OverlayError) {
        self.device = device
        owner = try ClaimOwner(device.host.calls)
        renewedAt = device.now()
    }

    /// Claims Marvin, after waiting for another host's turn if need be.
    ///
    /// - Throws: `busy` when the other one takes longer than `timing.busyLimit`.
    static func take(_ device: MarvinDevice) throws(OverlayError) -> MarvinClaim {
        let claim = try MarvinClaim(device)
        do throws(OverlayError) {
            try claim.take()
        } catch {
            claim.discard(claim.own)
            throw error.ofCommands
        }
        return claim
    }

    /// Shows that the claim is still in use, and makes sure that it is still ours.
    ///
    /// - Throws: `busy` when it has expired and another host has it now.
    func renew() throws(OverlayError) {
        guard try readOwner(path) == owner else { throw .busyWithOthers(path) }
        guard device.now() - renewedAt >= Self.renewal else { return }
        do throws(OverlayError) {
            try device.host.transport.write(device.root, Self.ownerFile(path), Array(owner.text.utf8))
        } catch {
            throw error.ofCommands
        }
        renewedAt = device.now()
    }

    /// Shows that the claim is still in use when it is time to; asks nothing of the device before.
    ///
    /// - Throws: `busy` when it has expired and another host has it now.
    func keep() throws(OverlayError) {
        if device.now() - renewedAt >= Self.renewal { try renew() }
    }

    /// Gives Marvin back. What cannot be removed now expires by itself.
    ///
    /// Between a look at the owner and the removal another program may have broken the claim and made its own. So the claim
    /// gets a name of its own first.
    func release() {
        let grave = own + ".released"
        let transport = device.host.transport
        do throws(OverlayError) {
            guard try readOwner(path) == owner else { return }
            try transport.rename(device.root, path, to: grave)
            guard try readOwner(grave) == owner else {
                return try transport.rename(device.root, grave, to: path)
            }
        } catch {
            return device.host.log.notice("marvin", "A claim could not be given back: \(error.message)")
        }
        discard(grave)
    }

    /// Removes what programs that have ended left of claims they never got, or could not remove: what is certainly theirs,
    /// and what is older than a claim lasts.
    ///
    /// - Parameter names: the names in the staging folder.
    func clearAttempts(_ names: [String]) {
        var open: [String] = []
        for name in names where name.hasPrefix(Self.folder + "-") {
            let owner = ClaimOwner(name.dropFirst(Self.folder.count + 1).prefix { $0 != "." })
            let folder = device.paths.staged(name)
            if owner?.isGone(device.host.calls) ?? false { discard(folder) } else { open.append(folder) }
        }
        guard !open.isEmpty else { return }
        defer { discard(own) }
        do throws(OverlayError) {
            for folder in try outdated(open) { discard(folder) }
        } catch {
            device.host.log.notice("marvin", "Old claims could not be looked at: \(error.message)")
        }
    }

    /// The folders among `folders` whose owner, or in want of one the folder itself, is older than a claim lasts.
    private func outdated(_ folders: [String]) throws(OverlayError) -> [String] {
        try prepare()
        let paths = [own] + folders
        let found = try device.host.transport.stat(device.root, paths.map(Self.ownerFile) + paths)
        guard found.count == 2 * paths.count else { return [] }
        let times = found.map { result -> Int64? in
            guard case .success(let info) = result else { return nil }
            return info.modified
        }
        guard let now = times[0] else { return [] }
        return folders.indices.compactMap { index in
            guard let time = times[index + 1] ?? times[paths.count + index + 1],
                Self.isOver(time, at: now)
            else { return nil }
            return folders[index]
        }
    }

    /// Whether a time lies further back than a claim lasts, both in nanoseconds by the device's clock.
    private static func isOver(_ time: Int64, at now: Int64) -> Bool {
        guard now > time else { return false }
        let (age, isTooLong) = now.subtractingReportingOverflow(time)
        return isTooLong || Duration.nanoseconds(age) > lifetime
    }

    // MARK: - Taking

    private func take() throws(OverlayError) {
        let transport = device.host.transport
        let began = device.now()
        var failures = 0
        try prepare()
        while true {
            var failure: OverlayError?
            do throws(OverlayError) { try transport.rename(device.root, own, to: path) } catch {
                failure = error
            }
            let holder = try readOwner(path)
            if holder == owner { return }
            if let failure, [.cancelled, .timedOut, .deviceGone].contains(failure.status) { throw failure }
            if holder == nil {
                // It has just been given back, or the device does not rename folders, which it says again then.
                failures += 1
                if failures > 3 { throw failure ?? .busyWithOthers(path) }
            }
            var obstacle: OverlayError?
            if let holder, try hasExpired(holder) {
                obstacle = try breakClaim(of: holder)
                if obstacle == nil { continue }
            }
            let left = began + device.timing.busyLimit - device.now()
            guard left > .zero else { throw obstacle ?? .busyWithOthers(path) }
            device.host.progress.report(0, of: nil, phase: "Waiting for another program")
            try device.host.cancellation.wait(for: min(Self.poll, left))
        }
    }

    private func prepare() throws(OverlayError) {
        try device.host.transport.makeFolder(device.root, own)
        try device.host.transport.write(device.root, Self.ownerFile(own), Array(owner.text.utf8))
    }

    /// The owner of the claim in a folder; nil when there is none. One that cannot be understood is nobody's, with a
    /// token that never matches.
    private func readOwner(_ folder: String) throws(OverlayError) -> ClaimOwner? {
        let request = ReadRequest(Self.ownerFile(folder), length: ClaimOwner.longest)
        switch try device.host.transport.readMany(device.root, [request]).first {
        case .success(let bytes)?: return ClaimOwner(String(decoding: bytes, as: UTF8.self)) ?? .unknown
        case .failure(let error)? where error.status != .notFound: throw error
        default: return nil
        }
    }

    private func hasExpired(_ holder: ClaimOwner) throws(OverlayError) -> Bool {
        if holder.isGone(device.host.calls) { return true }
        // What this writes now has the device's time, by which everything else is judged.
        try prepare()
        let names = try device.names(in: device.paths.staging) ?? []
        let paths = names.filter { $0 != StagingFile.connection && !$0.hasPrefix(Self.folder) }
            .map(device.paths.staged)
        let files = try device.files([Self.ownerFile(own), Self.ownerFile(path)] + paths)
        guard let now = files[0]?.modified, files[1] != nil else { return false }
        // A time far in the future was written before the clock was set back, or is made up; it shows nobody to be at work.
        // One that is soon over may come of a small correction of the clock, and delays the end only by so much.
        return files.dropFirst().compactMap { $0?.modified }
            .allSatisfy { Self.isOver($0, at: now) || Self.isOver(now, at: $0) }
    }

    /// Takes an expired claim away. Of two hosts that try it, one succeeds; a claim that is no longer the expired one is
    /// put back.
    ///
    /// - Returns: why the claim is not gone; nil when it is.
    private func breakClaim(of holder: ClaimOwner) throws(OverlayError) -> OverlayError? {
        let grave = own + ".expired"
        let transport = device.host.transport
        do throws(OverlayError) {
            try transport.rename(device.root, path, to: grave)
        } catch {
            guard [.cancelled, .timedOut, .deviceGone].contains(error.status) else { return error }
            throw error
        }
        let found = try readOwner(grave)
        guard found == holder else {
            if found != nil { try transport.rename(device.root, grave, to: path) }
            return .busyWithOthers(path)
        }
        device.host.log.notice("marvin", "The claim of a program that has ended was removed.")
        discard(grave)
        return nil
    }

    private func discard(_ folder: String) {
        do throws(OverlayError) {
            try device.host.transport.remove(device.root, folder, recursive: true)
        } catch {
            guard error.status != .notFound else { return }
            device.host.log.notice(
                "marvin", "A claim could not be removed: \(error.message)", ["folder": folder])
        }
    }
}

extension OverlayError {
    /// Another program uses Marvin.
    static func busyWithOthers(_ subject: String) -> OverlayError {
        OverlayError(
            .busy, "Another program is using Marvin.", subject: subject,
            hint: "Wait until it has finished, and run the same command again.", retryable: true)
    }
}
