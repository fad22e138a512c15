import Diagnostics
import OverlayABI
import OverlayBridge
import Platform

/// Checks a descriptor and converts it into Swift values.
package enum DescriptorReader {
    /// The largest sizes of texts in bytes, and of lists.
    package enum Most {
        static let id = 64
        package static let name = 256
        static let sentence = 2048
        static let help = 1 << 18
        package static let list = 256
    }

    /// Reads a copied descriptor, whose pointers still refer to memory of the overlay.
    static func read(_ record: ovl_descriptor) throws(OverlayRefusal) -> OverlayDescription {
        let id = try required(record.id, "id", limit: Most.id)
        guard isID(id) else {
            throw invalid(
                .id,
                "The id \"\(id)\" in its descriptor may contain only a-z, 0-9, _ and -, and must begin with a "
                    + "letter or digit.")
        }
        let version = try required(record.version, "version")
        guard SemanticVersion.isValid(version) else {
            throw invalid(
                .version,
                "The version \"\(version)\" in its descriptor is not a semantic version such as 1.2.0.")
        }
        let appIDs = try list(record.app_ids, "app_ids")
        guard !appIDs.isEmpty || record.flags & OVL_TRAIT_ANY_FILE_SHARING_APP != 0 else {
            throw invalid(.appIDs, "In its descriptor, app_ids is empty.")
        }
        for appID in appIDs where !isBundleID(appID) {
            throw invalid(
                .appIDs, "In its descriptor, app_ids contains \"\(appID)\", which is not a bundle id.")
        }
        let formats = try list(record.formats, "formats")
        for format in formats where !isFormat(format) {
            throw invalid(
                .formats,
                "In its descriptor, formats contains \"\(format)\", which is not a lower-case extension "
                    + "without a dot.")
        }
        var descriptor = OverlayDescription(
            id: id, name: try required(record.name, "name"), version: version,
            summary: try text(record.summary, "summary", limit: Most.sentence) ?? "",
            appName: try required(record.app_name, "app_name"), appIDs: appIDs, formats: formats,
            settableMetadata: try list(record.settable_metadata, "settable_metadata"),
            plugboardName: try text(record.plugboard_name, "plugboard_name", limit: Most.name),
            thumbnailHeight: record.thumbnail_height, traits: .init(rawValue: record.flags),
            help: try text(record.help, "help", limit: Most.help, lines: true))
        descriptor.options = try OptionReader.read(record.options, id: id, appName: descriptor.appName)
        let read = try TimeLimitReader.read(record.time_limits)
        (descriptor.timeLimits, descriptor.unknownLimits) = (read.limits, read.unknown)
        return descriptor
    }

    // MARK: texts

    static func required(
        _ view: ovl_text, _ field: String, limit: Int = Most.name
    ) throws(OverlayRefusal) -> String {
        guard let value = try text(view, field, limit: limit), !value.isEmpty else {
            throw invalid(.required, "In its descriptor, \(field) is missing.")
        }
        return value
    }

    static func text(
        _ view: ovl_text, _ field: String, limit: Int, lines: Bool = false
    ) throws(OverlayRefusal) -> String? {
        let value: String?
        do throws(ViewFault) {
            value = try view.copy(field, limit: limit)
        } catch {
            switch error {
            case .tooManyBytes(_, let bytes, let limit):
                throw invalid(
                    .limit, "In its descriptor, \(field) has \(bytes) bytes; at most \(limit) are allowed.")
            case .sizeWithoutData: return nil
            default: throw invalid(.utf8, "In its descriptor, \(field) is not UTF-8.")
            }
        }
        // Names are displayed on terminals, which interpret control characters.
        let isControl = value?.unicodeScalars.contains { scalar in
            scalar.isControl && !(lines && (scalar == "\n" || scalar == "\t"))
        }
        if isControl == true {
            throw invalid(.control, "In its descriptor, \(field) contains a control character.")
        }
        return value
    }

    /// Copies the records of a list.
    static func records<Record: ABIRecord>(
        _ list: ovl_list, of type: Record.Type, _ field: String, _ rule: DescriptorRule
    ) throws(OverlayRefusal) -> [Record] {
        func refusal(_ fault: ViewFault) -> OverlayRefusal {
            switch fault {
            case .countWithoutItems(_, let count):
                return invalid(rule, "In its descriptor, \(field) has a count of \(count) but no records.")
            case .tooManyElements(_, let count, let limit):
                return invalid(
                    rule, "In its descriptor, \(field) has \(count) records; at most \(limit) are allowed.")
            case .stride(_, let stride):
                return OverlayRefusal(
                    .structTooSmall,
                    "Its \(field) are \(stride) bytes apart; the overlay ABI needs \(Record.smallest), in steps of 8.",
                    hint: "stride must be sizeof(\(type)).")
            case .structSize(let size, let name):
                return OverlayRefusal(
                    .structTooSmall,
                    "Its \(name) has \(size) bytes; the overlay ABI needs \(Record.smallest), and its stride is \(list.stride).",
                    hint: "struct_size must be sizeof(\(type)).")
            default: return invalid(rule, "In its descriptor, \(field) cannot be read.")
            }
        }
        var records: [Record] = []
        guard list.stride <= 1 << 16 else { throw refusal(.stride(field, stride: list.stride)) }
        try list.forEach(type, field, limit: Most.list, smallest: Record.smallest, fault: refusal) {
            record throws(OverlayRefusal) in records.append(record)
        }
        return records
    }

    static func list(_ texts: ovl_texts, _ field: String) throws(OverlayRefusal) -> [String] {
        guard texts.count > 0 else { return [] }
        guard let items = texts.items else {
            throw invalid(.list, "In its descriptor, \(field) has a count of \(texts.count) but no texts.")
        }
        guard texts.count <= UInt64(Most.list) else {
            throw invalid(
                .limit,
                "In its descriptor, \(field) has \(texts.count) texts; at most \(Most.list) are allowed.")
        }
        var values: [String] = []
        for index in 0..<Int(texts.count) {
            let view = UnsafeRawPointer(items).loadUnaligned(
                fromByteOffset: index * MemoryLayout<ovl_text>.stride, as: ovl_text.self)
            values.append(try required(view, "\(field)[\(index)]"))
        }
        return values
    }

    /// Creates the refusal of a descriptor that breaks `rule`. The message is a complete sentence.
    static func invalid(_ rule: DescriptorRule, _ message: String) -> OverlayRefusal {
        OverlayRefusal(.invalidDescriptor, message, underlying: rule)
    }

    // MARK: grammars

    private static func isID(_ text: String) -> Bool {
        let letters = text.utf8
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard let first = letters.first, isLetter(first) else { return false }
        return letters.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    private static func isBundleID(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
        }
    }

    package static func isFormat(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_" || $0 == "-"
        }
    }
}
