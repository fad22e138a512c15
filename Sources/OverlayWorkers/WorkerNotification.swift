import OverlayABI

/// The messages of a worker to its host before it serves, which are not calls of the contract.
enum WorkerNotification {
    /// What confines it: eight bytes of a `Confinement`.
    static let confined: UInt64 = 1
    /// The entry record of its overlay.
    static let entry: UInt64 = 2
    /// What the dynamic linker said.
    static let notLoadable: UInt64 = 3
    /// The library has no entry function.
    static let noEntry: UInt64 = 4
    /// The entry function returned null.
    static let noRecord: UInt64 = 5
}
