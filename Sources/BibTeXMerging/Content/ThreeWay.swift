/// The two sides of a merge.
public enum MergeSide: String, Sendable, Hashable, CaseIterable {
    /// The library on the host.
    case host
    /// The library on the device.
    case device
}

/// Merges one value of two sides against their last agreed state.
enum ThreeWay {
    /// The result for a value.
    enum Outcome<Value> {
        /// The merged value; nil if it is removed.
        case settled(Value?)
        /// Both sides changed it in different ways.
        case conflict(host: Value, device: Value)
    }

    /// Merges a value that may be missing on any side. A change wins over a removal.
    static func settle<Value: Equatable>(base: Value?, host: Value?, device: Value?) -> Outcome<Value> {
        if host == device || base == device { return .settled(host) }
        if base == host { return .settled(device) }
        guard let host else { return .settled(device) }
        guard let device else { return .settled(host) }
        return .conflict(host: host, device: device)
    }

    /// Merges lists of unique members: additions and removals of both sides apply. A list that only one side changed
    /// is taken as it is; otherwise the order is that of the host, or of the device if `deviceLeads`.
    ///
    /// - Parameter identity: returns what identifies a member.
    static func list<Member, Identity: Hashable>(
        base: [Member], host: [Member], device: [Member], deviceLeads: Bool = false,
        identity: (Member) -> Identity
    ) -> [Member] {
        let baseKeys = base.map(identity)
        let hostKeys = host.map(identity)
        let deviceKeys = device.map(identity)
        if hostKeys == deviceKeys || baseKeys == deviceKeys { return host }
        // If both have a member, the host's is taken, which may contain more information.
        let known = Dictionary(zip(hostKeys, host), uniquingKeysWith: { first, _ in first })
        if baseKeys == hostKeys { return zip(deviceKeys, device).map { known[$0] ?? $1 } }
        let agreed = Set(baseKeys)
        let (first, second) = deviceLeads ? (device, host) : (host, device)
        let others = Set(second.map(identity))
        var seen: Set<Identity> = []
        var result: [Member] = []
        for member in first {
            let key = identity(member)
            guard !agreed.contains(key) || others.contains(key), seen.insert(key).inserted else { continue }
            result.append(known[key] ?? member)
        }
        for member in second {
            let key = identity(member)
            guard !agreed.contains(key), seen.insert(key).inserted else { continue }
            result.append(known[key] ?? member)
        }
        return result
    }
}
