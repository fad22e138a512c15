/// The progress of a fault plan: the requests that its faults have matched, and the number of bytes that have passed.
struct FaultProgress {
    private var plan = FaultPlan()
    private var matches: [Int] = []
    private var bytes: UInt64 = 0
    private var hasDisconnected = false

    /// The effects on a request, at most one of each kind, in plan order.
    mutating func effects(
        under plan: FaultPlan, operation: String, paths: [String]
    ) -> [Fault.Effect] {
        adopt(plan)
        var effects: [Fault.Effect] = []
        for (index, fault) in plan.faults.enumerated() where fault.matches(operation: operation, paths: paths)
        {
            let number = matches[index]
            matches[index] = number + 1
            guard number >= fault.skipping else { continue }
            if let times = fault.times, number - fault.skipping >= times { continue }
            effects.append(fault.effect)
        }
        return effects
    }

    /// Counts bytes that are about to pass, and returns the number of bytes that may pass. If it is less than
    /// `count`, the connection ends after these bytes.
    mutating func pass(_ count: Int, under plan: FaultPlan) -> Int {
        adopt(plan)
        let before = bytes
        bytes &+= UInt64(count)
        guard let limit = plan.disconnectAfterBytes, !hasDisconnected, bytes > limit else { return count }
        hasDisconnected = true
        return limit > before ? Int(limit - before) : 0
    }

    private mutating func adopt(_ plan: FaultPlan) {
        guard plan != self.plan else { return }
        self.plan = plan
        matches = Array(repeating: 0, count: plan.faults.count)
        bytes = 0
        hasDisconnected = false
    }
}

extension Fault {
    /// The operations that a full disk refuses, by their AFC names.
    private static let needingSpace: Set<String> = ["FILE_WRITE", "MAKE_DIR", "MAKE_LINK"]

    func matches(operation: String, paths: [String]) -> Bool {
        if let wanted = self.operation, wanted != operation { return false }
        if case .diskFull = effect, !Fault.needingSpace.contains(operation) { return false }
        guard let path else { return true }
        return paths.contains { path.matches($0) }
    }
}

extension Fault.Path {
    func matches(_ candidate: String) -> Bool {
        let names = Self.names(candidate)
        switch self {
        case .exactly(let path): return names == Self.names(path)
        case .below(let path): return names.starts(with: Self.names(path))
        }
    }

    /// The components of a path as bytes, so that missing, doubled or trailing slashes do not matter.
    private static func names(_ path: String) -> [[UInt8]] {
        path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init).filter { $0 != [UInt8(ascii: ".")] }
    }
}
