import OverlayABI

/// A record or table of the contract, which begins with `struct_size` and `flags`. A record of zeros is valid.
///
/// ```swift
/// let pair = ovl_pair.sized()
/// print(Int(pair.struct_size) == MemoryLayout<ovl_pair>.size)  // true
/// ```
///
/// It is public, not `package`, because the compiler specializes only public functions in other modules.
public protocol ABIRecord {
    init()
    var struct_size: UInt32 { get set }
    var flags: UInt32 { get set }
    /// The size in bytes of the record in the first minor version that had it. The record of any writer is at least
    /// this large.
    static var smallest: Int { get }
}

extension ABIRecord {
    /// The complete size, because most records have not grown.
    public static var smallest: Int {
        @inline(__always) get { MemoryLayout<Self>.size }
    }

    /// Creates a zeroed record with the size that this side knows.
    @inlinable
    public static func sized() -> Self {
        var record = Self()
        record.struct_size = UInt32(MemoryLayout<Self>.size)
        return record
    }

    /// The `struct_size` of the record at `pointer`, as set by its writer.
    @inlinable
    public static func claimedSize(at pointer: UnsafeRawPointer) -> Int {
        Int(pointer.loadUnaligned(as: UInt32.self))
    }

    /// Copies the bytes of the record at `pointer` that both its writer and this side know. The rest of the result is
    /// zero.
    ///
    /// A smaller record comes from an earlier minor version: its missing fields are absent. A larger one comes from a
    /// later minor version: its additional fields are ignored. `struct_size` of the result is the number of copied
    /// bytes.
    ///
    /// - Parameters:
    ///   - pointer: the address of the record.
    ///   - smallest: the number of bytes that every record has, at least the 8 of the two fields above.
    ///   - room: the largest number of bytes that belong to the record, such as the stride of its list.
    @inlinable @inline(__always)
    public static func copy(
        at pointer: UnsafePointer<Self>, smallest: Int, room: Int = .max
    ) throws(ViewFault) -> Self {
        // A foreign caller may pass null although the header forbids it. Swift does not check this.
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

extension ABIRecord {
    /// The number of bytes before the book in a record that ends with one.
    fileprivate static var bookAtEnd: Int { MemoryLayout<Self>.size - MemoryLayout<ovl_book>.size }
}

extension ovl_error: ABIRecord {}
extension ovl_error_sink: ABIRecord {}
extension ovl_text_sink: ABIRecord {}
extension ovl_bytes_sink: ABIRecord {}
extension ovl_annotation: ABIRecord {}
extension ovl_book: ABIRecord {
    /// Includes `cover`, the last field in minor version 1.
    public static var smallest: Int {
        @inline(__always) get { 288 }
    }
}
extension ovl_book_sink: ABIRecord {}
extension ovl_collection: ABIRecord {}
extension ovl_collection_sink: ABIRecord {}
extension ovl_books_options: ABIRecord {
    /// Includes `reserved`, the last field in minor version 4.
    public static var smallest: Int { 16 }
}
extension ovl_upload_item: ABIRecord {
    /// Includes the smallest book.
    public static var smallest: Int { bookAtEnd + ovl_book.smallest }
}
extension ovl_upload_options: ABIRecord {}
extension ovl_item_result: ABIRecord {
    /// Includes `native_code`, the last field in minor version 4.
    public static var smallest: Int { 96 }
}
extension ovl_result_sink: ABIRecord {}
extension ovl_booklist_edit: ABIRecord {
    /// Includes the smallest book.
    public static var smallest: Int { bookAtEnd + ovl_book.smallest }

    /// The number of bytes before the book at the end of the record.
    public static var bookOffset: Int { bookAtEnd }
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
extension ovl_device: ABIRecord {
    /// Includes `app_version`, the last field in minor version 1.
    public static var smallest: Int { 120 }
}
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
extension ovl_metadata: ABIRecord {
    /// Includes the smallest book.
    public static var smallest: Int { bookAtEnd + ovl_book.smallest }
}
extension ovl_metadata_sink: ABIRecord {}
extension ovl_metadata_service: ABIRecord {}
extension ovl_option: ABIRecord {}
extension ovl_time_limit: ABIRecord {}
extension ovl_descriptor: ABIRecord {
    /// Includes `help`, the last field in minor version 2.
    public static var smallest: Int { 200 }
}
extension ovl_missing: ABIRecord {}
extension ovl_settings: ABIRecord {}
extension ovl_settings_sink: ABIRecord {}
extension ovl_methods: ABIRecord {
    /// Includes `post_yank_cleanup`, the last function in minor version 1.
    public static var smallest: Int { 136 }
}
extension ovl_entry: ABIRecord {}
