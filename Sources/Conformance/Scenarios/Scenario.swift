/// What is done with an overlay to try its rules; each begins with a fresh instance.
package enum Scenario: String, Sendable, CaseIterable {
    /// The file is looked at and loaded.
    case loading
    /// A day with a device that is well: every method, from `create` to `destroy`.
    case course
    /// Every method in each other state it names.
    case states
    /// Sinks that ask to stop at once.
    case stopping
    /// A host without one of its services.
    case withholding
    /// The same work over and over.
    case repetition
    /// The device vanishes at a request.
    case vanishing
    /// The cable is pulled while the device answers a request.
    case severing
    /// The device is full at a writing request.
    case filling
    /// The person cancels.
    case cancelling
}
