import WorkerRPC

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
    /// A `struct_size` or stride in the entry record, or in what it refers to, is wrong: a sentence.
    static let wrongSize: UInt64 = 6
    /// A text or list in the entry record, or in what it refers to, is too large to be sent: a sentence.
    static let tooLarge: UInt64 = 7

    /// The notification for an entry record that could not be sent; nil if the connection has failed.
    static func refusal(_ code: WorkerRPCErrorCode) -> UInt64? {
        switch code {
        case .structSize, .stride: wrongSize
        case .breach, .tooLarge: tooLarge
        default: nil
        }
    }
}
