import OverlayABI
import OverlayHost

/// Checks every field of a record of any kind, using the contract's table of signatures.
struct RecordScan {
    /// The most elements of a list that are checked.
    private static let mostElements: UInt64 = 4096

    /// Unchecked: an address in the program's constant table.
    private struct Signature: @unchecked Sendable {
        let record: UnsafePointer<ovl_sig_record>
    }

    private static let records: [String: Signature] = {
        var count: UInt32 = 0
        let table = ovl_signatures_v1(&count)
        var records: [String: Signature] = [:]
        for index in 0..<Int(count) {
            records[String(cString: table[index].pointee.name)] = Signature(record: table[index])
        }
        return records
    }()

    /// The problems, with the rules that they break.
    private(set) var findings: [(rule: ConformanceRule, seen: String)] = []

    /// Checks the record `kind` at `pointer`, where `struct_size` bytes must be readable.
    mutating func check(at pointer: UnsafeRawPointer, _ kind: String) {
        guard let record = Self.records[kind] else { return }
        check(pointer, record.record.pointee, kind)
    }

    private mutating func check(_ base: UnsafeRawPointer, _ record: ovl_sig_record, _ name: String) {
        let size = Int(base.loadUnaligned(as: UInt32.self))
        // The host reports an impossible size.
        guard size >= 8, size <= 1 << 16 else { return }
        for index in 0..<Int(record.field_count) {
            let field = record.fields[index]
            let (offset, end) = (Int(field.offset), Int(field.offset + field.size))
            guard field.kind == OVL_KIND_RECORD || end <= size else { continue }
            let at = base + offset
            let fieldName = "\(name).\(String(cString: field.name))"
            switch field.kind {
            case OVL_KIND_FLAGS:
                let unknown = at.loadUnaligned(as: UInt32.self) & ~record.known_flags
                if unknown != 0 { add(RuleCatalog.flags, "\(fieldName) has the unknown bits \(unknown).") }
            case OVL_KIND_RESERVED:
                let bytes = UnsafeRawBufferPointer(start: at, count: Int(field.size))
                if bytes.contains(where: { $0 != 0 }) {
                    add(RuleCatalog.reservedZero, "\(fieldName) is not zero.")
                }
            case OVL_KIND_TEXT: check(at.loadUnaligned(as: ovl_text.self), fieldName)
            case OVL_KIND_LIST:
                if let element = field.record { check(at.loadUnaligned(as: ovl_list.self), element.pointee) }
            case OVL_KIND_RECORD:
                if offset + 8 <= size, let inner = field.record {
                    check(at, inner.pointee, String(cString: inner.pointee.name))
                }
            default: continue
            }
        }
    }

    private mutating func check(_ text: ovl_text, _ name: String) {
        guard let data = text.data else {
            if text.size > 0 { add(RuleCatalog.views, "\(name) has the size \(text.size) and no data.") }
            return
        }
        guard text.size <= UInt64(BoundaryLimits.description) else { return }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(text.size))
        do {
            _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
        } catch {
            add(RuleCatalog.utf8, "\(name) holds bytes that are not UTF-8.")
        }
    }

    private mutating func check(_ list: ovl_list, _ element: ovl_sig_record) {
        guard let items = list.items, list.stride >= 8, list.stride <= 1 << 16 else { return }
        for index in 0..<Int(min(list.count, Self.mostElements)) {
            check(items + index * Int(list.stride), element, String(cString: element.name))
        }
    }

    private mutating func add(_ rule: ConformanceRule, _ seen: String) { findings.append((rule, seen)) }
}
