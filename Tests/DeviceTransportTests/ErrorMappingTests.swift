import Testing

@testable import DeviceTransport
@testable import DeviceWire

@Suite("Every native code becomes an error of the transport") struct ErrorMappingTests {
    @Test(
        "Each status of AFC keeps its number, names its subject and has a message", arguments: AFCStatus.all)
    func afc(_ status: AFCStatus) throws {
        guard status != .success else {
            #expect(TransportError(afc: status) == nil)
            return
        }
        let error = try #require(TransportError(afc: status, subject: "/a"))
        #expect(error.native == NativeCode(.afc, Int64(status.rawValue), status.name))
        #expect(error.subject == "/a" && !error.message.isEmpty)
    }

    @Test("Statuses that users meet have their own codes")
    func afcCodes() {
        let expected: [(AFCStatus, TransportError.Code)] = [
            (.objectNotFound, .notFound), (.objectIsDirectory, .isFolder),
            (.permissionDenied, .permissionDenied),
            (.objectExists, .exists), (.noSpaceLeft, .noSpace), (.directoryNotEmpty, .folderNotEmpty),
            (.operationNotSupported, .notSupported), (.objectBusy, .busy), (.operationTimeout, .timedOut),
            (.invalidArgument, .invalidArgument), (.tooMuchData, .tooLarge),
        ]
        for (status, code) in expected { #expect(TransportError(afc: status)?.code == code) }
        #expect(TransportError(afc: AFCStatus(rawValue: 999))?.native?.number == 999)
        // A number that does not fit is not replaced by another one.
        let large = TransportError(afc: AFCStatus(rawValue: 1 << 63 + 5))?.native
        #expect(large?.number == nil && large?.description == "AFC status-9223372036854775813")
    }

    @Test("Each code of lockdownd is mapped by name", arguments: Array(-39...(-1)) + [-256])
    func lockdownd(_ number: Int) throws {
        let error = try #require(TransportError(lockdownd: Int32(number), doing: "Asking", subject: "device"))
        #expect(error.native?.number == Int64(number) && error.native?.domain == .lockdown)
        #expect(error.native?.name != "LOCKDOWN_E_UNKNOWN")
        // A state of the device has its own message, regardless of the operation that failed.
        let explainsItself = [.passcodeLocked, .pairingDenied, .pairingPending, .notPaired].contains(
            error.code)
        #expect(error.message.hasPrefix("Asking failed. ") != explainsItself && error.subject == "device")
    }

    @Test("An unknown code of any library is an I/O failure that keeps its number")
    func unknown() {
        #expect(TransportError(lockdownd: -99, doing: "x")?.code == .ioFailure)
        #expect(TransportError(lockdownd: 0, doing: "x") == nil)
        #expect(TransportError(idevice: -99, doing: "x")?.native?.number == -99)
        #expect(TransportError(idevice: 0, doing: "x") == nil)
        #expect(TransportError(usbmuxd: 0, doing: "x") == nil)
    }

    @Test(
        "Errors that users can resolve have their own codes",
        arguments: [
            (-17, TransportError.Code.passcodeLocked), (-18, .pairingDenied), (-19, .pairingPending),
            (-21, .notPaired), (-20, .notPaired), (-28, .busy), (-12, .notFound), (-34, .accessRefused),
            (-35, .passcodeLocked),
            (-5, .tlsFailed), (-7, .timedOut), (-8, .connectionLost),
        ] as [(Int32, TransportError.Code)])
    func lockdowndCodes(_ number: Int32, _ code: TransportError.Code) {
        let error = TransportError(lockdownd: number, doing: "Asking")
        #expect(error?.code == code)
        #expect(error?.hint != nil)
    }

    @Test("Each code of idevice is mapped by name", arguments: [-1, -2, -3, -4, -6, -7] as [Int32])
    func idevice(_ number: Int32) throws {
        let error = try #require(TransportError(idevice: number, doing: "Connecting"))
        #expect(error.native?.name != "IDEVICE_E_UNKNOWN" && error.native?.number == Int64(number))
    }

    @Test("Each error name of installation_proxy keeps its name and its number")
    func installationProxy() {
        let locked = TransportError(installationProxy: "PasswordProtected")
        #expect(locked.code == .passcodeLocked && locked.native?.number == nil)
        let missing = TransportError(
            installationProxy: "LookupFailed", details: "no such app", subject: "org.a")
        #expect(missing.code == .appNotInstalled && missing.subject == "org.a")
        #expect(missing.native == NativeCode(.installationProxy, -60, "LookupFailed"))
        #expect(missing.message == "Reading the device's list of apps failed: LookupFailed, no such app.")
        #expect(TransportError(installationProxy: "SomethingNew").code == .ioFailure)
    }

    @Test("The refusals of house_arrest name the app, the cause and what to do")
    func refusals() {
        let root = DeviceRoot.container(bundleID: "org.a")
        let missing = TransportError(houseArrest: "ApplicationLookupFailed", root: root)
        #expect(missing.code == .appNotInstalled && missing.subject == "org.a" && missing.hint != nil)
        let closed = TransportError(houseArrest: "InstallationLookupFailed", root: root)
        #expect(closed.code == .accessRefused && closed.hint?.contains("8.3") == true)
        let locked = TransportError(houseArrest: "PasswordProtected", root: root)
        #expect(locked.code == .passcodeLocked && locked.native?.domain == .houseArrest)
        let new = TransportError(houseArrest: "SomethingNew", root: root)
        #expect(new.code == .accessRefused && new.native?.name == "SomethingNew")
    }

    @Test("A local errno has its own code and keeps its number")
    func posix() {
        let error = TransportError(posix: 28, doing: "Writing", subject: "/tmp/a")
        #expect(error.code == .noSpace && error.native == NativeCode(.posix, 28))
        #expect(error.message == "Writing failed: No space left on device.")
        #expect(TransportError(posix: 24, doing: "x").code == .tooManyDescriptors)
    }

    @Test("An error names its subject in one line")
    func description() {
        let error = TransportError(
            .noSpace, "The device is full.", subject: "/a", native: NativeCode(.afc, 18, "x"))
        #expect(error.description == "/a: The device is full. (AFC 18 x)")
    }

    @Test("Every message is a full sentence")
    func sentences() {
        let errors =
            AFCStatus.all.compactMap { TransportError(afc: $0) }
            + (-39...(-1)).compactMap { TransportError(lockdownd: $0, doing: "Asking") }
            + [-1, -2, -3, -4, -6, -7, -99].compactMap { TransportError(idevice: $0, doing: "Connecting") }
            + [TransportError(posix: 2, doing: "Reading"), .cancelled, .deadlinePassed, .silence]
        for error in errors {
            #expect(
                error.message.first?.isUppercase == true && error.message.hasSuffix("."), "\(error.message)")
            #expect(!error.message.contains(".."), "\(error.message)")
        }
    }

    @Test("An address of usbmuxd that the library ignores is recognised")
    func muxAddresses() {
        #expect(MuxAddress(environment: nil) == .standard)
        #expect(MuxAddress(environment: "") == .standard)
        #expect(MuxAddress(environment: "UNIX:/run/mux") == .environment("UNIX:/run/mux"))
        #expect(MuxAddress(environment: "/run/mux") == .ignored("/run/mux"))
    }
}
