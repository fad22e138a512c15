import Formats
import Foundation

/// Recognises formats by hints alone and by the content of many files, compared with libmagic on the same files.
struct SniffBenchmark {
    let files: Int
    let rounds: Int

    func run() throws {
        try light()
        try heavy()
    }

    // MARK: light

    private func light() throws {
        var table = BenchmarkTable("Light sniff, ns per call", ["hint", "minimum", "median"])
        let path = "/home/somebody/Books/Moby-Dick"
        let feed = "application/atom+xml;profile=opds-catalog;kind=acquisition"
        let hints: [(what: String, format: Format?, guess: () -> Format?)] = [
            ("path of a PDF", .pdf, { Format.guess(path: path + ".pdf") }),
            ("path of an EPUB in capitals", .epub, { Format.guess(path: path + ".EPUB") }),
            ("extension `html`", .html, { Format.guess(fileExtensions: ["html"]) }),
            ("media type of EPUB", .epub, { Format.guess(mediaTypes: ["application/epub+zip"]) }),
            ("HTML with a charset", .html, { Format.guess(mediaTypes: ["text/html; charset=utf-8"]) }),
            (
                "OPDS 1 feed, 1 parameter", .opds1Feed,
                { Format.guess(mediaTypes: ["application/atom+xml;profile=opds-catalog"]) }
            ),
            ("OPDS 1 feed, 2 parameters", .opds1Feed, { Format.guess(mediaTypes: [feed]) }),
            (
                "OPDS 1 entry, 2 parameters", .opds1Entry,
                { Format.guess(mediaTypes: ["application/atom+xml; type=entry; profile=\"opds-catalog\""]) }
            ),
            (
                "download: 2 extensions, 2 types", .opds2Feed,
                {
                    Format.guess(
                        fileExtensions: ["json", ""],
                        mediaTypes: ["application/json", "application/opds+json"])
                }
            ),
            ("an unknown extension", nil, { Format.guess(fileExtensions: ["xyz"]) }),
            ("an unknown type", nil, { Format.guess(mediaTypes: ["application/octet-stream"]) }),
        ]
        let calls = 20_000
        for (what, format, guess) in hints {
            guard guess() == format else { throw BenchmarkFailure("\(what) was taken for another format") }
            var found = 0
            let samples = Stopwatch.rounds(
                rounds, [{ for _ in 0..<calls { if guess() == format { found += 1 } } }])[0]
            guard found == calls * rounds else { throw BenchmarkFailure("\(what) changed its answer") }
            let scale = 1e9 / Double(calls)
            table.add([
                what, BenchmarkTable.number(samples.minimum * scale, 0),
                BenchmarkTable.number(samples.median * scale, 0),
            ])
        }
        table.print()
    }

    // MARK: heavy

    /// Number of files of each kind in the mixture.
    private struct Group {
        var name: String
        var paths: [String] = []
    }

    private func heavy() throws {
        let mixed = try MixedFiles(count: files)
        let answers = mixed.paths.map { Format.guess(path: $0) }
        let right = zip(answers, mixed.formats).filter { $0 == $1 }.count
        guard right == files else {
            throw BenchmarkFailure("\(files - right) of \(files) files were not recognised")
        }
        let magic = MagicLibrary()
        var table = BenchmarkTable(
            "Heavy sniff of \(files) mixed files without names, \(mixed.realCount) of them Debian's, µs per file",
            ["files", "number", "ours", "libmagic\(magic.map { " " + $0.version } ?? "")", "times faster"])
        for group in groups(mixed) {
            let paths = group.paths
            var ways: [() -> Void] = [{ for path in paths { _ = Format.guess(path: path) } }]
            if let magic {
                let names = paths.map { ContiguousArray($0.utf8CString) }
                ways.append({
                    for name in names {
                        name.withUnsafeBufferPointer { if let start = $0.baseAddress { magic.sniff(start) } }
                    }
                })
            }
            let samples = Stopwatch.rounds(rounds, ways)
            let scale = 1e6 / Double(paths.count)
            table.add([
                group.name, "\(paths.count)", BenchmarkTable.number(samples[0].median * scale, 1),
                samples.count > 1 ? BenchmarkTable.number(samples[1].median * scale, 1) : "not installed",
                samples.count > 1 ? BenchmarkTable.number(samples[1].median / samples[0].median, 1) : "",
            ])
        }
        table.print()
        if let magic { try compareAnswers(mixed, magic) }
        try mixed.remove()
    }

    private func groups(_ mixed: MixedFiles) -> [Group] {
        var groups = [Group(name: "all", paths: mixed.paths)]
        for (path, format) in zip(mixed.paths, mixed.formats) {
            let name = format.map(Self.kind) ?? "none of the 18"
            if let place = groups.firstIndex(where: { $0.name == name }) {
                groups[place].paths.append(path)
            } else {
                groups.append(Group(name: name, paths: [path]))
            }
        }
        return groups[...0] + groups[1...].sorted { $0.name < $1.name }
    }

    private static func kind(_ format: Format) -> String {
        if format == .html || format == .opds1Feed || format == .opds1Entry { return "HTML and Atom" }
        if format == .pdf || format == .epub { return format.name }
        if format == .cbz || format == .zab { return "CBZ and ZAB" }
        return format.isManifest || format == .opds2Feed || format == .lcpLicense
            ? "JSON documents" : "packages"
    }

    /// The number of files of the 18 formats for which libmagic's answer identifies the format.
    private func compareAnswers(_ mixed: MixedFiles, _ magic: MagicLibrary) throws {
        var told = 0
        var total = 0
        for (path, format) in zip(mixed.paths, mixed.formats) {
            guard let format else { continue }
            total += 1
            guard let answer = magic.mediaType(ofFile: path), let type = MediaType(answer) else { continue }
            if format.mediaType.contains(type) || Format.guess(mediaTypes: [answer]) == format { told += 1 }
        }
        print("\nOf \(total) files of the 18 formats ours tells \(total), libmagic \(told).")
    }
}
