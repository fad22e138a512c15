/// What FILE_LOCK does: the values of flock(2) on the device, each with "do not wait" added where it can wait.
package enum AFCLockOperation: UInt64, CaseIterable, Sendable {
    /// Share the file with other readers.
    case shared = 5
    /// Have the file alone.
    case exclusive = 6
    /// Give a lock back.
    case unlock = 12
}
