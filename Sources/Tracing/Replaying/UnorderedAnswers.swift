import OverlayCalls
import Synchronization

/// The recorded answers without a fixed order: those to questions that an overlay may ask at any time and any number
/// of times.
final class UnorderedAnswers: Sendable {
    private struct Entry: Sendable {
        let call: Recording.Call
        /// The number of the method that asked; 0 for another thread.
        let method: UInt32
        var isUsed = false
    }

    /// By the indexes of the record and the function.
    private let entries: Mutex<[Int: [Entry]]>

    init(_ instance: Recording.Instance) {
        var found: [Int: [Entry]] = [:]
        func add(_ call: Recording.Call, _ method: UInt32) {
            if call.event.isFromOverlay, ReplayPlayer.isUnordered(call.function), call.hasReturned {
                found[Self.key(call.function), default: []].append(Entry(call: call, method: method))
            }
            for child in call.children { add(child, method) }
        }
        for call in instance.calls { add(call, call.event.call) }
        for call in instance.aside { add(call, 0) }
        entries = Mutex(found)
    }

    /// The next recorded answer to the same question within the same method, or else one from elsewhere.
    func next(_ function: FunctionPlan, _ values: [TraceValue?], within method: Recording.Call?)
        -> Recording.Call?
    {
        let number = method?.event.call ?? 0
        return entries.withLock { entries in
            guard let list = entries[Self.key(function)] else { return nil }
            var last: Int?
            for (index, entry) in list.enumerated() {
                guard
                    TraceDifference.first(function, expected: entry.call.values ?? [], seen: values) == nil
                else { continue }
                if entry.method == number, !entry.isUsed {
                    entries[Self.key(function)]?[index].isUsed = true
                    return entry.call
                }
                if last == nil || entry.method == number || list[last ?? 0].method != number { last = index }
            }
            return last.map { list[$0].call }
        }
    }

    private static func key(_ function: FunctionPlan) -> Int { function.record.index << 16 | function.index }
}
