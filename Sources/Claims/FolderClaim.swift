import OverlayKit

/// The claim of one program on what an app keeps on a device, so that programs that know of claims take turns.
///
/// AFC has no exclusive creation of files. What it does atomically is a rename, and a folder never replaces one that is not
/// empty: so the claim is a folder with its owner inside, made under a name of its own and renamed to the common one. Apps
/// and programs that know nothing of claims look for other names and are not disturbed.
///
/// A claim expires when it is certain that its owner is gone, or when neither it nor what its owner works on has changed for
/// a minute by the device's own clock. For the device thread.
package final class FolderClaim {
    /// The name of the folder.
    package static let name = ".overlayhost-claim"
    /// How long a claim counts without any change.
    private static let lifetime = Duration.seconds(60)
    /// How often the owner shows that it is still there, at least.
    private static let renewal = Duration.seconds(15)
    /// How long is waited before the next look at another program's claim, at first and at last.
    private static let polls = (first: Duration.milliseconds(250), last: Duration.seconds(1))

    private let place: ClaimPlace
    private let owner: ClaimOwner
    private var renewedAt: Duration

    private var host: HostServices { place.host }
    private var root: Root { place.root }
    private var path: String { place.claim }
    /// Where the claim is made, and where an expired one is put before it is removed.
    private var own: String { path + "-" + owner.text }
    private static func ownerFile(_ folder: String) -> String { folder + "/owner" }

    /// A claim that has not been made yet.
    private init(_ place: ClaimPlace) throws(OverlayError) {
        self.place = place
        owner = try ClaimOwner(place.host.calls)
        renewedAt = place.now()
    }

    /// Claims a place, after waiting for another program's turn if need be.
    ///
    /// - Throws: `busy` when the other one takes longer than `place.patience`.
    package static func take(_ place: ClaimPlace) throws(OverlayError) -> FolderClaim {
        let claim = try FolderClaim(place)
        do throws(OverlayError) {
            try claim.take()
        } catch {
            claim.discard(claim.own)
            throw place.plain(error)
        }
        return claim
    }

    /// Shows that the claim is still in use, and makes sure that it is still ours.
    ///
    /// - Throws: `busy` when it has expired and another host has it now.
    package func renew() throws(OverlayError) {
        guard try readOwner(path) == owner else { throw place.busy }
        guard place.now() - renewedAt >= Self.renewal else { return }
        do throws(OverlayError) {
            try host.transport.write(root, Self.ownerFile(path), Array(owner.text.utf8))
        } catch {
            throw place.plain(error)
        }
        renewedAt = place.now()
    }

    /// Shows that the claim is still in use when it is time to; asks nothing of the device before.
    ///
    /// - Throws: `busy` when it has expired and another host has it now.
    package func keep() throws(OverlayError) {
        if place.now() - renewedAt >= Self.renewal { try renew() }
    }

    /// Gives the place back. What cannot be removed now expires by itself.
    ///
    /// Between a look at the owner and the removal another program may have broken the claim and made its own. So the claim
    /// gets a name of its own first.
    package func release() {
        let grave = own + ".released"
        let transport = host.transport
        do throws(OverlayError) {
            guard try readOwner(path) == owner else { return }
            do throws(OverlayError) { try transport.rename(root, path, to: grave) } catch {
                // An answer that was lost says nothing once the next program has made its claim; the new name tells.
                guard try readOwner(grave) == owner else { throw error }
            }
            guard try readOwner(grave) == owner else {
                return try transport.rename(root, grave, to: path)
            }
        } catch {
            return host.log.notice("claims", "A claim could not be given back: \(error.message)")
        }
        discard(grave)
    }

    /// Removes what programs that have ended left of claims they never got, or could not remove: what is certainly theirs,
    /// and what is older than a claim lasts.
    ///
    /// - Parameter names: the names in the folder of the claim.
    package func clearAttempts(_ names: [String]) {
        var open: [String] = []
        for name in names where name.hasPrefix(Self.name + "-") {
            let owner = ClaimOwner(name.dropFirst(Self.name.count + 1).prefix { $0 != "." })
            let folder = place.folder + "/" + name
            if owner?.isGone(host.calls) ?? false { discard(folder) } else { open.append(folder) }
        }
        guard !open.isEmpty else { return }
        defer { discard(own) }
        do throws(OverlayError) {
            for folder in try outdated(open) { discard(folder) }
        } catch {
            host.log.notice("claims", "Old claims could not be looked at: \(error.message)")
        }
    }

    /// The folders among `folders` whose owner, or in want of one the folder itself, is older than a claim lasts.
    private func outdated(_ folders: [String]) throws(OverlayError) -> [String] {
        try prepare()
        let paths = [own] + folders
        let found = try host.transport.stat(root, paths.map(Self.ownerFile) + paths)
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
        let transport = host.transport
        let began = place.now()
        var failures = 0
        var pause = Self.polls.first
        try prepare()
        while true {
            var failure: OverlayError?
            do throws(OverlayError) { try transport.rename(root, own, to: path) } catch {
                failure = error
            }
            let holder = try readOwner(path)
            if holder == owner { return }
            if let failure, [.cancelled, .timedOut, .deviceGone].contains(failure.status) { throw failure }
            if holder == nil {
                // It has just been given back, or the device does not rename folders, which it says again then.
                failures += 1
                if failures > 3 { throw failure ?? place.busy }
            }
            var obstacle: OverlayError?
            if let holder, try hasExpired(holder) {
                obstacle = try breakClaim(of: holder)
                if obstacle == nil { continue }
            }
            let left = began + place.patience - place.now()
            guard left > .zero else { throw obstacle ?? place.busy }
            host.progress.report(0, of: nil, phase: "Waiting for another program")
            try host.cancellation.wait(for: min(pause, left))
            pause = min(pause + pause, Self.polls.last)
        }
    }

    private func prepare() throws(OverlayError) {
        try host.transport.makeFolder(root, own)
        try host.transport.write(root, Self.ownerFile(own), Array(owner.text.utf8))
    }

    /// The owner of the claim in a folder; nil when there is none. One that cannot be understood is nobody's, with a
    /// token that never matches.
    private func readOwner(_ folder: String) throws(OverlayError) -> ClaimOwner? {
        let request = ReadRequest(Self.ownerFile(folder), length: ClaimOwner.longest)
        switch try host.transport.readMany(root, [request]).first {
        case .success(let bytes)?: return ClaimOwner(String(decoding: bytes, as: UTF8.self)) ?? .unknown
        case .failure(let error)? where error.status != .notFound: throw error
        default: return nil
        }
    }

    private func hasExpired(_ holder: ClaimOwner) throws(OverlayError) -> Bool {
        if holder.isGone(host.calls) { return true }
        // What this writes now has the device's time, by which everything else is judged.
        try prepare()
        let owners = try times([Self.ownerFile(own), Self.ownerFile(path)])
        guard let now = owners[0], let shown = owners[1], Self.isPast(shown, at: now) else { return false }
        // Only now does it matter what the owner may be at work on, which takes many looks.
        return try times(place.activity()).compactMap { $0 }.allSatisfy { Self.isPast($0, at: now) }
    }

    /// Whether a time shows nobody to be at work.
    ///
    /// One far in the future was written before the clock was set back, or is made up. One that is soon over may come of a
    /// small correction of the clock, and delays the end only by so much.
    private static func isPast(_ time: Int64, at now: Int64) -> Bool {
        isOver(time, at: now) || isOver(now, at: time)
    }

    /// When regular files changed, in nanoseconds by the device's clock; nil: there is none of that name. In batches, so
    /// that a cancel is seen.
    private func times(_ paths: [String]) throws(OverlayError) -> [Int64?] {
        var times: [Int64?] = []
        for start in stride(from: 0, to: paths.count, by: 1000) {
            for result in try host.transport.stat(root, Array(paths[start...].prefix(1000))) {
                switch result {
                case .success(let info): times.append(info.kind == .regular ? info.modified : nil)
                case .failure(let error):
                    guard error.status == .notFound else { throw error }
                    times.append(nil)
                }
            }
        }
        return times
    }

    /// Takes an expired claim away. Of two hosts that try it, one succeeds; a claim that is no longer the expired one is
    /// put back.
    ///
    /// - Returns: why the claim is not gone; nil when it is.
    private func breakClaim(of holder: ClaimOwner) throws(OverlayError) -> OverlayError? {
        let grave = own + ".expired"
        let transport = host.transport
        do throws(OverlayError) {
            try transport.rename(root, path, to: grave)
        } catch {
            guard ![.cancelled, .timedOut, .deviceGone].contains(error.status) else { throw error }
            // An answer that was lost says nothing about the claim; its new name does.
            guard try readOwner(grave) == holder else { return error }
        }
        let found = try readOwner(grave)
        guard found == holder else {
            if found != nil { try transport.rename(root, grave, to: path) }
            return place.busy
        }
        host.log.notice("claims", "The claim of a program that has ended was removed.")
        discard(grave)
        return nil
    }

    private func discard(_ folder: String) {
        do throws(OverlayError) {
            try host.transport.remove(root, folder, recursive: true)
        } catch {
            guard error.status != .notFound else { return }
            host.log.notice(
                "claims", "A claim could not be removed: \(error.message)", ["folder": folder])
        }
    }
}
