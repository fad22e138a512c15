import BookModel
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayCalls

/// How a USB device presents itself.
package struct DeviceFingerprint: Sendable, Equatable {
    /// Vendor and product; 0 if unknown.
    package var vendorID: UInt32
    package var productID: UInt32
    package var manufacturer: String?
    package var product: String?
    /// The UDID.
    package var serial: String

    /// A device of Apple unless said otherwise, by its UDID.
    package init(
        serial: String, vendorID: UInt32 = 0x05AC, productID: UInt32 = 0,
        manufacturer: String? = "Apple Inc.",
        product: String? = nil
    ) {
        self.serial = serial
        self.vendorID = vendorID
        self.productID = productID
        self.manufacturer = manufacturer
        self.product = product
    }
}

extension OverlayInstance {
    /// Whether the device can be served now; yes for an overlay that does not implement `can_handle`.
    package func canHandle(_ device: DeviceFingerprint) throws(HostError) -> PresenceAnswer {
        guard overlay.implements(.canHandle) else { return PresenceAnswer(.yes) }
        let frame = CallFrame(.canHandle)
        let collector = PresenceCollector()
        frame.presence = collector
        try perform(.canHandle, frame) { call, memory in
            call.add(pointerTo: memory.fingerprint(device))
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

    /// Which of the devices is the overlay's; nil for none. The host matches by the app alone (the first device) for an
    /// overlay that does not implement `is_usb_connected`.
    package func isUSBConnected(_ devices: [DeviceFingerprint], presenceOnly: Bool) throws(HostError) -> Int?
    {
        guard overlay.implements(.isUSBConnected) else { return devices.isEmpty ? nil : 0 }
        var index: Int64 = -1
        let cell = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
        cell.initialize(to: -1)
        defer { cell.deallocate() }
        try perform(.isUSBConnected, CallFrame(.isUSBConnected)) { call, memory in
            call.add(pointerTo: memory.list(devices) { memory.fingerprint($0) })
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

    /// The edits that bring a booklist up to date after an upload.
    package func addBooksToMetadata(_ added: [BookRecord], snapshot: [BookRecord]) throws(HostError)
        -> [BooklistEdit]
    {
        try edits(.addBooksToMetadata, snapshot) { call, memory in
            call.add(pointerTo: memory.list(added) { memory.book($0) })
        }
    }

    /// The edits that bring a booklist up to date after a deletion.
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

extension Arena {
    func fingerprint(_ device: DeviceFingerprint) -> ovl_fingerprint {
        var record = ovl_fingerprint.sized()
        record.vendor_id = device.vendorID
        record.product_id = device.productID
        record.manufacturer = text(device.manufacturer)
        record.product = text(device.product)
        record.serial = text(device.serial)
        return record
    }
}
