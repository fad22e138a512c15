import OverlayKit

/// The claim of one program on an app's files on a device. Programs that use claims take turns.
///
/// AFC cannot create a file exclusively, but it renames atomically, and a folder never replaces a folder that is not
/// empty. So the claim is a folder that contains the owner's file: it is created with a unique name and then renamed
/// to the common name. Apps and programs that do not use claims look for other names and are not affected.
///
/// A claim expires when its owner has certainly ended, or when neither the claim nor the files that its owner works
/// on have changed for a minute by the device's own clock. Use on the device thread.
///
/// ```swift
/// let place = ClaimPlace(
///     host: host, root: .documents, folder: "/Documents", name: "Nova", patience: .seconds(30), now: clock
/// ) { [] }
/// let claim = try FolderClaim.take(place)
/// defer { claim.release() }
/// for book in books {
///     try claim.keep()
///     try send(book)
/// }
/// ```
public final class FolderClaim {
    /// The name of the claim's folder.
    public static let name = ".overlayhost-claim"
    /// The time for which a claim stays valid without any change.
    private static let lifetime = Duration.seconds(60)
    /// The longest time that the owner lets pass before it renews the claim.
    private static let renewal = Duration.seconds(15)
    /// The pause between two checks of another program's claim: it begins at `first` and doubles up to `last`.
    private static let polls = (first: Duration.milliseconds(250), last: Duration.seconds(1))

    private let place: ClaimPlace
    private let owner: ClaimOwner
    private var renewedAt: Duration
    /// Whether the last check of the owner has found this program.
    private var isConfirmed = false
    /// Whether the previous claim expired because its owner ended without releasing it, so that its command may have
    /// left files behind.
    private var followsInterruption = false
    /// Whether the claim may have the common name: true from the rename until a check finds another owner there.
    private var mayBeTaken = false

    private var host: HostServices { place.host }
    private var root: Root { place.root }
    private var path: String { place.claim }
    /// The temporary path of the claim; an expired claim gets this name with a suffix before it is removed.
    private var own: String { path + "-" + owner.text }
    private static func ownerFile(_ folder: String) -> String { folder + "/owner" }

    /// Creates a claim that does not exist on the device yet.
    private init(_ place: ClaimPlace) throws(OverlayError) {
        self.place = place
        owner = try ClaimOwner(place.host.calls)
        renewedAt = place.now()
    }

    /// Claims a place, and waits for another program first if necessary.
    ///
    /// - Throws: `busy` when another program holds the claim for longer than `place.patience`.
    public static func take(_ place: ClaimPlace) throws(OverlayError) -> FolderClaim {
        let claim = try FolderClaim(place)
        do throws(OverlayError) {
            try claim.take()
        } catch {
            // If the device is gone, the next program removes the claim.
            guard error.status != .deviceGone else { throw error }
            // A cancellation may have come after the rename but before the check that shows whether it worked.
            if claim.mayBeTaken { claim.release() }
            claim.discard(claim.own)
            throw place.plain(error)
        }
        return claim
    }

    /// Renews the claim if that is due, and checks that this program still owns it.
    ///
    /// - Throws: `busy` when the claim has expired and another host has taken it.
    public func renew() throws(OverlayError) {
        isConfirmed = try readOwner(path, expecting: owner) == owner
        guard isConfirmed else { throw place.busy }
        guard isRenewalDue else { return }
        do throws(OverlayError) {
            try host.transport.write(root, Self.ownerFile(path), Array(owner.text.utf8))
        } catch {
            throw place.plain(error)
        }
        renewedAt = place.now()
    }

    /// Renews the claim if that is due. Until then it sends nothing to the device.
    ///
    /// - Throws: `busy` when the claim has expired and another host has taken it.
    public func keep() throws(OverlayError) {
        if isRenewalDue { try renew() }
    }

    /// Whether so much time has passed that the claim could expire before the next check.
    private var isRenewalDue: Bool { place.now() - renewedAt >= Self.renewal }

