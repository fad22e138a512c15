/// The name of the error with which lockdownd refuses a request.
struct LockdownError: Error, RawRepresentable, Sendable, Hashable {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }

    static let missingKey = LockdownError(rawValue: "MissingKey")
    static let missingValue = LockdownError(rawValue: "MissingValue")
    static let getProhibited = LockdownError(rawValue: "GetProhibited")
    static let setProhibited = LockdownError(rawValue: "SetProhibited")
    static let removeProhibited = LockdownError(rawValue: "RemoveProhibited")
    static let passwordProtected = LockdownError(rawValue: "PasswordProtected")
    static let userDeniedPairing = LockdownError(rawValue: "UserDeniedPairing")
    static let pairingDialogResponsePending = LockdownError(rawValue: "PairingDialogResponsePending")
    static let missingHostID = LockdownError(rawValue: "MissingHostID")
    static let invalidHostID = LockdownError(rawValue: "InvalidHostID")
    static let sessionActive = LockdownError(rawValue: "SessionActive")
    static let sessionInactive = LockdownError(rawValue: "SessionInactive")
    static let missingSessionID = LockdownError(rawValue: "MissingSessionID")
    static let invalidSessionID = LockdownError(rawValue: "InvalidSessionID")
    static let missingService = LockdownError(rawValue: "MissingService")
    static let invalidService = LockdownError(rawValue: "InvalidService")
    static let serviceLimit = LockdownError(rawValue: "ServiceLimit")
    static let missingPairRecord = LockdownError(rawValue: "MissingPairRecord")
    static let invalidPairRecord = LockdownError(rawValue: "InvalidPairRecord")
    static let invalidRequest = LockdownError(rawValue: "InvalidRequest")
}
