import BookModel
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayCalls

extension Fingerprint {
    /// An Apple device, described by values of usbmuxd and lockdownd.
    package static func appleDevice(udid: String, product: String? = nil) -> Fingerprint {
        Fingerprint(vendorID: 0x05AC, manufacturer: "Apple Inc.", product: product, serial: udid)
    }
}

extension OverlayInstance {
    /// Whether the overlay can serve the device now. True for an overlay that does not implement `can_handle`.
    package func canHandle(_ device: Fingerprint) throws(HostError) -> Presence {
        guard overlay.implements(.canHandle) else { return .yes() }
        let frame = CallFrame(.canHandle)
        let collector = PresenceCollector()
        frame.presence = collector
        try perform(.canHandle, frame) { call, memory in
            call.add(pointerTo: device.record(in: memory))
            call.add(pointerTo: sinks.presence)
        } check: { () throws(ContractBreach) in
            if collector.answer == nil { throw Self.noAnswer }
        }.check()
        guard let answer = collector.answer else {
            throw Self.noAnswer.error(overlay: name, method: "can_handle")
        }
        return answer
    }

    private static let noAnswer = ContractBreach(.resultMissing, "It succeeded without an answer.")

    /// The index of the device that the overlay supports; nil if there is none. For an overlay that does not
    /// implement `is_usb_connected`, the host only checks the app, and the result is the first device.
    package func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(HostError) -> Int? {
        guard overlay.implements(.isUSBConnected) else { return devices.isEmpty ? nil : 0 }
        var index: Int64 = -1
        let cell = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
        cell.initialize(to: -1)
        defer { cell.deallocate() }
        try perform(.isUSBConnected, CallFrame(.isUSBConnected)) { call, memory in
            call.add(pointerTo: memory.list(devices) { $0.record(in: memory) })
            call.add(presenceOnly ? 1 : 0)
            call.add(UInt(bitPattern: cell))
        } check: { () throws(ContractBreach) in
            index = cell.pointee
            guard (-1..<Int64(devices.count)).contains(index) else {
                throw ContractBreach(
                    .resultValue, "The index \(index) is out of range; there are \(devices.count) devices.")
            }
        }.check()
        return index < 0 ? nil : Int(index)
    }

    /// The edits that update a list of books after an upload.
    package func addBooksToMetadata(_ added: [BookRecord], snapshot: [BookRecord]) throws(HostError)
        -> [BooklistEdit]
    {
        try edits(.addBooksToMetadata, snapshot) { call, memory in
            call.add(pointerTo: memory.list(added) { memory.book($0) })
        }
    }

    /// The edits that update a list of books after a deletion.
    package func removeBooksFromMetadata(_ paths: [String], snapshot: [BookRecord]) throws(HostError)
        -> [BooklistEdit]
    {
        try edits(.removeBooksFromMetadata, snapshot) { call, memory in
            call.add(pointerTo: memory.texts(paths))
        }
    }

    private func edits(
        _ method: OverlayMethod, _ snapshot: [BookRecord], _ fill: (CallArguments, Arena) -> Void
    ) throws(HostError) -> [BooklistEdit] {
        guard overlay.implements(method) else { throw notImplemented(method) }
        let frame = CallFrame(method)
        let collector = EditCollector(count: snapshot.count)
        frame.edits = collector
        try perform(method, frame) { call, memory in
            fill(call, memory)
            call.add(pointerTo: memory.list(snapshot) { memory.book($0) })
            call.add(pointerTo: sinks.edit)
        }.check()
        return collector.edits
    }
}
