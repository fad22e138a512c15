import Conformance
import Foundation
import TestSupport
import Testing

@Suite("Variants of the overlay that keeps every rule are judged by what they do")
struct VariantTests {
    /// Checks the rules that fit `pattern` with an overlay that has these hooks.
    private func check(
        _ pattern: String, _ hooks: [String: String],
        _ change: (inout CheckOptions) -> Void = { _ in }
    ) throws -> ConformanceReport {
        let folder = try Mutant.privateFolder()
        let library = folder.path("overlay.so")
        try Mutant.compile("Base", to: library, hooks: hooks)
        return try Mutant.check(library: library, folder) { options in
            options.rules = RuleCatalog.rules(fitting: pattern)
            change(&options)
        }
    }

    @Test("A struct_size of 0 in a sink of the overlay is named, and does not end its worker")
    func sinkWithoutSize() throws {
        let report = try check("records/struct-size", ["FILE_SINK_SIZE": "0"])
        #expect(report.broken == ["records/struct-size"], "\(report.text())")
        let seen = report.results.flatMap(\.findings).map(\.seen)
        #expect(
            seen.contains {
                $0.contains("ovl_transport_service.list: The struct_size 0 of an ovl_file_sink is too small")
                    && $0.contains("sizeof(ovl_file_sink)")
            }, "\(seen)")
    }
}
