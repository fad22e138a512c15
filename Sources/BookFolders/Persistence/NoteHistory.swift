import JSON

/// All recorded steps that still have an effect, in order of time, regardless of the program that recorded them.
///
/// A step and its date never change, and a step is removed only if a later step overrides it. Therefore histories
/// that programs read at different times can be combined without contradictions.
struct NoteHistory {
    /// The time in milliseconds for which a removed content is remembered. It is longer than any program keeps notes
    /// in memory.
    private static let longestMemory: Int64 = 90 * 24 * 3600 * 1000

    /// A step without its content, which is the key.
    private struct Step {
        var time: Int64
        var change: BookNote.Change
    }

    /// The steps of one content. Most contents have one step, which needs no array.
    private enum Steps {
        case one(Step)
        case several([Step])

        var all: [Step] {
            switch self {
            case .one(let step): [step]
            case .several(let steps): steps
            }
        }

        var last: Step? {
            switch self {
            case .one(let step): step
            case .several(let steps): steps.last
            }
        }

        func contains(where isWanted: (Step) -> Bool) -> Bool {
            switch self {
            case .one(let step): isWanted(step)
            case .several(let steps): steps.contains(where: isWanted)
            }
        }

        mutating func insert(_ step: Step) {
            switch self {
            case .one(let first): self = .several(first.time <= step.time ? [first, step] : [step, first])
            case .several(var steps):
                // Release the array here, so that inserting does not copy it.
                self = .several([])
                steps.insert(step, at: steps.lastIndex { $0.time <= step.time }.map { $0 + 1 } ?? 0)
                self = .several(steps)
            }
        }
    }

    private var steps: [ContentFingerprint: Steps] = [:]

    private func steps(of content: ContentFingerprint) -> [Step] { steps[content]?.all ?? [] }

    /// Adds a step after those with the same time.
    mutating func take(_ note: DatedNote) {
        let step = Step(time: note.time, change: note.change)
        if steps[note.content] == nil {
            steps[note.content] = .one(step)
        } else {
            steps[note.content]?.insert(step)
        }
    }

    /// Removes the steps that were added last. Each is found by its content and time.
    mutating func takeBack(_ last: [DatedNote]) {
        for note in last {
            let rest = steps(of: note.content).filter { $0.time != note.time }
            steps[note.content] = rest.isEmpty ? nil : .several(rest)
        }
    }

    /// The note of a content after all steps.
    func note(_ content: ContentFingerprint) -> BookNote {
        var note = BookNote()
        for step in steps(of: content) { note.apply(step.change) }
        return note
    }

    /// The contents that apps have created from other contents, by each of the other contents.
    func laterStates() -> [ContentFingerprint: [ContentFingerprint]] {
        var states: [ContentFingerprint: [ContentFingerprint]] = [:]
        let later = steps.filter { _, steps in
            steps.contains { if case .laterState = $0.change { true } else { false } }
        }
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
        let needed = Self.needed(steps(of: content))
        if needed.count == 1, needed[0].change == .forgotten, now - Self.longestMemory > needed[0].time {
            return []
        }
        return needed.map { DatedNote(content, $0.time, $0.change) }
    }

    private static func needed(_ steps: [Step]) -> [Step] {
        var needed: [Step] = []
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