    /// Releases the place. After an error it tries once more; if the claim cannot be removed then either, it warns the
    /// user, and the claim expires later.
    ///
    /// The owner is checked first, unless that was done and no renewal is due since. Even then, another program may
    /// break the claim and create its own before the removal, so the claim is first renamed to a unique name, and its
    /// owner is checked there.
    public func release() {
        do throws(OverlayError) {
            var obstacle: OverlayError?
            for attempt in 0..<2 {
                if attempt > 0 || !isConfirmed || isRenewalDue {
                    let holder = try insistently { () throws(OverlayError) in
                        try readOwner(path, expecting: owner)
                    }
                    guard holder == owner else { return }
                }
                obstacle = try remove(claimOf: owner, by: own + ".released")
                if obstacle == nil { return }
            }
            if let obstacle { throw obstacle }
        } catch {
            report(
                error,
                "Cannot remove this command's claim from the device (\(path)): \(error.message) Until it expires, "
                    + "other commands for \(place.name) have to wait.")
        }
    }

    /// Tells the user what remains on the device. After an error that ends the call, only the log says so, because the
    /// user sees that error.
    private func report(_ error: OverlayError, _ message: String) {
        if error.endsTheCall {
            host.log.notice("claims", message)
        } else {
            host.log.warning("claims", message)
        }
    }

    /// The ages of files by the device's clock; nil for other entries than regular files, and if the clock is
    /// unknown.
    public func ages(of paths: [String]) throws(OverlayError) -> [Duration?] {
        let times = try times([Self.ownerFile(path)] + paths)
        guard let renewed = times[0] else { return paths.map { _ in nil } }
        let since = place.now() - renewedAt
        return times.dropFirst().map { time in
            time.flatMap { time in
                let (age, isTooLong) = renewed.subtractingReportingOverflow(time)
                return isTooLong ? nil : .nanoseconds(age) + since
            }
        }
    }

    /// Removes files of ended programs in the folder of the claim: partial files, and claims that they never got or
    /// could not remove. Such a claim is removed if its owner has ended or it is older than the lifetime of a claim.
    /// After an interruption, partial files elsewhere are removed too.
    ///
    /// - Parameters:
    ///   - names: the names in the folder.
    ///   - elsewhere: finds the partial files in the folders below; called only after an interruption.
    public func clearLeftovers(
        _ names: [String],
        elsewhere: () throws(OverlayError) -> [String] = { () throws(OverlayError) in [] }
    ) throws(OverlayError) {
        clearAttempts(names)
        var paths = names.filter { PartialFile.hasName($0) }.map { place.folder + "/" + $0 }
        if followsInterruption {
            let own = Set(paths)
            paths += try elsewhere().filter { !own.contains($0) }
        }
        try removePartialFiles(paths)
    }

    /// Removes partial files of commands that have ended, and logs how many there were.
    ///
    /// - Parameter paths: files with names that ``PartialFile`` recognises.
    /// - Throws: errors that end the call, such as `cancelled`. After any other error the file stays.
    public func removePartialFiles(_ paths: [String]) throws(OverlayError) {
        var count = 0
        for path in paths {
            do throws(OverlayError) {
                try host.transport.remove(root, path)
                count += 1
            } catch {
                if error.endsTheCall { throw error }
                guard error.status != .notFound else { continue }
                host.log.notice(
                    "claims", "Cannot remove a partial file: \(error.message)", ["file": path])
            }
        }
        guard count > 0 else { return }
        host.log.warning(
            "claims",
            count == 1
                ? "Removed the partial file left by an interrupted command."
                : "Removed \(count) partial files left by an interrupted command.")
    }

    private func clearAttempts(_ names: [String]) {
        var open: [String] = []
        for name in names where name.hasPrefix(Self.name + "-") {
            let owner = ClaimOwner(name.dropFirst(Self.name.count + 1).prefix { $0 != "." })
            let folder = place.folder + "/" + name
            if owner?.isGone(host.calls) ?? false { discard(folder) } else { open.append(folder) }
        }
        guard !open.isEmpty else { return }
        defer { discard(own, warns: true) }
        do throws(OverlayError) {
            for folder in try outdated(open) { discard(folder) }
        } catch {
            host.log.notice("claims", "Cannot check old claims: \(error.message)")
        }
    }

    /// The folders among `folders` that show no activity within the lifetime of a claim.
    private func outdated(_ folders: [String]) throws(OverlayError) -> [String] {
        try prepare()
        let shown = try shownTimes(folders)
        guard let now = shown.now else { return [] }
        return zip(folders, shown.times).compactMap { folder, time in
            time.map { Self.isPast($0, at: now) } ?? false ? folder : nil
        }
    }

