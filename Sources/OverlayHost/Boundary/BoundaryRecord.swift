import OverlayABI

/// `OVL_UNKNOWN`, which Swift cannot import: an unknown size or total; as a length: up to the end.
let OVL_UNKNOWN = UInt64.max

/// A record or table of the ABI: everything that begins with `struct_size` and `flags`. All bytes zero are valid.
package protocol BoundaryRecord {
    init()
    var struct_size: UInt32 { get set }
    /// Bytes of the record in the minor version that had it first: no writer's is smaller.
    static var smallest: Int { get }
}

extension BoundaryRecord {
    /// All of it: most records have not grown.
    package static var smallest: Int {
        @inline(__always) get { MemoryLayout<Self>.size }
    }
}

extension ovl_error: BoundaryRecord {}
extension ovl_error_sink: BoundaryRecord {}
extension ovl_text_sink: BoundaryRecord {}
extension ovl_bytes_sink: BoundaryRecord {}
extension ovl_annotation: BoundaryRecord {}
extension ovl_book: BoundaryRecord {
    /// Up to `cover`, with which minor version 1 ended it.
    package static var smallest: Int {
        @inline(__always) get { 288 }
    }
}
extension ovl_book_sink: BoundaryRecord {}
extension ovl_books_options: BoundaryRecord {}
extension ovl_upload_item: BoundaryRecord {}
extension ovl_upload_options: BoundaryRecord {}
extension ovl_item_result: BoundaryRecord {}
extension ovl_result_sink: BoundaryRecord {}
extension ovl_booklist_edit: BoundaryRecord {
    /// Up to the end of the smallest book.
    package static var smallest: Int { bookOffset + ovl_book.smallest }

    /// Bytes before the book that ends it.
    static var bookOffset: Int { MemoryLayout<Self>.size - MemoryLayout<ovl_book>.size }
}
extension ovl_edit_sink: BoundaryRecord {}
extension ovl_fingerprint: BoundaryRecord {}
extension ovl_presence: BoundaryRecord {}
extension ovl_presence_sink: BoundaryRecord {}
extension ovl_pair: BoundaryRecord {}
extension ovl_log_service: BoundaryRecord {}
extension ovl_prefs_service: BoundaryRecord {}
extension ovl_progress_service: BoundaryRecord {}
extension ovl_cancel_service: BoundaryRecord {}
extension ovl_device: BoundaryRecord {}
extension ovl_device_sink: BoundaryRecord {}
extension ovl_root: BoundaryRecord {}
extension ovl_root_sink: BoundaryRecord {}
extension ovl_file_info: BoundaryRecord {}
extension ovl_file_sink: BoundaryRecord {}
extension ovl_read_request: BoundaryRecord {}
extension ovl_read_sink: BoundaryRecord {}
extension ovl_push_item: BoundaryRecord {}
extension ovl_transport_service: BoundaryRecord {}
extension ovl_storage_service: BoundaryRecord {}
extension ovl_calls_service: BoundaryRecord {}
extension ovl_host: BoundaryRecord {}
extension ovl_source: BoundaryRecord {}
extension ovl_sniff_hints: BoundaryRecord {}
extension ovl_format: BoundaryRecord {}
extension ovl_format_sink: BoundaryRecord {}
extension ovl_sniff_rule: BoundaryRecord {}
extension ovl_sniffer: BoundaryRecord {}
extension ovl_sniff_service: BoundaryRecord {}
extension ovl_resource: BoundaryRecord {}
extension ovl_resource_sink: BoundaryRecord {}
extension ovl_fetch_service: BoundaryRecord {}
extension ovl_metadata: BoundaryRecord {}
extension ovl_metadata_sink: BoundaryRecord {}
extension ovl_metadata_service: BoundaryRecord {}
extension ovl_missing: BoundaryRecord {}
extension ovl_settings: BoundaryRecord {}
extension ovl_settings_sink: BoundaryRecord {}

extension BoundaryRecord {
    /// A zeroed record with the size this host knows.
    package static func sized() -> Self {
        var record = Self()
        record.struct_size = UInt32(MemoryLayout<Self>.size)
        return record
    }

    /// A copy of the record at `pointer`.
    ///
    /// A record smaller than the one known here comes from an earlier minor version, whose missing fields are absent, and
    /// one smaller than any version's is refused. A larger one comes from a later version, whose appended fields are ignored.
    /// - Parameter room: bytes that belong to the record at most, such as the stride of its list.
    @inline(__always)
    package static func read(_ pointer: UnsafePointer<Self>, room: Int = .max) throws(ContractBreach) -> Self
    {
        // A foreign caller may pass null where the header forbids it, which Swift does not notice by itself.
        let address = UInt(bitPattern: pointer)
        guard address != 0 else {
            throw ContractBreach(.nullPointer, "a null pointer was passed for \(Self.self)")
        }
        let raw = UnsafeRawPointer(pointer)
        let size = Int(raw.loadUnaligned(as: UInt32.self))
        guard size >= smallest, size <= room else {
            throw ContractBreach(.structSize, "the struct_size \(size) of \(Self.self) is invalid")
        }
        let known = MemoryLayout<Self>.size
        if size >= known, address & UInt(MemoryLayout<Self>.alignment - 1) == 0 { return pointer.pointee }
        var copy = Self()
        withUnsafeMutableBytes(of: &copy) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min(size, known)))
        }
        return copy
    }
}
