import Foundation
import TestSupport
import Testing

/// The headers of the contract in one of its minor versions.
struct HeaderVariant: CustomTestStringConvertible, Sendable {
    var name: String
    /// The folder of the headers; nil for the current headers with additions.
    private var folder: URL?

    /// The first version that came out.
    static let oldest = HeaderVariant(
        name: "1.0", folder: sourceFolder.appendingPathComponent("Tests/ExampleTests/Fixtures/abi-1.0"))
    /// The headers of the source tree.
    static let today = HeaderVariant(
        name: "today", folder: sourceFolder.appendingPathComponent("Sources/OverlayABI/include"))
    /// A possible later minor version, with an additional field, method, function and text.
    static let newer = HeaderVariant(name: "newer", folder: nil)

    static let all = [oldest, today, newer]

    var testDescription: String { name }
    var isNewer: Bool { folder == nil }
    /// Whether its books have word counts.
    var hasWords: Bool { name != "1.0" }

    /// The folder of the headers, which is made in the workshop if necessary.
    func headers(_ shop: Workshop) throws -> URL {
        if let folder { return folder }
        let made = shop.folder.url.appendingPathComponent("newer-headers")
        if FileManager.default.fileExists(atPath: made.path) { return made }
        let today = sourceFolder.appendingPathComponent("Sources/OverlayABI/include")
        try FileManager.default.copyItem(at: today, to: made)
        try append("uint64_t newer_mark;", toStruct: "ovl_book", in: "overlay_records.h", made)
        try append("ovl_text newer_text;", toStruct: "ovl_descriptor", in: "overlay_methods.h", made)
        try append(
            "ovl_status (*newer_method)(ovl_instance *instance, const ovl_error_sink *error);",
            toStruct: "ovl_methods", in: "overlay_methods.h", made)
        try append(
            "int32_t (*newer_function)(void *ctx);", toStruct: "ovl_log_service", in: "overlay_services.h",
            made)
        try edit("overlay_types.h", made) { text in
            let line = try #require(text.firstMatch(of: #/#define OVL_ABI_MINOR (\d+)u/#))
            let minor = try #require(Int(line.1)) + 1
            return text.replacing(line.0, with: "#define OVL_ABI_MINOR \(minor)u")
        }
        return made
    }

    private func append(_ field: String, toStruct name: String, in file: String, _ folder: URL) throws {
        try edit(file, folder) { text in
            let end = "} \(name);"
            try #require(text.components(separatedBy: end).count == 2, "\(name)")
            return text.replacingOccurrences(of: end, with: "    \(field)\n\(end)")
        }
    }

    private func edit(_ file: String, _ folder: URL, _ change: (String) throws -> String) throws {
        let place = folder.appendingPathComponent(file)
        try Data(change(String(contentsOf: place, encoding: .utf8)).utf8).write(to: place)
    }
}
