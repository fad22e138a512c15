/// All recorded steps that still have an effect, in order of time, regardless of the program that recorded them.
///
/// A step and its date never change, and a step is removed only if a later step overrides it. Therefore histories
/// that programs read at different times can be combined without contradictions.
struct NoteHistory {
    /// The time in milliseconds for which a removed content is remembered. It is longer than any program keeps notes
    /// in memory.
    private static let longestMemory: Int64 = 90 * 24 * 3600 * 1000

    private var steps: [ContentFingerprint: [DatedNote]] = [:]

    /// Adds a step after those with the same time.
    mutating func take(_ step: DatedNote) {
        let place = steps[step.content]?.lastIndex { $0.time <= step.time }.map { $0 + 1 } ?? 0
        steps[step.content, default: []].insert(step, at: place)
    }

    /// Removes the steps that were added last. Each is found by its content and time.
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

    /// The contents that apps have created from other contents, by each of the other contents.
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

    /// The steps of a content that later steps do not override.
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
