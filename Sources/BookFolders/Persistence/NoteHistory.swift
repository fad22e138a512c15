/// All recorded steps that still count, in order of time, no matter which program recorded them.
///
/// A step never changes and never gets another date, and it is dropped only if a later one makes it void. So
/// histories that programs read at different moments can be combined without contradictions.
struct NoteHistory {
    /// How long to remember that a content is gone, in milliseconds: longer than any program keeps in memory what it
    /// has read.
    private static let longestMemory: Int64 = 90 * 24 * 3600 * 1000

    private var steps: [ContentFingerprint: [DatedNote]] = [:]

    /// Adds a step after those with the same time.
    mutating func take(_ step: DatedNote) {
        let place = steps[step.content]?.lastIndex { $0.time <= step.time }.map { $0 + 1 } ?? 0
        steps[step.content, default: []].insert(step, at: place)
    }

    /// Removes the steps added last; each is found by its time among those of its content.
    mutating func takeBack(_ last: [DatedNote]) {
        for step in last {
            steps[step.content]?.removeAll { $0.time == step.time }
            if steps[step.content]?.isEmpty == true { steps[step.content] = nil }
        }
    }

    /// The note of a content after all steps.
    func note(_ content: ContentFingerprint) -> BookNote {
        var note = BookNote()
        for step in steps[content] ?? [] { note.apply(step.change) }
        return note
    }

    /// The contents that apps have made from others, by each of the others.
    func laterStates() -> [ContentFingerprint: [ContentFingerprint]] {
        var states: [ContentFingerprint: [ContentFingerprint]] = [:]
        let later = steps.filter { $1.contains { if case .laterState = $0.change { true } else { false } } }
        for content in later.keys.sorted(by: { $0.text < $1.text }) {
            for former in note(content).formerly { states[former, default: []].append(content) }
        }
        return states
    }

    /// The time of the last step about a content; nil if there is none.
    func lastTime(_ content: ContentFingerprint) -> Int64? { steps[content]?.last?.time }

    /// All contents with a step, in no particular order.
    var contents: some Collection<ContentFingerprint> { steps.keys }

    /// The steps of a content that count, without those that later ones make void.
    ///
    /// - Parameter now: the time in milliseconds since 1970.
    func needed(_ content: ContentFingerprint, at now: Int64) -> [DatedNote] {
        let needed = Self.needed(steps[content] ?? [])
        if needed.count == 1, needed[0].change == .forgotten, now - Self.longestMemory > needed[0].time {
            return []
        }
        return needed
    }

    private static func needed(_ steps: [DatedNote]) -> [DatedNote] {
        var needed: [DatedNote] = []
        // What later steps decide.
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
