/// The two sides of a merge.
public enum MergeSide: String, Sendable, Hashable, CaseIterable {
    /// The library on the host.
    case host
    /// The library on the device.
    case device
}

/// How one value of two sides is made of their last agreed state.
enum ThreeWay {
    /// What becomes of a value.
    enum Outcome<Value> {
        /// One value is right; nil: there is none any more.
        case settled(Value?)
        /// Both sides changed it, each in its own way.
        case conflict(host: Value, device: Value)
    }

    /// Settles a value that may be missing on any side. A change beats a removal.
    static func settle<Value: Equatable>(base: Value?, host: Value?, device: Value?) -> Outcome<Value> {
        if host == device || base == device { return .settled(host) }
        if base == host { return .settled(device) }
        guard let host else { return .settled(device) }
        guard let device else { return .settled(host) }
        return .conflict(host: host, device: device)
    }

    /// Merges lists of members that occur once: additions of both sides stay, removals of both count. A list that only one side
    /// changed is taken as it is; else the order is that of the host, or of the device if `deviceLeads`.
    ///
    /// - Parameter identity: what makes two members the same.
    static func list<Member, Identity: Hashable>(
        base: [Member], host: [Member], device: [Member], deviceLeads: Bool = false,
        identity: (Member) -> Identity
    ) -> [Member] {
        let baseKeys = base.map(identity)
        let hostKeys = host.map(identity)
        let deviceKeys = device.map(identity)
        if hostKeys == deviceKeys || baseKeys == deviceKeys { return host }
        // A member that both have is the host's, which may know more of it.
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
