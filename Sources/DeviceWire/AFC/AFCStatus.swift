/// A status code of AFC: the codes that devices answer, and four codes that only host libraries create.
///
/// A device may send any number; an unnamed one is kept.
package struct AFCStatus: RawRepresentable, Hashable, Sendable {
    /// The number in the packet.
    package var rawValue: UInt64

    /// Creates a status from any number, known or not.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let success = AFCStatus(rawValue: 0)
    package static let unknownError = AFCStatus(rawValue: 1)
    package static let headerInvalid = AFCStatus(rawValue: 2)
    package static let noResources = AFCStatus(rawValue: 3)
    package static let readError = AFCStatus(rawValue: 4)
    package static let writeError = AFCStatus(rawValue: 5)
    package static let unknownPacketType = AFCStatus(rawValue: 6)
    package static let invalidArgument = AFCStatus(rawValue: 7)
    package static let objectNotFound = AFCStatus(rawValue: 8)
    package static let objectIsDirectory = AFCStatus(rawValue: 9)
    package static let permissionDenied = AFCStatus(rawValue: 10)
    package static let serviceNotConnected = AFCStatus(rawValue: 11)
    package static let operationTimeout = AFCStatus(rawValue: 12)
    package static let tooMuchData = AFCStatus(rawValue: 13)
    package static let endOfData = AFCStatus(rawValue: 14)
    package static let operationNotSupported = AFCStatus(rawValue: 15)
    package static let objectExists = AFCStatus(rawValue: 16)
    package static let objectBusy = AFCStatus(rawValue: 17)
    package static let noSpaceLeft = AFCStatus(rawValue: 18)
    package static let operationWouldBlock = AFCStatus(rawValue: 19)
    package static let ioError = AFCStatus(rawValue: 20)
    package static let operationInterrupted = AFCStatus(rawValue: 21)
    package static let operationInProgress = AFCStatus(rawValue: 22)
    package static let internalError = AFCStatus(rawValue: 23)
    package static let muxError = AFCStatus(rawValue: 30)
    package static let noMemory = AFCStatus(rawValue: 31)
    package static let notEnoughData = AFCStatus(rawValue: 32)
    package static let directoryNotEmpty = AFCStatus(rawValue: 33)

    /// All named codes in ascending order, for tables that must cover them.
    package static let all: [AFCStatus] = (Array(0...23) + Array(30...33)).map(AFCStatus.init(rawValue:))

    /// A short name in lower case with dashes (`object-not-found`), or `status-N` for a code without one.
    package var name: String { description(at: 0) ?? "status-\(rawValue)" }

    /// A message for the user: one sentence, without the subject and a hint.
    package var meaning: String {
        description(at: 1) ?? "The device answered with the unknown status \(rawValue)."
    }

    private func description(at column: Int) -> String? {
        guard let row = Self.table[rawValue] else { return nil }
        return column == 0 ? row.name : row.meaning
    }

    private static let table: [UInt64: (name: String, meaning: String)] = [
        0: ("success", "The operation succeeded."),
        1: ("unknown-error", "The device reported an error without naming its cause."),
        2: ("header-invalid", "The device rejected the request header."),
        3: ("no-resources", "The device has no resources left for the request."),
        4: ("read-error", "The device could not read."),
        5: ("write-error", "The device could not write."),
        6: ("unknown-packet-type", "The device does not know this type of packet."),
        7: ("invalid-argument", "The device refused an argument of the request."),
        8: ("object-not-found", "No such file or folder on the device."),
        9: ("object-is-directory", "The path is a folder where a file is needed."),
        10: ("permission-denied", "The device does not allow access to this path."),
        11: ("service-not-connected", "The file service of the device is not connected."),
        12: ("operation-timeout", "The operation took too long on the device."),
        13: ("too-much-data", "The request contained too much data."),
        14: ("end-of-data", "There is no more data."),
        15: ("operation-not-supported", "The device does not support this operation."),
        16: ("object-exists", "A file or folder with this name already exists on the device."),
        17: ("object-busy", "The file or folder is in use on the device."),
        18: ("no-space-left", "The device has no space left."),
        19: ("operation-would-block", "The operation would block, for example on a lock."),
        20: ("io-error", "The device failed to read or write its storage."),
        21: ("operation-interrupted", "The operation was interrupted on the device."),
        22: ("operation-in-progress", "The operation is still under way on the device."),
        23: ("internal-error", "The file service of the device had an internal error."),
        30: ("mux-error", "The connection to the device failed."),
        31: ("no-memory", "The host has no memory left for the request."),
        32: ("not-enough-data", "The device answered with less data than announced."),
        33: ("directory-not-empty", "The folder is not empty."),
    ]
}

extension AFCStatus: CustomStringConvertible {
    /// The name and the number, for messages to developers.
    package var description: String { "\(name) (\(rawValue))" }
}
