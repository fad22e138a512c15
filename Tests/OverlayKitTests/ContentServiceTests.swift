import OverlayABI
import OverlayBridge
import OverlayKit
import Testing

/// Returns a source as a format: the kind as name, the path as media type, and the number of bytes as the bytes read.
private func put(_ sink: UnsafePointer<ovl_format_sink>, _ index: UInt64, _ source: ovl_source) -> ovl_status
{
    var format = ovl_format.sized()
    format.media_type = source.path
    format.round = source.kind
    format.bytes_read = source.bytes.size + source.file
    return sink.pointee.put?(sink.pointee.ctx, index, OVL_OK, &format, nil) ?? OVL_FAILED
}

/// The sources of a list, each with its index.
private func each(
    _ list: UnsafePointer<ovl_list>, _ body: (UInt64, ovl_source) -> ovl_status
) -> ovl_status {
    var index: UInt64 = 0
    var status = OVL_OK
    do {
        try list.pointee.forEach(ovl_source.self, "sources") { (source) throws(OverlayError) in
            if status == OVL_OK { status = body(index, source) }
            index += 1
        }
    } catch {
        return OVL_CONTRACT_BROKEN
    }
    return status
}

@Suite("The services for content are Swift values, and every source arrives unchanged")
struct ContentServiceTests {
    private func status(_ body: () throws -> Void) -> OverlayStatus? {
        (#expect(throws: OverlayError.self) { try body() })?.status
    }

    @Test("Each kind of source crosses with its fields, and results come in the order of the sources")
    func sources() throws {
        var table = ovl_sniff_service.sized()
        table.sniff = { _, sources, hints, sink, _ in
            guard hints?.pointee.media_types.count == 1, hints?.pointee.extensions.count == 0,
                hints?.pointee.flags == OVL_SNIFF_DEFAULT_FORMATS
            else { return OVL_INVALID_ARGUMENT }
            return each(sources) { index, source in
                guard source.root == (source.kind == OVL_SOURCE_DEVICE ? OVL_ROOT_MEDIA : 0) else {
                    return OVL_INVALID_ARGUMENT
                }
                return put(sink, index, source)
            }
        }
        let results = try SniffService(table).sniff(
            [
                .device(.media, "/Books/a.epub"), .file(HostFile(rawValue: 7)),
                .bytes([1, 2], name: "b.cbz"),
                .bytes([]), .url("https://example.org/c.pdf"),
            ], hints: SniffHints(mediaTypes: ["application/pdf"], defaultFormatsOnly: true))
        let found = try results.map { try $0.get() }
        #expect(
            found.map(\.mediaType) == ["/Books/a.epub", nil, "b.cbz", nil, "https://example.org/c.pdf"])
        #expect(
            found.map(\.round.rawValue) == [
                OVL_SOURCE_DEVICE, OVL_SOURCE_FILE, OVL_SOURCE_BYTES, OVL_SOURCE_BYTES, OVL_SOURCE_URL,
            ])
        #expect(found.map(\.bytesRead) == [0, 7, 2, 0, 0])
    }

    @Test("A source that cannot be read is a result that names it, and a missing row is a breach")
    func rows() throws {
        var table = ovl_sniff_service.sized()
        table.sniff = { _, _, _, sink, _ in
            let arena = Arena()
            var error = OverlayError(.notFound, "It does not exist.").record(in: arena)
            return sink.pointee.put?(sink.pointee.ctx, 0, OVL_NOT_FOUND, nil, &error) ?? OVL_FAILED
        }
        let service = SniffService(table)
        #expect(throws: OverlayError(.notFound, "It does not exist.", subject: "/x")) {
            try service.sniff(.device(.documents, "/x"))
        }
        #expect(status { _ = try service.sniff([.url("a"), .url("b")]) } == .contractBroken)
        table.sniff = { _, _, _, sink, _ in
            sink.pointee.put?(sink.pointee.ctx, 0, OVL_OK, nil, nil) ?? OVL_FAILED
        }
        #expect(status { _ = try SniffService(table).sniff([.url("a")]) } == .contractBroken)
    }

    @Test("A sniffer crosses as data, with every kind of rule")
    func sniffer() throws {
        var table = ovl_sniff_service.sized()
        table.register_sniffer = { _, sniffer, error in
            let record = sniffer.pointee
            var seen: [String] = []
            do {
                seen.append(try record.media_type.required("media_type"))
                try record.rules.forEach(ovl_sniff_rule.self, "rules") { (rule) throws(OverlayError) in
                    seen.append(
                        "\(rule.kind) \(rule.offset) \(try rule.name.string("name") ?? "-")"
                            + " \(try rule.value.string("value") ?? "-") \(try rule.bytes.array("bytes") ?? [])"
                    )
                }
            } catch {
                return OVL_CONTRACT_BROKEN
            }
            // The received values are returned as the message of an error.
            let arena = Arena()
            var answer = OverlayError(.busy, seen.joined(separator: "; ")).record(in: arena)
            error?.pointee.put?(error?.pointee.ctx, &answer)
            return OVL_BUSY
        }
        let sniffer = FormatSniffer(
            mediaType: "application/x-demo", name: "Demo", fileExtension: "demo",
            rules: [
                .magic([1, 2], offset: 3), .xmlRoot("demo", namespace: "urn:x"), .xmlRoot("demo"),
                .jsonMember("a", equals: "b"), .zipEntry("c", beginsWith: [4]), .zipEntry("d"),
            ])
        let error = #expect(throws: OverlayError.self) { try SniffService(table).register(sniffer) }
        #expect(
            error?.message == """
                application/x-demo; 1 3 - - [1, 2]; 2 0 demo urn:x []; 2 0 demo - []; 3 0 a b []; \
                4 0 c - [4]; 4 0 d - []
                """)
    }

    @Test("Resources come in their order, and an absent HREF is the source itself")
    func resources() throws {
        var table = ovl_fetch_service.sized()
        table.links = { _, _, sink, _ in
            let arena = Arena()
            for (index, href) in ["/b", "/a"].enumerated() {
                var resource = ovl_resource.sized()
                resource.href = arena.text(href)
                resource.length = index == 0 ? 5 : .max
                resource.stored_length = 3
                let answer = sink.pointee.put?(sink.pointee.ctx, UInt64(index), &resource) ?? OVL_FAILED
                guard answer == OVL_OK else { return answer }
            }
            return OVL_OK
        }
        table.info = { _, _, href, sink, _ in
            var resource = ovl_resource.sized()
            resource.length = href == nil ? 1 : 2
            return sink.pointee.put?(sink.pointee.ctx, 0, &resource) ?? OVL_FAILED
        }
        let service = FetchService(table)
        #expect(
            try service.links(.url("x")) == [
                ResourceInfo(href: "/b", length: 5, storedLength: 3),
                ResourceInfo(href: "/a", storedLength: 3),
            ])
        #expect(try service.info(.url("x")).length == 1)
        #expect(try service.info(.url("x"), "/a").length == 2)
        table.info = { _, _, _, _, _ in OVL_OK }
        #expect(status { _ = try FetchService(table).info(.url("x")) } == .contractBroken)
    }

    @Test("A resource is read in pieces up to a limit, and a gap between them is a breach")
    func reading() throws {
        var table = ovl_fetch_service.sized()
        table.read = { _, _, _, offset, length, sink, _ in
            let arena = Arena()
            for (text, at) in [("ab", 0), ("cd", offset == 9 ? 5 : 2)] as [(String, UInt64)] {
                var bytes = arena.bytes(Array(text.utf8))
                let answer = sink.pointee.put?(sink.pointee.ctx, &bytes, at, length) ?? OVL_FAILED
                guard answer == OVL_OK else { return answer }
            }
            return OVL_OK
        }
        let service = FetchService(table)
        #expect(try service.readAll(.url("x"), "/a", limit: 4) == Array("abcd".utf8))
        #expect(status { _ = try service.readAll(.url("x"), "/a", limit: 3) } == .damaged)
        #expect(status { _ = try service.readAll(.url("x"), offset: 9, limit: 4) } == .contractBroken)
    }

    @Test("Metadata ends with a book that is read as far as its writer wrote it")
    func metadata() throws {
        var table = ovl_metadata_service.sized()
        table.read = { _, sources, options, sink, _ in
            let arena = Arena()
            return each(sources) { index, source in
                guard let bookOffset = MemoryLayout<ovl_metadata>.offset(of: \.book) else {
                    return OVL_FAILED
                }
                var record = ovl_metadata.sized()
                record.languages = arena.texts(["de"])
                record.shortcomings = arena.texts(["The cover is missing."])
                record.pages = 12
                record.book = Book(title: "Titel", coverData: options == 0 ? nil : [9]).record(in: arena)
                // The second writer knows a shorter book record.
                if index == 1 { record.struct_size = UInt32(bookOffset + 56) }
                return sink.pointee.put?(sink.pointee.ctx, index, OVL_OK, &record, nil) ?? OVL_FAILED
            }
        }
        let service = MetadataService(table)
        let found = try service.read(.url("x"), covers: true)
        #expect(
            found
                == BookMetadata(
                    book: Book(title: "Titel", coverData: [9]), languages: ["de"],
                    shortcomings: ["The cover is missing."], pages: 12))
        let short = try service.read([.url("x"), .url("y")], covers: true)[1].get()
        #expect(short.book == Book(title: "Titel"))
    }

    @Test("A host without the services says so")
    func missing() {
        #expect(status { _ = try SniffService(.init()).sniff(.url("x")) } == .notSupported)
        #expect(status { _ = try FetchService(.init()).links(.url("x")) } == .notSupported)
        #expect(status { _ = try MetadataService(.init()).read(.url("x")) } == .notSupported)
    }
}
