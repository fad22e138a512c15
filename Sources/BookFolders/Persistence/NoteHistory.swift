/// Everything that was ever noted and still counts, step by step in the order of time, whichever program noted it.
///
/// A step is never changed or dated anew, and left out only where a later one makes it void: so histories that programs
/// have read at different moments say the same when they are put together.
struct NoteHistory {
    /// How long it is kept that a content is gone, in milliseconds: longer than any program remembers what it has read.
    private static let longestMemory: Int64 = 90 * 24 * 3600 * 1000

    private var steps: [ContentFingerprint: [DatedNote]] = [:]

    /// Takes a step, behind those of the same time.
    mutating func take(_ step: DatedNote) {
        let place = steps[step.content]?.lastIndex { $0.time <= step.time }.map { $0 + 1 } ?? 0
        steps[step.content, default: []].insert(step, at: place)
    }

    /// Takes back steps that were taken last, each with its own time among those of its content.
    mutating func takeBack(_ last: [DatedNote]) {
        for step in last {
            steps[step.content]?.removeAll { $0.time == step.time }
            if steps[step.content]?.isEmpty == true { steps[step.content] = nil }
        }
    }

    /// What is noted about a content after all steps.
    func note(_ content: ContentFingerprint) -> BookNote {
        var note = BookNote()
        for step in steps[content] ?? [] { note.apply(step.change) }
        return note
    }

    /// The contents that apps have made of others, by each of these.
    func laterStates() -> [ContentFingerprint: [ContentFingerprint]] {
        var states: [ContentFingerprint: [ContentFingerprint]] = [:]
        let later = steps.filter { $1.contains { if case .laterState = $0.change { true } else { false } } }
        for content in later.keys.sorted(by: { $0.text < $1.text }) {
            for former in note(content).formerly { states[former, default: []].append(content) }
        }
        return states
    }

    /// When a content was last noted; nil if it never was.
    func lastTime(_ content: ContentFingerprint) -> Int64? { steps[content]?.last?.time }

    /// The steps that count, without those that later ones make void.
    ///
    /// - Parameter now: in milliseconds since 1970.
    func needed(at now: Int64) -> [DatedNote] {
        steps.values.flatMap { steps in
            let needed = Self.needed(steps)
            if needed.count == 1, needed[0].change == .forgotten, now - Self.longestMemory > needed[0].time {
                return [DatedNote]()
            }
            return needed
        }
    }

    private static func needed(_ steps: [DatedNote]) -> [DatedNote] {
        var needed: [DatedNote] = []
        // What the later steps decide.
        var (isKnown, isAllEdited, isLaterState, fields) = (false, false, false, Set<String>())
        for step in steps.reversed() {
            switch step.change {
            case .known:
                if isKnown { continue }
                isKnown = true
            case .edit(let book):
                let names = Set(book.keptJSON().members.map(\.name))
                if isAllEdited || names.isSubset(of: fields) { continue }
                fields.formUnion(names)
            case .edited:
                if isAllEdited { continue }
                isAllEdited = true
            case .laterState:
                if isLaterState { continue }
                isLaterState = true
            case .forgotten:
                return [step] + needed.reversed()
            }
            needed.append(step)
        }
        return needed.reversed()
    }
}
