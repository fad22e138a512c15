import OverlayABI

/// A record or table of the contract: everything that begins with `struct_size` and `flags`.
package protocol ABIRecord {
    init()
    var struct_size: UInt32 { get set }
    var flags: UInt32 { get set }
}

extension ovl_error: ABIRecord {}
extension ovl_error_sink: ABIRecord {}
extension ovl_text_sink: ABIRecord {}
extension ovl_bytes_sink: ABIRecord {}
extension ovl_annotation: ABIRecord {}
extension ovl_book: ABIRecord {}
extension ovl_book_sink: ABIRecord {}
extension ovl_books_options: ABIRecord {}
extension ovl_upload_item: ABIRecord {}
extension ovl_upload_options: ABIRecord {}
extension ovl_item_result: ABIRecord {}
extension ovl_result_sink: ABIRecord {}
extension ovl_booklist_edit: ABIRecord {}
extension ovl_edit_sink: ABIRecord {}
extension ovl_fingerprint: ABIRecord {}
extension ovl_presence: ABIRecord {}
extension ovl_presence_sink: ABIRecord {}
extension ovl_pair: ABIRecord {}
extension ovl_log_service: ABIRecord {}
extension ovl_prefs_service: ABIRecord {}
extension ovl_progress_service: ABIRecord {}
extension ovl_cancel_service: ABIRecord {}
extension ovl_device: ABIRecord {}
extension ovl_device_sink: ABIRecord {}
extension ovl_root: ABIRecord {}
extension ovl_root_sink: ABIRecord {}
extension ovl_file_info: ABIRecord {}
extension ovl_file_sink: ABIRecord {}
extension ovl_read_request: ABIRecord {}
extension ovl_read_sink: ABIRecord {}
extension ovl_push_item: ABIRecord {}
extension ovl_transport_service: ABIRecord {}
extension ovl_storage_service: ABIRecord {}
extension ovl_calls_service: ABIRecord {}
extension ovl_host: ABIRecord {}
extension ovl_source: ABIRecord {}
extension ovl_sniff_hints: ABIRecord {}
extension ovl_format: ABIRecord {}
extension ovl_format_sink: ABIRecord {}
extension ovl_sniff_rule: ABIRecord {}
extension ovl_sniffer: ABIRecord {}
extension ovl_sniff_service: ABIRecord {}
extension ovl_resource: ABIRecord {}
extension ovl_resource_sink: ABIRecord {}
extension ovl_fetch_service: ABIRecord {}
extension ovl_metadata: ABIRecord {}
extension ovl_metadata_sink: ABIRecord {}
extension ovl_metadata_service: ABIRecord {}
extension ovl_option: ABIRecord {}
extension ovl_time_limit: ABIRecord {}
extension ovl_descriptor: ABIRecord {}
extension ovl_missing: ABIRecord {}
extension ovl_settings: ABIRecord {}
extension ovl_settings_sink: ABIRecord {}
extension ovl_methods: ABIRecord {}
extension ovl_entry: ABIRecord {}

extension ABIRecord {
    /// A zeroed record whose `struct_size` is the size this side knows.
    package static func sized() -> Self {
        var record = Self()
        record.struct_size = UInt32(MemoryLayout<Self>.size)
        return record
    }

    /// Copies the record at `pointer`: as many bytes as its writer and this side both know, the rest zero.
    ///
    /// `struct_size` of the result is the number of bytes that were copied.
    /// - Parameter room: bytes that belong to the record at most, such as the stride of its list.
    /// - Throws: `contractBroken` if `struct_size` is smaller than the two fields every record has, or larger than `room`.
    package static func copy(
        from pointer: UnsafeRawPointer, room: Int = .max
    ) throws(OverlayError) -> Self {
        let claimed = Int(pointer.loadUnaligned(as: UInt32.self))
        guard claimed >= 8, claimed <= room else {
            throw .contractBroken("The struct_size \(claimed) of a \(Self.self) is invalid.")
        }
        let known = min(claimed, MemoryLayout<Self>.size)
        var record = Self()
        withUnsafeMutableBytes(of: &record) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: known))
        }
        record.struct_size = UInt32(known)
        return record
    }

    /// Copies the record at `pointer`, which the contract promises not to be null.
    ///
    /// A foreign caller may pass null all the same, and Swift would not notice by itself.
    package static func copy(required pointer: UnsafePointer<Self>) throws(OverlayError) -> Self {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(bitPattern: pointer)) else {
            throw .contractBroken("A null pointer to a \(Self.self) was passed.")
        }
        return try copy(from: pointer)
    }
}

extension OverlayError {
    /// The other side broke the contract.
    package static func contractBroken(_ message: String, subject: String? = nil) -> OverlayError {
        OverlayError(.contractBroken, message, subject: subject)
    }
}
