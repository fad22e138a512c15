import OverlayABI

/// A record or table of the contract: everything that begins with `struct_size` and `flags`. All bytes zero are valid.
package protocol ABIRecord {
    init()
    var struct_size: UInt32 { get set }
    var flags: UInt32 { get set }
    /// Bytes of the record in the first minor version that had it: no writer's record is smaller.
    static var smallest: Int { get }
}

extension ABIRecord {
    /// All of it: most records have not grown.
    package static var smallest: Int {
        @inline(__always) get { MemoryLayout<Self>.size }
    }

    /// A zeroed record with the size that this side knows.
    @inlinable
    package static func sized() -> Self {
        var record = Self()
        record.struct_size = UInt32(MemoryLayout<Self>.size)
        return record
    }

    /// The `struct_size` that the writer of the record at `pointer` has set.
    @inlinable
    package static func claimedSize(at pointer: UnsafeRawPointer) -> Int {
        Int(pointer.loadUnaligned(as: UInt32.self))
    }

    /// Copies the record at `pointer`: as many bytes as its writer and this side both know, the rest zero.
    ///
    /// A smaller record comes from an earlier minor version: its missing fields are absent. A larger one comes from a later
    /// version: its additional fields are ignored. `struct_size` of the result is the number of copied bytes.
    ///
    /// - Parameters:
    ///   - smallest: bytes that every writer's record has, at least the 8 of the two fields above.
    ///   - room: most bytes that belong to the record, such as the stride of its list.
    @inlinable @inline(__always)
    package static func copy(
        at pointer: UnsafePointer<Self>, smallest: Int, room: Int = .max
    ) throws(ViewFault) -> Self {
        // A foreign caller may pass null where the header forbids it, which Swift does not notice.
        guard let raw = UnsafeRawPointer(bitPattern: UInt(bitPattern: pointer)) else {
            throw .nullPointer("\(Self.self)")
        }
        let claimed = claimedSize(at: raw)
        guard claimed >= smallest, claimed <= room else {
            throw .structSize(claimed, of: "\(Self.self)")
        }
        let known = min(claimed, MemoryLayout<Self>.size)
        var record = Self()
        withUnsafeMutableBytes(of: &record) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: known))
        }
        record.struct_size = UInt32(known)
        return record
    }
}

extension ovl_error: ABIRecord {}
extension ovl_error_sink: ABIRecord {}
extension ovl_text_sink: ABIRecord {}
extension ovl_bytes_sink: ABIRecord {}
extension ovl_annotation: ABIRecord {}
extension ovl_book: ABIRecord {
    /// Up to `cover`, with which minor version 1 ended it.
    package static var smallest: Int {
        @inline(__always) get { 288 }
    }
}
extension ovl_book_sink: ABIRecord {}
extension ovl_collection: ABIRecord {}
extension ovl_collection_sink: ABIRecord {}
extension ovl_books_options: ABIRecord {
    /// Up to `reserved`, with which minor version 4 ended it.
    package static var smallest: Int { 16 }
}
extension ovl_upload_item: ABIRecord {}
extension ovl_upload_options: ABIRecord {}
extension ovl_item_result: ABIRecord {
    /// Up to `native_code`, with which minor version 4 ended it.
    package static var smallest: Int { 96 }
}
extension ovl_result_sink: ABIRecord {}
extension ovl_booklist_edit: ABIRecord {
    /// Up to the end of the smallest book.
    package static var smallest: Int { bookOffset + ovl_book.smallest }

    /// Bytes before the book that ends it.
    package static var bookOffset: Int { MemoryLayout<Self>.size - MemoryLayout<ovl_book>.size }
}
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
extension ovl_sync_options: ABIRecord {}
extension ovl_sync_row: ABIRecord {}
extension ovl_sync_row_sink: ABIRecord {}
extension ovl_source_file: ABIRecord {}
extension ovl_source_sink: ABIRecord {}
extension ovl_source_item: ABIRecord {}
extension ovl_source_service: ABIRecord {}
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
