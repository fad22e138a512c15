import OverlayABI

/// `OVL_UNKNOWN`, which Swift cannot import: an unknown size or total; as a length: up to the end.
let OVL_UNKNOWN = UInt64.max

/// A record or table of the ABI: everything that begins with `struct_size` and `flags`. All bytes zero are valid.
package protocol BoundaryRecord {
    init()
    var struct_size: UInt32 { get set }
}

extension ovl_error: BoundaryRecord {}
extension ovl_error_sink: BoundaryRecord {}
extension ovl_text_sink: BoundaryRecord {}
extension ovl_bytes_sink: BoundaryRecord {}
extension ovl_book: BoundaryRecord {}
extension ovl_book_sink: BoundaryRecord {}
extension ovl_books_options: BoundaryRecord {}
extension ovl_upload_item: BoundaryRecord {}
extension ovl_upload_options: BoundaryRecord {}
extension ovl_item_result: BoundaryRecord {}
extension ovl_result_sink: BoundaryRecord {}
extension ovl_booklist_edit: BoundaryRecord {}
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

extension BoundaryRecord {
    /// A zeroed record with the size this host knows.
    package static func sized() -> Self {
        var record = Self()
        record.struct_size = UInt32(MemoryLayout<Self>.size)
        return record
    }

    /// A copy of the record at `pointer`.
    ///
    /// Version 1.0 is the first, so that a record smaller than the one known here was never valid. A larger one comes
    /// from a later version, whose appended fields are ignored.
    /// - Parameter room: bytes that belong to the record at most, such as the stride of its list.
    @inline(__always)
    package static func read(_ pointer: UnsafePointer<Self>, room: Int = .max) throws(ContractBreach) -> Self
    {
        // A foreign caller may pass null where the header forbids it, which Swift does not notice by itself.
        let address = UInt(bitPattern: pointer)
        guard address != 0 else { throw ContractBreach("a null pointer was passed for \(Self.self)") }
        let raw = UnsafeRawPointer(pointer)
        let size = Int(raw.loadUnaligned(as: UInt32.self))
        guard size >= MemoryLayout<Self>.size, size <= room else {
            throw ContractBreach("the struct_size \(size) of \(Self.self) is not possible")
        }
        if address & UInt(MemoryLayout<Self>.alignment - 1) == 0 { return pointer.pointee }
        var copy = Self()
        withUnsafeMutableBytes(of: &copy) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: $0.count))
        }
        return copy
    }
}
