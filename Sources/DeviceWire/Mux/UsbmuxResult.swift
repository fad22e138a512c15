/// The number in a usbmuxd `Result`.
///
/// Requests about pair records answer with an `errno` value in the same place.
package struct UsbmuxResult: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let ok = UsbmuxResult(rawValue: 0)
    package static let badCommand = UsbmuxResult(rawValue: 1)
    package static let badDevice = UsbmuxResult(rawValue: 2)
    package static let connectionRefused = UsbmuxResult(rawValue: 3)
    package static let badVersion = UsbmuxResult(rawValue: 6)
    /// There is no such pair record (`ENOENT`).
    package static let noSuchRecord = UsbmuxResult(rawValue: 2)
    /// The pair record could not be read or written (`EIO`).
    package static let recordFailure = UsbmuxResult(rawValue: 5)
    /// The name or the content of a pair record is not acceptable (`EINVAL`).
    package static let badRecord = UsbmuxResult(rawValue: 22)
}
