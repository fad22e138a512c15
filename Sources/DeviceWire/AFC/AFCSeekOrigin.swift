/// What the offset of FILE_SEEK counts from.
package enum AFCSeekOrigin: UInt64, CaseIterable, Sendable {
    /// The beginning of the file.
    case start = 0
    /// The handle's position.
    case current = 1
    /// The end of the file.
    case end = 2
}
