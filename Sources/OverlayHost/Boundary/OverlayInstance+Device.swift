import OverlayABI

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
        guard let slot = overlay.methods.can_handle else { return PresenceAnswer(.yes) }
        let frame = CallFrame(.canHandle)
        let collector = PresenceCollector()
        frame.presence = collector
        let memory = CallMemory()
        let fingerprint = memory.fingerprint(device)
        let sink = core.presenceSink()
        let outcome = perform(.canHandle, frame) { instance, error in
            let status = withExtendedLifetime(memory) {
                withUnsafePointer(to: fingerprint) { fingerprint in
                    withUnsafePointer(to: sink) { slot(instance, fingerprint, $0, error) }
                }
            }
            if status == OVL_OK, collector.answer == nil {
                frame.note(ContractBreach(.resultMissing, "it succeeded without an answer"))
            }
            return status
        }
        try outcome.check()
        guard let answer = collector.answer else {
            throw ContractBreach(.resultMissing, "it succeeded without an answer").error(
                overlay: name, method: "can_handle")
        }
        return answer
    }

    /// Which of the devices is the overlay's; nil for none. The host matches by the app alone (the first device) for an
    /// overlay that does not implement `is_usb_connected`.
    package func isUSBConnected(_ devices: [DeviceFingerprint], presenceOnly: Bool) throws(HostError) -> Int?
    {
        guard let slot = overlay.methods.is_usb_connected else { return devices.isEmpty ? nil : 0 }
        let frame = CallFrame(.isUSBConnected)
        let memory = CallMemory()
        let list = memory.list(devices) { memory.fingerprint($0) }
        var index: Int64 = -1
        try perform(.isUSBConnected, frame) { instance, error in
            let status = withExtendedLifetime(memory) {
                withUnsafePointer(to: list) { slot(instance, $0, presenceOnly ? 1 : 0, &index, error) }
            }
            if status == OVL_OK, !(-1..<Int64(devices.count)).contains(index) {
                frame.note(
                    ContractBreach(
                        .resultValue, "the index \(index) is out of range, there are \(devices.count) devices"
                    ))
            }
            return status
        }.check()
        return index < 0 ? nil : Int(index)
    }

    /// The edits that bring a booklist up to date after an upload.
    package func addBooksToMetadata(_ added: [BookRecord], snapshot: [BookRecord]) throws(HostError)
        -> [BooklistEdit]
    {
        guard let slot = overlay.methods.add_books_to_metadata else {
            throw notImplemented(.addBooksToMetadata)
        }
        let memory = CallMemory()
        let list = memory.list(added) { memory.book($0) }
        return try edits(.addBooksToMetadata, snapshot, memory) { instance, snapshot, sink, error in
            withUnsafePointer(to: list) { slot(instance, $0, snapshot, sink, error) }
        }
    }

    /// The edits that bring a booklist up to date after a deletion.
    package func removeBooksFromMetadata(_ paths: [String], snapshot: [BookRecord]) throws(HostError)
        -> [BooklistEdit]
    {
        guard let slot = overlay.methods.remove_books_from_metadata else {
            throw notImplemented(.removeBooksFromMetadata)
        }
        let memory = CallMemory()
        let texts = memory.texts(paths)
        return try edits(.removeBooksFromMetadata, snapshot, memory) { instance, snapshot, sink, error in
            withUnsafePointer(to: texts) { slot(instance, $0, snapshot, sink, error) }
        }
    }

    private func edits(
        _ method: OverlayMethod, _ snapshot: [BookRecord], _ memory: CallMemory,
        _ body: (
            OpaquePointer, UnsafePointer<ovl_list>, UnsafePointer<ovl_edit_sink>,
            UnsafePointer<ovl_error_sink>
        ) -> ovl_status
    ) throws(HostError) -> [BooklistEdit] {
        let frame = CallFrame(method)
        let collector = EditCollector(count: snapshot.count)
        frame.edits = collector
        let list = memory.list(snapshot) { memory.book($0) }
        let sink = core.editSink()
        try perform(method, frame) { instance, error in
            withExtendedLifetime(memory) {
                withUnsafePointer(to: list) { list in
                    withUnsafePointer(to: sink) { body(instance, list, $0, error) }
                }
            }
        }.check()
        return collector.edits
    }
}

extension CallMemory {
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
