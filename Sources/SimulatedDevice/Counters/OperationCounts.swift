import DeviceWire
import Synchronization

/// Counts the requests for each AFC operation, without a lock on which all connections would wait.
final class OperationCounts: @unchecked Sendable {
    // The memory is allocated once and freed with this object. All access to it is atomic.
    private let counts: UnsafeMutablePointer<Atomic<Int>>
    /// One more than the largest operation code. Index 0 counts operations that the device does not know.
    private static let places = 0x40

    init() {
        counts = .allocate(capacity: Self.places)
        for place in 0..<Self.places { (counts + place).initialize(to: Atomic(0)) }
    }

    deinit {
        counts.deinitialize(count: Self.places)
        counts.deallocate()
    }

    func add(_ operation: AFCOperation) {
        let isKnown = AFCOperation.requests.contains(operation)
        let place = isKnown ? Int(clamping: operation.rawValue) % Self.places : 0
        counts[place].wrappingAdd(1, ordering: .relaxed)
    }

    func reset() {
        for place in 0..<Self.places { counts[place].store(0, ordering: .relaxed) }
    }

    /// The counts by the names of `SimulatedDeviceCounters`, for operations that were requested at least once.
    var named: [String: Int] {
        var named: [String: Int] = [:]
        for operation in AFCOperation.requests {
            let count = counts[Int(clamping: operation.rawValue) % Self.places].load(ordering: .relaxed)
            if count > 0 { named["afc." + operation.name] = count }
        }
        let unknown = counts[0].load(ordering: .relaxed)
        if unknown > 0 { named["afc.UNKNOWN"] = unknown }
        return named
    }
}
