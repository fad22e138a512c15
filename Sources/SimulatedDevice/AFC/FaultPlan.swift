/// What goes wrong in the file service of a simulated device.
///
/// A plan is part of `SimulatedDeviceSettings` and may be changed while the device runs: `device.update { $0.faults = … }`.
/// Putting a different plan in place starts its counting at nothing and releases every connection that a fault of the former plan
/// holds. A plan without faults is a healthy device.
public struct FaultPlan: Sendable, Equatable {
    /// The faults; all that match a request happen together, and of two that contradict each other the first wins.
    public var faults: [Fault]

    /// Ends the connection that carries the last of so many bytes, requests and answers of all file connections counted
    /// together from the moment the plan is in place; it happens once. Nil for never.
    public var disconnectAfterBytes: UInt64?

    /// A plan of the given faults, or of none.
    public init(_ faults: [Fault] = [], disconnectAfterBytes: UInt64? = nil) {
        self.faults = faults
        self.disconnectAfterBytes = disconnectAfterBytes
    }
}
