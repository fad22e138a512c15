import Foundation
import OverlayABI
import OverlayBridge
import Testing

/// Each minor version's layout is kept as it was released.
@Suite("A later minor version of the contract only appends")
struct LayoutHistoryTests {
    /// The layout of a struct in one version.
    private struct Record {
        var size: Int
        /// Offset, size and alignment by name, in order.
        var fields: [(name: String, numbers: [Int])] = []
    }

    private static let versions = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]
    /// Records that end with a record that may grow, and so may change their size.
    private static let growing: Set = ["ovl_upload_item.book", "ovl_booklist_edit.book", "ovl_metadata.book"]

    private func kept(_ version: String) throws -> [String: Record] {
        try records(
            SourceTree.text(SourceTree.fixtures.appendingPathComponent("layouts/\(version).def")))
    }

    private func today() throws -> [String: Record] {
        try records(SourceTree.text(SourceTree.abi.appendingPathComponent("overlay_layout_v1.def")))
    }

    private func records(_ text: String) throws -> [String: Record] {
        var records: [String: Record] = [:]
        for line in text.split(separator: "\n") {
            if let row = line.wholeMatch(of: #/OVL_LAYOUT_STRUCT\((\w+), (\d+), (\d+)\)/#) {
                records[String(row.1)] = Record(size: try #require(Int(row.2)))
            } else if let row = line.wholeMatch(of: #/OVL_LAYOUT_FIELD\((\w+), (\w+), (\d+), (\d+), (\d+)\)/#)
            {
                let numbers = try [#require(Int(row.3)), #require(Int(row.4)), #require(Int(row.5))]
                records[String(row.1)]?.fields.append((String(row.2), numbers))
            }
        }
        return records
    }

    @Test("Every field of a version keeps its place", arguments: versions)
    func nothingMoves(_ version: String) throws {
        let (old, new) = try (kept(version), today())
        #expect(old.count >= 40)
        for (name, record) in old {
            let later = try #require(new[name], "\(name) is gone since \(version)")
            #expect(later.size >= record.size, "\(name)")
            for (place, field) in record.fields.enumerated() {
                let found = later.fields.indices.contains(place) ? later.fields[place] : ("", [])
                #expect(found.0 == field.name, "\(name).\(field.name) since \(version)")
                if Self.growing.contains("\(name).\(field.name)") {
                    #expect(found.1.first == field.numbers.first && place == record.fields.count - 1)
                    #expect(found.1.dropFirst().first ?? 0 >= field.numbers[1])
                } else {
                    #expect(found.1 == field.numbers, "\(name).\(field.name) since \(version)")
                }
            }
        }
    }

    @Test("Views never grow, and a record that has not grown has the size it had", arguments: versions)
    func sizes(_ version: String) throws {
        let (old, new) = try (kept(version), today())
        for (name, record) in old {
            let later = try #require(new[name])
            let ends = later.fields.last.map { $0.numbers[0] + $0.numbers[1] }
            #expect(ends == later.size, "\(name)")
            if later.fields.count == record.fields.count, !Self.growing.contains("\(name).book") {
                #expect(later.size == record.size, "\(name)")
            }
        }
        for view in ["ovl_text", "ovl_bytes", "ovl_texts", "ovl_list"] {
            #expect(new[view]?.size == old[view]?.size)
        }
    }

    /// The records that begin with a size.
    private static var records: [any ABIRecord.Type] {
        [
            ovl_error.self, ovl_error_sink.self, ovl_text_sink.self, ovl_bytes_sink.self, ovl_annotation.self,
            ovl_book.self, ovl_book_sink.self, ovl_collection.self, ovl_collection_sink.self,
            ovl_books_options.self, ovl_upload_item.self, ovl_upload_options.self, ovl_item_result.self,
            ovl_result_sink.self, ovl_booklist_edit.self, ovl_edit_sink.self, ovl_fingerprint.self,
            ovl_presence.self, ovl_presence_sink.self, ovl_pair.self, ovl_log_service.self,
            ovl_prefs_service.self, ovl_progress_service.self, ovl_cancel_service.self, ovl_device.self,
            ovl_device_sink.self, ovl_root.self, ovl_root_sink.self, ovl_file_info.self, ovl_file_sink.self,
            ovl_read_request.self, ovl_read_sink.self, ovl_push_item.self, ovl_transport_service.self,
            ovl_storage_service.self, ovl_calls_service.self, ovl_host.self, ovl_sync_options.self,
            ovl_sync_row.self, ovl_sync_row_sink.self, ovl_source_file.self, ovl_source_sink.self,
            ovl_source_item.self, ovl_source_service.self, ovl_source.self, ovl_sniff_hints.self,
            ovl_format.self, ovl_format_sink.self, ovl_sniff_rule.self, ovl_sniffer.self,
            ovl_sniff_service.self, ovl_resource.self, ovl_resource_sink.self, ovl_fetch_service.self,
            ovl_metadata.self, ovl_metadata_sink.self, ovl_metadata_service.self, ovl_option.self,
            ovl_time_limit.self, ovl_descriptor.self, ovl_missing.self, ovl_settings.self,
            ovl_settings_sink.self, ovl_methods.self, ovl_entry.self,
        ]
    }

    @Test("The smallest size that is accepted of a record is that of the first version which has it")
    func smallest() throws {
        var first: [String: Int] = [:]
        for version in Self.versions {
            for (name, record) in try kept(version) where record.fields.first?.name == "struct_size" {
                first[name] = first[name] ?? record.size
            }
        }
        let accepted = Self.records.map { ("\($0)", $0.smallest) }
        #expect(try Dictionary(accepted) { _, _ in throw DuplicateRecord() } == first)
    }

    private struct DuplicateRecord: Error {}

    @Test("The newest kept layout is that of the header's minor version")
    func newest() throws {
        let header = try SourceTree.header("overlay_types.h")
        let minor = try #require(header.firstMatch(of: #/#define OVL_ABI_MINOR (\d+)u/#)?.1)
        #expect(
            Self.versions.last == "1.\(minor)",
            "Keep the layout of 1.\(minor) in Fixtures/layouts, and name it here.")
    }
}
