import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("A walk finds every file, however deep, and nothing else")
struct WalkTests {
    let host = MemoryHost()

    func walk(ignoring: [String] = [], _ change: (inout FolderWalk.Limits) -> Void = { _ in }) throws
        -> FolderContents
    {
        var limits = FolderWalk.Limits()
        change(&limits)
        let services = try host.services()
        return try FolderWalk(services, try BookPlace.documents(services), ignoring: ignoring, limits: limits)
            .contents()
    }

    @Test("Files at any depth are found with their size and time")
    func deep() throws {
        host.put("a.epub", "one")
        host.put("A/B/C/D/e.pdf", "three")
        host.put("A/b.pdf", "two2")
        let contents = try walk()
        #expect(contents.files.map(\.path.text) == ["a.epub", "A/b.pdf", "A/B/C/D/e.pdf"])
        #expect(contents.files.map(\.size) == [3, 4, 5])
        #expect(contents.folders.map(\.text) == ["A", "A/B", "A/B/C", "A/B/C/D"])
        #expect(contents.remarks.isEmpty)
    }

    @Test("A thousand files in ten folders cost one call per folder and one per depth")
    func calls() throws {
        for index in 0..<1000 { host.put("F\(index % 10)/\(index).pdf", "x") }
        #expect(try walk().files.count == 1000)
        #expect(host.calls == 11 + 2)
    }

    @Test("The name of a file about which the device gives no information is not free")
    func unexaminedName() throws {
        host.put("Emma.pdf", "x")
        host.fault = { operation, path in
            operation == "stat" && path.hasSuffix("Emma.pdf") ? .deviceIO : nil
        }
        var names = TakenNames(try walk())
        #expect(names.takeFree("Emma", in: nil, fileExtension: "pdf")?.text == "Emma (2).pdf")
    }

    @Test("Hidden names, links and ignored folders are passed over")
    func passedOver() throws {
        host.put(".hidden.epub", "x")
        host.put(".Trash/x.epub", "x")
        host.put("Inbox/x.epub", "x")
        host.put("A/Fonts/x.epub", "x")
        host.put("A/Keep/Inner/x.epub", "x")
        host.put("A/Inner/x.epub", "x")
        host.links = ["/Documents/link"]
        let files = try walk(ignoring: ["inbox", "Fonts", "A/Inner"]).files
        #expect(files.map(\.path.text) == ["A/Keep/Inner/x.epub"])
    }

    @Test("Two Unicode forms of a name are two files, also where a mark would combine with a slash or a dot")
    func unicode() throws {
        host.put("\u{E9}.pdf", "1")
        host.put("e\u{301}.pdf", "22")
        host.put("A/\u{301}b.pdf", "333")
        host.put(".\u{301}hidden.pdf", "4444")
        #expect(try walk().files.map(\.size) == [3, 2, 1])
    }

    @Test("An unpacked EPUB counts as one file")
    func package() throws {
        host.put("A/Book.epub/META-INF/container.xml", "12345")
        host.put("A/Book.epub/OPS/x.html", "123")
        host.put("A/Book.epub/mimetype", "1")
        let contents = try walk()
        #expect(contents.files.map(\.path.text) == ["A/Book.epub"])
        #expect(contents.files[0].size == 9)
        #expect(contents.files[0].parts?.map(\.path) == ["META-INF/container.xml", "OPS/x.html", "mimetype"])
        #expect(contents.folders.map(\.text) == ["A"])
    }

    @Test("A folder named like an unpacked EPUB, but without its parts, is a folder, without further calls")
    func noPackage() throws {
        host.put("Free.epub/a.epub", "1")
        host.put("Free.epub/Inner.epub/META-INF/container.xml", "22")
        let contents = try walk()
        #expect(contents.files.map(\.path.text) == ["Free.epub/a.epub", "Free.epub/Inner.epub"])
        #expect(contents.files.map(\.isPackage) == [false, true])
        #expect(contents.folders.map(\.text) == ["Free.epub"])
        // Four folders in four levels.
        #expect(host.calls == 4 + 4)
    }

    @Test("Depth and number are bounded, and what is left out is said")
    func bounded() throws {
        host.put("1/2/3/4/x.pdf", "x")
        for index in 0..<50 { host.put("\(index).pdf", "x") }
        var contents = try walk { $0.depth = 2 }
        #expect(contents.files.count == 50)
        #expect(contents.remarks == ["Folders nested deeper than 2 levels were left out."])
        contents = try walk { $0.entries = 20 }
        #expect(contents.files.count + contents.folders.count == 20)
        #expect(contents.remarks.count == 1)
    }

    @Test("A folder that vanishes is a remark; a lost device is an error")
    func faults() throws {
        host.put("A/x.pdf", "x")
        host.put("B/y.pdf", "y")
        host.fault = { operation, path in operation == "list" && path.hasSuffix("/A") ? .notFound : nil }
        let contents = try walk()
        #expect(contents.files.map(\.path.text) == ["B/y.pdf"])
        #expect(contents.remarks.count == 1)
        host.fault = { operation, path in operation == "stat" ? .deviceGone : nil }
        #expect(throws: OverlayError.self) { try walk() }
        host.fault = { operation, path in operation == "list" ? .notFound : nil }
        #expect(try walk().files.isEmpty)
    }

    @Test(
        "A folder that cannot be listed is the device's error, which names it",
        arguments: [OverlayStatus.accessRefused, .deviceIO, .failed, .invalidArgument])
    func unlisted(status: OverlayStatus) throws {
        host.put("A/x.pdf", "x")
        host.put("B/y.pdf", "y")
        for folder in ["/Documents/A", "/Documents"] {
            host.fault = { operation, path in operation == "list" && path == folder ? status : nil }
            let error = #expect(throws: OverlayError.self) { try walk() }
            // What was a folder may be a file now; the request was right.
            #expect(error?.status == (status == .invalidArgument ? .deviceIO : status))
            if folder.hasSuffix("A") { #expect(error?.subject == "A") }
        }
    }

    @Test("A name that the device lists twice is one file")
    func twice() throws {
        let host = RepeatingHost()
        host.put("A/x.pdf", "x")
        let services = try host.services()
        let contents = try FolderWalk(services, try BookPlace.documents(services)).contents()
        #expect(contents.files.map(\.path.text) == ["A/x.pdf"])
        #expect(contents.folders.map(\.text) == ["A"])
    }

    @Test("Cancel ends a walk")
    func cancelled() throws {
        host.put("A/x.pdf", "x")
        host.isCancelled = true
        #expect(throws: OverlayError.self) { try walk() }
    }

    @Test("The container is taken where it is granted, else the documents, else the reason is reported")
    func places() throws {
        #expect(try BookPlace.documents(host.services()).root == .documents)
        host.roots = [
            RootAccess(root: .container, granted: true), RootAccess(root: .documents, granted: false),
        ]
        #expect(try BookPlace.documents(host.services()).root == .container)
        host.roots = [
            RootAccess(root: .container, granted: false, reason: "c"),
            RootAccess(
                root: .documents, granted: false, reason: "The app shares no files.", hint: "Ask its maker."),
        ]
        let services = try host.services()
        let error = #expect(throws: OverlayError.self) { try BookPlace.documents(services) }
        #expect(error?.message == "The app shares no files.")
        #expect(error?.hint == "Ask its maker.")
        #expect(try BookShelf.missingAbilities(services).count == 7)
    }
}

/// A device that lists each name twice.
private final class RepeatingHost: MemoryHost {
    override func names(in folder: String) -> [String]? { super.names(in: folder).map { $0 + $0 } }
}
