import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("An independent C program of sixty lines loads an overlay and lists its books")
struct ForeignHostTests {
    private func fixture(_ name: String) -> String { SourceTree.fixtures.appendingPathComponent(name).path }

    private func host(in folder: TemporaryFolder, _ compiler: Compiler) throws -> String {
        let program = folder.path("list_books")
        var compiler = compiler
        // Converting dlsym's result and POSIX times are not part of plain C11.
        compiler.standard = "gnu11"
        try compiler.run([fixture("list_books.c"), fixture("folder_transport.c"), "-o", program, "-ldl"])
        return program
    }

    private func tinyOverlay(in folder: TemporaryFolder, _ compiler: Compiler) throws -> String {
        let library = folder.path("libTiny.so")
        try compiler.run([
            fixture("tiny_overlay.c"), "-shared", "-fPIC", "-fvisibility=hidden", "-o", library,
        ])
        return library
    }

    @Test("An overlay in C works without any service", arguments: Compiler.c)
    func tiny(_ compiler: Compiler) throws {
        let folder = try TemporaryFolder()
        let result = try runProgram(host(in: folder, compiler), [tinyOverlay(in: folder, compiler)])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "Tiny 0.1.0\ntrial.epub\tDer Prozeß\nmetamorphosis.epub\t変身\nstatus 0\n")
    }

    @Test("The Marvin overlay lists a library in a folder")
    func marvin() throws {
        let folder = try TemporaryFolder()
        let container = MarvinContainer(folder: folder.url.appendingPathComponent("container"))
        try MarvinLibrary(container).populateSynthetic(count: 7, coverBytes: 100)
        let result = try runProgram(
            host(in: folder, Compiler.c[0]), [marvinOverlay().path, container.folder.path],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("Marvin") == true)
        #expect(lines.filter { $0.contains(".epub\t") }.count == 7)
        #expect(lines.last == "status 0")
    }

    @Test("The Marvin overlay says what is missing when the host has no transport")
    func marvinWithoutTransport() throws {
        let folder = try TemporaryFolder()
        let result = try runProgram(
            host(in: folder, Compiler.c[0]), [marvinOverlay().path],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(result.status == 1)
        #expect(result.errors.contains("list_books: status 5: This host does not have the function."))
    }

    @Test("The C program fits on a page")
    func short() throws {
        let code = try SourceTree.text(SourceTree.fixtures.appendingPathComponent("list_books.c"))
        #expect(code.split(separator: "\n").filter { !$0.hasPrefix("/*") && !$0.hasPrefix(" *") }.count <= 60)
    }

    private func marvinOverlay() throws -> URL {
        try buildProductsFolder().appendingPathComponent("libMarvinOverlay.so")
    }
}