    /// The times when the owners of claims last renewed them, in nanoseconds by the device's clock: the time of the
    /// owner's file, or of the folder if it has no such file. `now` is the time of this claim's own file, which was
    /// just written.
    private func shownTimes(_ folders: [String]) throws(OverlayError) -> (now: Int64?, times: [Int64?]) {
        let paths = [own] + folders
        let found = try host.transport.stat(root, paths.map(Self.ownerFile) + paths)
        guard found.count == 2 * paths.count else { return (nil, folders.map { _ in nil }) }
        let times = try paths.indices.map { index throws(OverlayError) -> Int64? in
            let owner = try Self.info(found[index])
            let folder = try Self.info(found[paths.count + index])
            return owner?.kind == .regular ? owner?.modified : folder?.modified
        }
        return (times[0], Array(times.dropFirst()))
    }

    /// The answer about a path; nil if it does not exist.
    private static func info(_ answer: Result<FileInfo, OverlayError>?) throws(OverlayError) -> FileInfo? {
        switch answer {
        case .success(let info)?: return info
        case .failure(let error)? where error.status != .notFound: throw error
        default: return nil
        }
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
            mayBeTaken = true
            do throws(OverlayError) { try transport.rename(root, own, to: path) } catch {
                failure = error
            }
            let holder = try readOwner(path, expecting: failure == nil ? owner : nil)
            mayBeTaken = holder == owner
            isConfirmed = mayBeTaken
            if let failure, failure.endsTheCall { throw failure }
            if holder == owner { return }
            var obstacle: OverlayError?
            let isHeld = if holder != nil { true } else { try isThere(path) }
            if isHeld {
                if try hasExpired(holder) {
                    obstacle = try breakClaim(of: holder)
                    try host.cancellation.check()
                    if obstacle == nil { continue }
                }
            } else {
                // Either the claim was just released, or the device cannot rename folders; then the next attempts
                // fail too.
                failures += 1
                if failures > 3 { throw failure ?? place.busy }
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

    /// The owner of the claim in a folder; nil if the folder has no owner's file or does not exist. A file that
    /// cannot be understood gives `ClaimOwner.unknown`.
    ///
    /// - Parameter expected: the probable owner. Its text is recognised without the request that finds the end of the
    ///   file, because each name begins with a random number.
    private func readOwner(
        _ folder: String, expecting expected: ClaimOwner? = nil
    ) throws(OverlayError) -> ClaimOwner? {
        let request = ReadRequest(
            Self.ownerFile(folder), length: ClaimOwner.longest, once: expected != nil)
        switch try host.transport.readMany(root, [request]).first {
        case .success(let bytes)?:
            let found = ClaimOwner(String(decoding: bytes, as: UTF8.self)) ?? .unknown
            guard let expected, found != expected else { return found }
            return try readOwner(folder)
        case .failure(let error)? where error.status != .notFound:
            // An entry that is not a regular file, such as a folder with that name, does not name an owner.
            let info = try Self.info(host.transport.stat(root, [request.path]).first)
            guard let info, info.kind != .regular else { throw error }
            return nil
        default: return nil
        }
    }

    private func isThere(_ path: String) throws(OverlayError) -> Bool {
        try Self.info(host.transport.stat(root, [path]).first) != nil
    }

    /// - Parameter holder: nil for a claim without an owner's file, which expires by age only.
    private func hasExpired(_ holder: ClaimOwner?) throws(OverlayError) -> Bool {
        if holder?.isGone(host.calls) ?? false { return true }
        // This writes a file, whose time is the device's current time. All other times are compared with it.
        try prepare()
        let shown = try shownTimes([path])
        guard let now = shown.now, let time = shown.times[0], Self.isPast(time, at: now) else { return false }
        // The owner's files are checked last, because that takes many requests.
        return try times(place.activity()).compactMap { $0 }.allSatisfy { Self.isPast($0, at: now) }
    }

    /// Whether a time is too far from now to show that a program is at work.
    ///
    /// A time far in the future was written before the clock was set back, or is made up. A time in the near future
    /// may come from a small correction of the clock, and delays expiry only by that much.
    private static func isPast(_ time: Int64, at now: Int64) -> Bool {
        func isOver(_ time: Int64, at now: Int64) -> Bool {
            guard now > time else { return false }
            let (age, isTooLong) = now.subtractingReportingOverflow(time)
            return isTooLong || Duration.nanoseconds(age) > lifetime
        }
        return isOver(time, at: now) || isOver(now, at: time)
    }

    /// The modification times of regular files, in nanoseconds by the device's clock; nil if there is no such file.
    /// Asks in batches, so that a cancellation takes effect in between.
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

    /// Removes an expired claim. If two hosts try this, one succeeds.
    ///
    /// - Returns: the reason if the claim is still there; otherwise nil.
    private func breakClaim(of holder: ClaimOwner?) throws(OverlayError) -> OverlayError? {
        if let obstacle = try remove(claimOf: holder, by: own + ".expired") { return obstacle }
        host.log.warning(
            "claims", "A program was interrupted while it changed the app's files. Its claim was removed.")
        followsInterruption = true
        return nil
    }

    /// Renames a claim to a unique name, and removes it if it belongs to `holder`. A claim of another owner is moved
    /// back.
    ///
    /// If the answer to a rename is lost or cut off by a cancel, it does not show whether the rename worked; the new
    /// name does.
    ///
    /// - Returns: the reason if the claim is still there; otherwise nil.
    private func remove(
        claimOf holder: ClaimOwner?, by retiredPath: String
    ) throws(OverlayError) -> OverlayError? {
        let transport = host.transport
        var failure: OverlayError?
        do throws(OverlayError) {
            try despiteCancel { () throws(OverlayError) in try transport.rename(root, path, to: retiredPath) }
        } catch {
            failure = error
        }
        let found: ClaimOwner?
        do throws(OverlayError) {
            found = try insistently { () throws(OverlayError) in
                try readOwner(retiredPath, expecting: holder)
            }
        } catch {
            // It may belong to another program.
            if failure == nil { try putBack(retiredPath) }
            throw error
        }
        let isMoved =
            if found != nil { true } else {
                try insistently { () throws(OverlayError) in try isThere(retiredPath) }
            }
        guard isMoved else {
            if let failure, failure.endsTheCall { throw failure }
            return failure ?? place.busy
        }
        guard found == holder else {
            try putBack(retiredPath)
            return place.busy
        }
        discard(retiredPath, warns: true)
        return nil
    }

    private func putBack(_ retiredPath: String) throws(OverlayError) {
        do throws(OverlayError) {
            try despiteCancel { () throws(OverlayError) in
                try host.transport.rename(root, retiredPath, to: path)
            }
        } catch {
            guard try despiteCancel({ () throws(OverlayError) in try isThere(retiredPath) }) else { return }
            throw error
        }
    }

    /// Removes a folder of a claim. With `warns`, warns the user if that fails.
    private func discard(_ folder: String, warns: Bool = false) {
        do throws(OverlayError) {
            try insistently { () throws(OverlayError) in
                try host.transport.remove(root, folder, recursive: true)
            }
        } catch {
            guard error.status != .notFound else { return }
            guard warns else {
                return host.log.notice(
                    "claims", "Cannot remove a claim: \(error.message)", ["folder": folder])
            }
            report(
                error,
                "Cannot remove the folder of a claim from the device (\(folder)): \(error.message) A later "
                    + "command that changes \(place.name) removes it.")
        }
    }

    /// Runs an operation that may be repeated on the device, and repeats it once after an error that does not end the
    /// call.
    private func insistently<Value>(
        _ body: () throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        do throws(OverlayError) { return try despiteCancel(body) } catch {
            guard !error.endsTheCall, error.status != .notFound else { throw error }
            return try body()
        }
    }

    /// Runs an operation on the device, and repeats it once if a cancellation or the deadline interrupted it: after
    /// the method has noticed the cancellation, it gets a grace period in which it may use the device.
    private func despiteCancel<Value>(
        _ body: () throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        do throws(OverlayError) { return try body() } catch {
            guard [.cancelled, .timedOut].contains(error.status), host.cancellation.isCancelled else {
                throw error
            }
            return try body()
        }
    }
}
