import Diagnostics
import Foundation
import Testing
import OverlayTestSupport
import TestSupport

@testable import OverlayLoading

@Suite("Symbols are read safely from any file")
struct ELFImageTests {
    private func library(_ flags: [String] = ["-shared"], _ macros: [String] = []) throws -> [UInt8] {
        let folder = try FixtureOverlay.privateFolder()
        try FixtureOverlay.build(folder.path("a.so"), macros, flags: flags)
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("a.so"))))
    }

    private func image(_ bytes: [UInt8]) throws -> ELFImage {
        try ELFImage(size: UInt64(bytes.count)) { offset, count in
            guard let start = Int(exactly: offset), start <= bytes.count, count <= bytes.count - start else {
                Issue.record("\(count) bytes at \(offset) were asked of a file of \(bytes.count) bytes")
                return nil
            }
            return Array(bytes[start..<start + count])
        }
    }

    @Test("The exported symbols are read with both kinds of hash table", arguments: ["gnu", "sysv", "both"])
    func exports(style: String) throws {
        let image = try image(library(["-shared", "-Wl,--hash-style=\(style)"]))
        #expect(image.exportedSymbols == ["ovl_entry_v1"])
        #expect(image.entryMajors == [1])
    }

    @Test("A stripped library and one with many symbols are read")
    func others() throws {
        #expect(try image(library(["-shared", "-s"])).entryMajors == [1])
        let many = try image(library(["-shared", "-fvisibility=default"], ["MISSING_SYMBOL"]))
        #expect(Set(many.exportedSymbols) == ["ovl_entry_v1", "fixture_needs"])
    }

    @Test("Only whole numbers after the prefix are major versions")
    func majors() throws {
        #expect(try image(library(["-shared"], ["ENTRY_NAME=ovl_entry_v12"])).entryMajors == [12])
        #expect(try image(library(["-shared"], ["ENTRY_NAME=ovl_entry_v1x"])).entryMajors == [])
        #expect(try image(library(["-shared"], ["ENTRY_NAME=ovl_entry_v99999999999"])).entryMajors == [])
    }

    @Test(
        "A file that is not a shared library for this machine is described",
        arguments: [
            (4, [1], "32-bit"), (5, [2], "byte order"), (18, [40, 0], "processor"),
            (16, [1, 0], "object file"),
            (16, [2, 0], "a program"), (16, [4, 0], "core dump"), (16, [99, 0], "not a shared library"),
            (0, [0x7E], "is not a library"), (54, [55, 0], "damaged"), (56, [0xFF, 0xFF], "damaged"),
            (56, [0, 0], "without a dynamic section"),
        ] as [(Int, [UInt8], String)])
    func headers(offset: Int, change: [UInt8], words: String) throws {
        var bytes = try library()
        bytes.replaceSubrange(offset..<offset + change.count, with: change)
        let problem = #expect(throws: OverlayRefusal.self) { try image(bytes) }
        #expect(problem?.message.contains(words) == true, "\(problem?.message ?? "")")
    }

    @Test("A library cut at any byte gives its symbols or a problem")
    func truncated() throws {
        let bytes = try library()
        for length in bytes.indices {
            do {
                #expect(try image(Array(bytes[..<length])).exportedSymbols == ["ovl_entry_v1"])
            } catch is OverlayRefusal {
                continue
            }
        }
    }

    @Test("Changed bytes and random bytes give symbols or a problem")
    func noise() throws {
        let bytes = try library()
        // The reader uses only the first pages and the dynamic section.
        let interesting = Array(0..<min(2048, bytes.count)) + Array(max(0, bytes.count - 8192)..<bytes.count)
        var generator = SeededGenerator(seed: 11)
        var problems = 0
        for _ in 0..<4000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = interesting[Int.random(in: interesting.indices, using: &generator)]
                changed[index] =
                    [0, 0xFF, UInt8.random(in: 0...255, using: &generator)][
                        Int.random(in: 0..<3, using: &generator)]
            }
            do { _ = try image(changed) } catch is OverlayRefusal { problems += 1 }
        }
        #expect(problems > 0)
        for _ in 0..<500 {
            let noise = bytes.prefix(64) + (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: OverlayRefusal.self) { try image(Array(noise)) }
        }
    }

    @Test("Every built overlay exports exactly its entry function")
    func builtOverlays() throws {
        let folder = try buildProductsFolder()
        let overlays = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("lib") && $0.hasSuffix("Overlay.so") }
        #expect(!overlays.isEmpty)
        for name in overlays {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
            #expect(try image(bytes).exportedSymbols == ["ovl_entry_v1"], "\(name)")
        }
    }
}
