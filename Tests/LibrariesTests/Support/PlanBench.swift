import BookModel
import Foundation
import Platform

@testable import Libraries

/// A source, a device and the state between them, without files, for making plans and carrying them out.
struct PlanBench {
    /// A count that all copies of a bench share. A bench is used on one thread.
    final class Counter {
        var count = 0
    }

    /// A book of the source.
    struct Volume {
        var content: String
        var book: Book
        var stamp: String
        var cover: String?
    }

    var source: [String: Volume] = [:]
    var device: [Book] = []
    var state = SyncState(SyncState.Ends(device: "D", app: "A", source: "/s"))
    var others: Set<ExactText> = []
    var hidden: Set<String> = []
    var links: Set<String> = []
    var policy = SyncPolicy(
        app: "Nova", settable: ["title", "authors", "series", "series_index", "tags"], setsCovers: true)
    /// Whether the device's list has digests, by which unchanged copies are recognized.
    var hasDigests = true
    /// Whether the source is a calibre library, which knows the metadata of all books.
    var isLibrary = false
    /// Counts the books that the device's list unpacks.
    let unpacked = Counter()
    private var clock = 0
    /// The paths of the books that were added, by their items.
    private var added: [String: String] = [:]

    init(deletes: Bool = false) { policy.deletes = deletes }

    /// Two books that are on both sides after a sync.
    static func agreed(deletes: Bool = false) -> PlanBench {
        var bench = PlanBench(deletes: deletes)
        bench.put("Emma")
        bench.put("Persuasion")
        bench.carryOut()
        return bench
    }

    mutating func put(
        _ name: String, _ content: String? = nil, title: String? = nil, author: String? = "Jane Austen",
        tags: [String]? = nil, uuid: String? = nil
    ) {
        clock += 1
        let book = Book(uuid: uuid, title: title ?? name, authors: author.map { [$0] }, tags: tags)
        source[name] = Volume(content: content ?? "content of \(name)", book: book, stamp: "\(clock)")
    }

    mutating func onDevice(_ path: String, _ content: String, _ book: Book) {
        var book = book
        (book.path, book.contentID, book.size) = (path, content, UInt64(content.utf8.count))
        device.append(book)
    }

    /// A digest of all values of a copy, within this run.
    private static func digest(_ book: Book) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(book)
        // Unlike a list, a hash does not distinguish the Unicode forms of a path.
        hasher.combine(book.path.map { ExactText($0) })
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private var shelf: DeviceShelf {
        guard hasDigests else { return DeviceShelf(device) }
        return DeviceShelf(
            count: device.count,
            position: { path in
                device.lastIndex { $0.path.map { ExactText($0) } == ExactText(path) }
            }, digest: { Self.digest(device[$0]) },
            book: { place in
                unpacked.count += 1
                return device[place]
            })
    }

    func plan() -> [SyncStep] {
        var state = state
        return plan(&state)
    }

    private func plan(_ state: inout SyncState) -> [SyncStep] {
        let names = source.keys.sorted { ExactText($0) < ExactText($1) }.filter { !hidden.contains($0) }
        let entries = names.compactMap { name -> SourceEntry? in
            guard let volume = source[name] else { return nil }
            var entry = SourceEntry(
                key: name, item: name, in: "/s", size: UInt64(volume.content.utf8.count),
                stamp: volume.stamp)
            entry.cover = volume.cover.map { LibraryCover(file: "/s/cover", stamp: $0) }
            return entry
        }
        let present = Set(source.keys.map { ExactText($0) })
        var agreed = AgreedBooks(
            state, present: present, stamps: { entries.map { ($0.key, $0.stamp) } },
            keysAreNames: policy.keysAreNames)
        let books = entries.compactMap { entry -> SourceBook? in
            // Like a run: a book with an unchanged stamp is not read.
            if let record = agreed.record(ofUnchanged: entry), !record.isPending {
                let known = isLibrary ? source[entry.key]?.book : nil
                return SourceBook(entry, contentID: record.contentID, book: known)
            }
            return source[entry.key].map { SourceBook(entry, contentID: $0.content, book: $0.book) }
        }
        return SyncPlanner.plan(
            policy, state: &state, others: others, books: books,
            present: present, links: Set(links.map { ExactText($0) }),
            shelf: shelf
        ).steps
    }

    /// The actions of the plan, such as `add Emma`.
    func words() -> [String] {
        plan().map { "\($0.row.action.rawValue) \($0.row.item ?? $0.row.path ?? "")" }
    }

    /// Carries the plan out, as an app that keeps what it is given would.
    ///
    /// - Parameter limit: how many changes are done before the run is cut off; each was noted before.
    mutating func carryOut(limit: Int = .max) {
        var known = state
        var steps = plan(&known)
        state = known
        _ = state.settleKept(&steps)
        var done = 0
        for step in steps {
            guard step.source != nil, let source = step.row.item.flatMap({ self.source[$0] }) else {
                if step.row.action == .remove {
                    guard done < limit else { return }
                    done += 1
                    device.removeAll { $0.path == step.row.path }
                }
                forget(step)
                continue
            }
            switch step.row.action {
            case .add, .replace, .update:
                guard done < limit else { return }
                note(step, source)
                // Interrupted after the device has the book and before that was recorded.
                done += 1
                apply(step, source)
                guard done < limit else { return }
                agree(step)
            case .keep: agree(step, twin: step.twin.flatMap { steps[$0].row.item })
            case .conflict, .remove, .onlyOnDevice, .unsupported: break
            }
        }
        state.forget(otherThan: steps, present: Set(source.keys.map { ExactText($0) }))
    }

    /// A path that no book on the device has.
    private func freePath(_ item: String) -> String {
        var path = "books/\(item)"
        while device.contains(where: { $0.path == path }) { path += "'" }
        return path
    }

    private mutating func note(_ step: SyncStep, _ volume: Volume) {
        guard let item = step.row.item else { return }
        var record = step.before ?? step.after
        record?.isPending = true
        if step.row.action == .add {
            record = step.after
            record?.isPending = true
            record?.identity = volume.book
        }
        state[item] = record
    }

    private mutating func apply(_ step: SyncStep, _ volume: Volume) {
        let place = device.firstIndex { $0.path == step.row.path }
        switch step.row.action {
        case .add:
            let path = freePath(step.row.item ?? "")
            added[step.row.item ?? ""] = path
            onDevice(path, volume.content, volume.book)
        case .replace:
            if let place { device.remove(at: place) }
            onDevice(step.row.path ?? "", volume.content, volume.book)
        case .update:
            if let place, let changes = step.changes {
                let (path, content, size) = (device[place].path, device[place].contentID, device[place].size)
                device[place] = device[place].overridden(by: changes)
                (device[place].path, device[place].contentID, device[place].size) = (path, content, size)
            }
        default: break
        }
    }

    /// - Parameter twin: the earlier book that is the same.
    private mutating func agree(_ step: SyncStep, twin: String? = nil) {
        guard let item = step.row.item, var record = step.after else { return }
        if let before = step.before, before.key != record.key { state[before.key] = nil }
        let path = record.path ?? added[step.row.action == .add ? item : twin ?? ""]
        if let book = device.first(where: { $0.path == path }) {
            record.path = path
            if record.copy == nil || step.row.action != .keep {
                record.copy = DeviceCopy(book, content: nil, digest: hasDigests ? Self.digest(book) : nil)
            }
        }
        state[item] = record
    }

    private mutating func forget(_ step: SyncStep) {
        guard let before = step.before else { return }
        state[before.key] = step.row.action == .remove ? nil : step.after
    }
}
