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

    @Test("Memory that the overlay frees later, as with a garbage collector, is not reported as a leak")
    func collector() throws {
        // Keeps a megabyte of each cleanup, and frees all of them together.
        let collect = """
            { static char *kept[24]; static int count; \
            if (count == 24) while (count > 0) free(kept[--count]); \
            if ((kept[count] = malloc(1 << 20)) != NULL) memset(kept[count++], 1, 1 << 20); }
            """
        let report = try check("leaks", ["IN_CLEANUP": collect])
        #expect(report.broken == [], "\(report.text())")
        #expect(report.skipped == ["leaks/memory"])
        #expect(report.text().contains("stopped growing"), "\(report.text())")
    }

    @Test(
        "An overlay that cannot begin on the simulated device is neither passed nor failed",
        arguments: [
            ("IN_INITIALIZE", "return fail(error, OVL_FAILED, \"It needs a key.\");"),
            ("IN_CAN_HANDLE", "return fail(error, OVL_FAILED, \"It needs a key.\");"),
            (
                "IN_CAN_HANDLE",
                "presence.answer = OVL_PRESENCE_NO; presence.message = view(\"It needs a key.\");"
            ),
        ])
    func undecided(hook: String, code: String) throws {
        let report = try check("methods/succeed", [hook: code])
        #expect(report.verdict == .undecided, "\(report.text())")
        #expect(report.broken == [])
        #expect(report.obstacle?.contains("It needs a key.") == true)
    }

    @Test("An overlay that does not serve the device again after eject breaks a rule")
    func servesOnce() throws {
        let report = try check(
            "methods/succeed",
            [
                "IN_EJECT": "instance->calls = 1;",
                "IN_CAN_HANDLE": "if (instance->calls) return fail(error, OVL_FAILED, \"No.\");",
            ])
        #expect(report.broken == ["methods/succeed"], "\(report.text())")
    }

    @Test("Crashes in shutdown and destroy break a rule")
    func crashesAtTheEnd() throws {
        let crash = "*(volatile int *)8 = 1;"
        let report = try check(
            "process/crash",
            [
                "IN_INITIALIZE": "instance->calls = 1;", "IN_SHUTDOWN": "if (instance->ejected) \(crash)",
                "IN_DESTROY": "if (instance->calls == 0) \(crash)",
            ]
        ) {
            $0.repetitions = 1
            // The kernel includes the memory of the starting process in a process's peak.
            $0.memory = 64 << 30
        }
        #expect(report.broken == ["process/crash"], "\(report.text())")
        let seen = report.results.flatMap(\.findings).map(\.seen)
        #expect(seen.contains { $0.contains("in shutdown") }, "\(seen)")
        #expect(seen.contains { $0.contains("in destroy") }, "\(seen)")
    }
}
