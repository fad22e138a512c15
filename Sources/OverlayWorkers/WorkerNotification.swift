import OverlayABI

/// Messages from a worker to its host, before it serves calls, that are not calls of the contract.
enum WorkerNotification {
    /// The confinement of the worker: eight bytes of a `Confinement`.
    static let confined: UInt64 = 1
    /// The entry record of the overlay.
    static let entry: UInt64 = 2
    /// An error message of the dynamic linker.
    static let notLoadable: UInt64 = 3
    /// The library does not have an entry function.
    static let noEntry: UInt64 = 4
    /// The entry function returned null.
    static let noRecord: UInt64 = 5
}
