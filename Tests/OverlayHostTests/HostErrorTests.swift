import DeviceTransport
import OverlayABI
import Testing

@testable import OverlayHost

@Suite("Every error has one exit status and keeps the code of the layer below")
struct HostErrorTests {
    @Test("Exit statuses are those of the command line's manual")
    func exitStatuses() {
        let documented: Set<Int32> = [1, 64, 66, 69, 70, 73, 74, 75, 77, 78, 130]
        #expect(Set(HostError.Code.exitStatuses.values.map(\.rawValue)) == documented)
        for (_, code) in HostError.Code.statuses {
            #expect(HostError.Code.exitStatuses[code] != nil, "\(code)")
        }
        for (_, code) in HostError.Code.transportCodes {
            #expect(HostError.Code.exitStatuses[code] != nil, "\(code)")
        }
        #expect(HostError.Code(rawValue: "of_a_later_version").exitStatus == .someFailed)
    }

    @Test(
        "Statuses that scripts use have fixed numbers",
        arguments: [
            (.noDevice, 69), (.appNotInstalled, 69), (.noOverlay, 69), (.cancelled, 130), (.timedOut, 75),
            (.accessRefused, 77), (.notPaired, 77), (.pairingPending, 77), (.pairingDenied, 77),
            (.deviceLocked, 77), (.prefsDamaged, 78),
            (.deviceGone, 74),
            (.contractBroken, 70), (.itemsFailed, 1), (.usage, 64), (.inputUnreadable, 66),
            (.outputNotCreated, 73),
        ] as [(HostError.Code, Int32)])
    func known(code: HostError.Code, status: Int32) { #expect(code.exitStatus.rawValue == status) }

    @Test("Every status of the ABI has its own code, and the way back gives the status again")
    func statuses() {
        #expect(HostError.Code.statuses.map(\.status) == Array(1...25))
        for (status, code) in HostError.Code.statuses {
            #expect(HostError.Code(status: status) == code)
            #expect(code.status == status)
        }
        #expect(HostError.Code(status: 9999) == .failed)
        #expect(HostError.Code.prefsInvalidValue.status == OVL_INVALID_ARGUMENT)
    }

    @Test("An overlay's error record is copied whole")
    func record() {
        let error = "Kaputt \u{1F388}".withView { message in
            "/a".withView { subject in
                var record = ovl_error()
                record.struct_size = UInt32(MemoryLayout<ovl_error>.size)
                record.flags = OVL_ERROR_RETRYABLE
                record.domain = OVL_DOMAIN_SQLITE
                record.native_code = 11
                record.message = message
                record.subject = subject
                return HostError(status: OVL_DAMAGED, record: &record, call: "books")
            }
        }
        #expect(error.code == .damaged)
        #expect(error.message == "Kaputt 🎈")
        #expect(error.subject == "/a")
        #expect(error.hint == nil)
        #expect(error.isRetryable)
        #expect(error.native == NativeCode(.sqlite, 11))
    }

    @Test("A hint's kind crosses the boundary, and an error that needs consent has it in any case")
    func hintCodes() {
        func error(_ status: ovl_status, _ flags: UInt32) -> HostError {
            var record = ovl_error.sized()
            record.flags = flags
            return HostError(status: status, record: &record, call: "books")
        }
        for code in [HintCode.consent, .protect, .replace, .collections, .preference, .list] {
            let sent = HostError(.failed, "No.", hint: "Do it.", hintCode: code, isRetryable: true)
            let received = sent.lend { HostError(status: OVL_FAILED, record: $0, call: "books") }
            #expect(received.hintCode == code && received.isRetryable)
        }
        #expect(HintCode.chooseApp.flags == 0)
        #expect(error(OVL_BUSY, OVL_HINT_MASK).hintCode == nil)
        #expect(error(OVL_NEEDS_CONSENT, 0).hintCode == .consent)
        #expect(error(OVL_NEEDS_CONSENT, OVL_HINT_REPLACE).hintCode == .replace)
    }

    @Test("A failure without a record names the method; a record cut short counts as zero behind its end")
    func poorRecords() {
        let bare = HostError(status: OVL_FAILED, record: nil, call: "upload_books")
        #expect(bare.message.contains("upload_books"))
        var record = ovl_error()
        record.struct_size = 12
        record.domain = OVL_DOMAIN_POSIX
        record.native_code = 2
        let short = HostError(status: OVL_BUSY, record: &record, call: "eject")
        #expect(short.code == .busy)
        #expect(short.native == nil)
        #expect(short.message.contains("eject"))
    }

    @Test("An error of the transport keeps its texts and native code")
    func transport() {
        let below = TransportError(
            .permissionDenied, "Not permitted.", subject: "/x", hint: "Ask.",
            native: .init(.afc, 10, "AFC_E_PERM_DENIED"))
        let error = HostError(below)
        #expect(error.code == .accessRefused)
        #expect(error.message == "Not permitted.")
        #expect(error.subject == "/x")
        #expect(error.hint == "Ask.")
        #expect(error.native == NativeCode(.afc, 10, "AFC_E_PERM_DENIED"))
        #expect(error.underlying as? TransportError == below)
        #expect("\(error)" == "/x: Not permitted. Ask. (AFC 10 AFC_E_PERM_DENIED)")
        #expect(HostError(TransportError(.init(rawValue: "new"), "?")).code == .deviceIO)
    }
}

extension String {
    /// Calls `use` with a view of this text.
    func withView<Result>(_ use: (ovl_text) -> Result) -> Result {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                use(ovl_text(data: $0.baseAddress, size: UInt64($0.count)))
            }
        }
    }
}
