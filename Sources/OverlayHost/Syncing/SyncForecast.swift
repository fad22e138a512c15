import DeviceTransport
import Libraries
import Platform

/// What a sync would refuse or fail to do, noted in the rows of a plan that is only shown.
///
/// The device and the overlay make the final decisions. A forecast finds the reasons that the host knows before:
/// removals that are too many, what the app cannot do, annotations that would be lost, and a device without enough
/// space.
struct SyncForecast {
    private let session: HostSession
    private let request: SyncRequest
    private let settings: AppAbilities

    init(_ session: HostSession, _ request: SyncRequest) throws(HostError) {
        (self.session, self.request) = (session, request)
        settings = try session.settings()
    }

    /// The rows of a plan, with `fails` and the reason set where the sync would fail.
    ///
    /// - Parameter refusal: why books are not removed; nil if they are.
    func rows(of steps: [SyncStep], _ refusal: HostError?) throws(HostError) -> [SyncPlanRow] {
        var plan = steps.map(\.row)
        if let refusal {
            let reason = [refusal.message, refusal.hint].compactMap { $0 }.joined(separator: " ")
            for index in plan.indices where plan[index].action == .remove { fail(&plan[index], reason) }
        }
        for index in plan.indices where !plan[index].fails {
            guard let missing = ability(for: plan[index].action).flatMap({ settings.missing($0) }) else {
                continue
            }
            fail(&plan[index], [missing.reason, missing.hint].compactMap { $0 }.joined(separator: " "))
        }
        try noteLosses(&plan, steps)
        try noteSpace(&plan)
        return plan
    }

    private func fail(_ row: inout SyncPlanRow, _ reason: String) {
        (row.fails, row.reason) = (true, reason)
    }

    /// The ability that an action needs, in the words of ``AppAbilities``.
    private func ability(for action: SyncAction) -> String? {
        switch action {
        case .add, .replace: "upload"
        case .remove: "delete"
        case .update, .keep, .conflict, .unsupported, .onlyOnDevice: nil
        }
    }

    /// Notes the annotations that replacing and removing books would lose.
    private func noteLosses(_ plan: inout [SyncPlanRow], _ steps: [SyncStep]) throws(HostError) {
        let losing = plan.indices.filter {
            [.replace, .remove].contains(plan[$0].action) && !plan[$0].fails && plan[$0].path != nil
        }
        guard !losing.isEmpty, !request.mayLoseMarks else { return }
        let losses = try AnnotationLosses(of: session)
        for index in losing {
            let isRemoved = plan[index].action == .remove
            // A copy that was there before has the content that it was listed with.
            let before = steps[index].before
            let sent = before?.isOwned == true ? before?.contentID : before?.copy?.contentID
            if let path = plan[index].path,
                let loss = losses.sentence(for: path, sent: sent, isRemoved: isRemoved)
            {
                fail(&plan[index], "\(loss) Use --yes to \(isRemoved ? "remove" : "replace") it anyway.")
            }
        }
    }

    /// Notes the books for which the device has no room, in the order in which they are sent.
    private func noteSpace(_ plan: inout [SyncPlanRow]) throws(HostError) {
        let sent = [.add, .replace].flatMap { action in
            plan.indices.filter { plan[$0].action == action && !plan[$0].fails }
        }
        guard !sent.isEmpty else { return }
        var room = try RoomForBooks(session)
        for index in sent {
            if let error = room.take(plan[index].bytes) { fail(&plan[index], error.message) }
        }
    }
}

/// The space for books on a device.
struct RoomForBooks {
    private var left: UInt64

    /// Asks the device.
    init(_ session: HostSession) throws(HostError) {
        do throws(HostError) {
            left = try session.link.roots.space(
                OperationContext(cancellation: session.request.cancellation)
            ).free
        } catch {
            throw session.settled(error)
        }
    }

    /// Takes the space for a book that is to be sent.
    ///
    /// - Returns: an error if there is not enough. Smaller books may still fit.
    mutating func take(_ bytes: UInt64) -> HostError? {
        guard bytes > left else {
            left -= bytes
            return nil
        }
        return HostError(
            .noSpace, "The device does not have enough free space for the book.",
            hint: "Free some space on the device.")
    }
}

/// What removing or replacing books would lose: annotations, and what an app has written into a file.
struct AnnotationLosses {
    private let app: String
    private let books: BookList
    private let unread: HostError?

    /// Lists the books of the session with their annotations.
    init(of session: HostSession) throws(HostError) {
        app = session.app.name
        (books, unread) = try session.booksWithReadableAnnotations()
    }

    /// A number of annotations in words.
    static func words(_ count: Int) -> String {
        count == 1 ? "a highlight, note or bookmark" : "\(count) highlights, notes or bookmarks"
    }

    /// A sentence about what the book at a path would lose, which may be unknown; nil if nothing is.
    ///
    /// - Parameter sent: the identifier of the content that was sent; nil if unknown.
    func sentence(for path: String, sent: String?, isRemoved: Bool) -> String? {
        let verb = isRemoved ? "Removing" : "Replacing"
        if let unread {
            return "\(verb) the book may lose highlights, notes or bookmarks. \(unread.message)"
        }
        guard let book = books.position(ofPath: path).map({ books[$0] }) else { return nil }
        let count = book.annotations.count
        if count > 0 {
            return "\(verb) the book would lose \(Self.words(count))."
        }
        // Removing a book on request is expected to lose the place where the user is reading.
        if !isRemoved, let progress = book.progress, progress > 0 {
            return "\(verb) the book would lose the reading position."
        }
        guard let sent, let content = book.contentID, content != sent else { return nil }
        return "\(verb) the book would lose what \(app) has added to the file since it was sent."
    }
}
