/// What goes wrong on a simulated device.
public struct FaultPlan: Sendable, Equatable {
    /// A plan without faults.
    public init() {}
}
